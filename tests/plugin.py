"""Pytest plugin, loaded before pytest-django opens the settings (see addopts).

It gives the run a folder of its own as EVIDENCE_HOME, so that no test touches a real site,
swaps SQLite before anything else can load Python's own, and lets Python keep its bytecode.
"""

import os
import sys
import tempfile

import pytest

HOME = tempfile.TemporaryDirectory(prefix="evidencesite-tests-")
os.environ["EVIDENCE_HOME"] = HOME.name
# Playwright's synchronous interface keeps an event loop in the thread of the tests for the rest of
# the run, which Django would take for an asynchronous view that must not touch the database.
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
# Images of containers often set it. Each of the hundreds of commands that the tests start would
# then compile the whole site anew: 0.07 of 0.86 s of processor time for a search.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

import evidencesite  # noqa: E402, F401

# They begin first, so that no worker is left alone with one of them at the end.
LONGEST = ("test_crash.py", "test_states.py", "test_handbooks.py", "test_hostile.py")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first, everything else as it was found."""
    items.sort(key=lambda item: item.path.name not in LONGEST)


def pytest_unconfigure() -> None:
    """Remove the folder at the end of the run."""
    HOME.cleanup()
