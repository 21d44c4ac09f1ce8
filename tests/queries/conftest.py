"""The loading of the index under control."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from rag.queries import snapshots
from rag.queries.holding import Holder
from tests.queries.loads import FakeSlowLoad, Requests


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
