"""Sites that are not well, busy or new to somebody, with the states that only they have."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from playwright.sync_api import Page, expect

from tests.browser.serving import Running
from tests.browser.states import State
from tests.browser.steps import ANSWERED
from tests.sites.site import ROOT

Prepare = Callable[[Running], AbstractContextManager[None]]

# A first rebuild that was killed: its row says "running", nobody holds the lock.
_NO_INDEX: Final = """
from rag.models import Manifest, RebuildRun
Manifest.objects.all().delete()
RebuildRun.objects.all().delete()
RebuildRun.objects.create(stage="embed", done=16, total=300)
"""
# Somebody who may sign in and has no role, as after a first single sign-on without any group.
_NEWCOMER: Final = """
from django.contrib.auth.models import User
User.objects.create_user("newcomer")
"""
# A rebuild as others see it: the lock, and a row with signs of life. Ends with its standard input.
_REBUILDS: Final = """
import select, sys
from rag.actions.rebuild_lock import only_rebuild
from rag.models import RebuildRun
with only_rebuild():
    run = RebuildRun.objects.create(stage="embed", done=1232, total=3040)
    print("held", flush=True)
    while not select.select([sys.stdin], [], [], 1)[0]:
        run.save()
    run.outcome = RebuildRun.Outcome.CANCELLED
    run.save()
"""


@contextmanager
def _as_it_is(site: Running) -> Iterator[None]:
    yield


@contextmanager
def _without_index(site: Running) -> Iterator[None]:
    site.run("shell", "--command", _NO_INDEX)
    yield


@contextmanager
def _with_a_newcomer(site: Running) -> Iterator[None]:
    site.run("shell", "--command", _NEWCOMER)
    yield


@contextmanager
def _without_database(site: Running) -> Iterator[None]:
    """No file of SQLite's any more, under a server that runs."""
    site.session_of("erin")  # made while it can be made
    (site.site.home / "evidence.sqlite3").write_bytes(b"no database " * 10_000)
    yield


@contextmanager
def _rebuilding(site: Running) -> Iterator[None]:
    with subprocess.Popen(
        [sys.executable, "manage.py", "shell", "--verbosity", "0", "--command", _REBUILDS],
        cwd=ROOT,
        env=site.site.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        try:
            yield
        finally:
            process.communicate(timeout=60)


def _says(title: str, words: str) -> Callable[[Page], None]:
    def reach(page: Page) -> None:
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(page.locator("main")).to_contain_text(words)

    return reach


def _asked(page: Page) -> None:
    """The question comes back, with what is wrong above it."""
    page.get_by_role("textbox", name="question").fill(ANSWERED)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("There is no index yet.")
    expect(page.get_by_role("textbox", name="question")).to_have_value(ANSWERED)


def _typed(page: Page) -> None:
    """A search by htmx: the error stands where the results would, and the words stay."""
    page.get_by_role("searchbox").fill("leave")
    expect(page.locator("#results").get_by_role("alert")).to_contain_text(UNAVAILABLE)
    expect(page.locator("#results")).to_contain_text("There is no index yet.")
    expect(page.get_by_role("searchbox")).to_have_value("leave")


def _killed(page: Page) -> None:
    _says("Status", "No rebuild is running")(page)
    expect(page.locator(".runs")).to_contain_text("Its process ended without a word.")


def _runs(page: Page) -> None:
    _says("Status", "A rebuild is running")(page)
    expect(page.locator("#rebuild")).to_contain_text("1,232 of 3,040")
    expect(page.locator("progress[value='1232'][max='3040']")).to_be_visible()
    expect(page.get_by_role("button", name="Rebuild now")).to_be_disabled()


@dataclass(frozen=True)
class Condition:
    """How a site stands, and its states. ``settings`` are those it is served with."""

    states: Mapping[str, State]
    prepare: Prepare = _as_it_is
    settings: Mapping[str, str] = field(default_factory=dict)


UNAVAILABLE: Final = "Not available at the moment"
SILENT: Final = _says(UNAVAILABLE, "The database did not answer.")
FAULT: Final = _says("Something went wrong", "The fault is ours and stands in the log.")
CONDITIONS: Final[Mapping[str, Condition]] = MappingProxyType(
    {
        "newcomer": Condition(
            {"no-role": State("newcomer", "/", _says("Your account has no role yet", "newcomer"))},
            _with_a_newcomer,
        ),
        "no index": Condition(
            {
                "no-index-search": State("erin", "/search/", _typed, expected=("503",)),
                "no-index-ask": State("erin", "/ask/", _asked, expected=("503",)),
                "no-index-status": State("admin", "/status/", _killed),
            },
            _without_index,
        ),
        "no database": Condition(
            {
                "no-database": State("erin", "/search/?q=leave", SILENT, expected=("503",)),
            },
            _without_database,
        ),
        "rebuilding": Condition({"rebuilding": State("admin", "/status/", _runs)}, _rebuilding),
        "failing": Condition(
            {"fault": State("erin", "/fails/", FAULT, expected=("500",))},
            settings={"DJANGO_SETTINGS_MODULE": "tests.browser.failing_settings"},
        ),
    }
)
