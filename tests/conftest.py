"""What every test starts with: nothing that an earlier one left in this process; and a database
for tests of several threads."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.db import connections
from pytest_django import Settings

from rag.actions import searching
from rag.queries import snapshots
from rag.queries.holding import Holder


@pytest.fixture(autouse=True)
def fresh_process(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No snapshot held, no canary checked, and a folder of its own for the rebuild lock."""
    settings.EVIDENCE_HOME = tmp_path_factory.mktemp("home")
    snapshots._holder = Holder(snapshots.TABLES)
    searching._checked.clear()
    yield
    snapshots._holder = Holder(snapshots.TABLES)
    searching._checked.clear()


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> Iterator[None]:
    """Argon2 as the site uses it, at its least cost: Django's own costs 0.3 s for a sign-in."""
    with pytest.MonkeyPatch.context() as patch:
        for cost, least in {"time_cost": 1, "memory_cost": 8, "parallelism": 1}.items():
            patch.setattr(Argon2PasswordHasher, cost, least)
        yield


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
