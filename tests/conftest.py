"""What every test starts with: nothing that an earlier one left in this process."""

from collections.abc import Iterator

import pytest
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
