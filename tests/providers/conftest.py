"""A provider of its own for each test."""

from collections.abc import Iterator

import pytest

from tests.fault_server import FaultServer, fault_server


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with fault_server() as playing:
        yield playing
