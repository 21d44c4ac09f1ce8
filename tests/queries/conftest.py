"""A database whose changes other threads see, and the loading of its index under control."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from django.db import connections

from rag.queries import snapshots
from rag.queries.holding import Holder
from tests.queries.loads import FakeSlowLoad, Requests


@pytest.fixture
def committed(db: None, tmp_path: Path) -> Iterator[None]:
    """A copy of the empty database in which every write is committed.

    ``transactional_db`` would empty it at the end, which the append-only audit log forbids.
    """
    outer, settings = connections["default"], connections.settings["default"]
    name, copy = settings["NAME"], str(tmp_path / "committed.sqlite3")
    with closing(sqlite3.connect(name)) as source:
        source.execute("VACUUM INTO ?", [copy])
    settings["NAME"] = copy  # for the connections of all threads
    connections["default"] = connections.create_connection("default")
    yield
    connections["default"].close()
    connections["default"], settings["NAME"] = outer, name


@pytest.fixture
def load(committed: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeSlowLoad]:
    """How this process loads its index; nothing is held up yet."""
    slow = FakeSlowLoad()
    tables = replace(snapshots.TABLES, load=slow)
    monkeypatch.setattr(snapshots, "_holder", Holder(tables))
    yield slow
    slow.finish()


@pytest.fixture
def requests(load: FakeSlowLoad) -> Iterator[Requests]:
    """Threads for requests; a test that fails lets them go, too."""
    threads = Requests()
    yield threads
    load.let.set()
    threads.end()
