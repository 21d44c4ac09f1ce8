"""A rebuild from the browser: one at a time, on record, and independent of who started it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from django.utils import timezone
from pytest_django import Settings

from rag.actions import starting
from rag.actions.rebuild_lock import only_rebuild
from rag.actions.starting import is_starting, start_rebuild
from rag.core.errors import Busy, NotFound, StorageError
from rag.models import AuditEvent, RebuildRun
from tests import factories

pytestmark = pytest.mark.django_db

# What the started process is like: its session, its input, and its group of signals.
TELL: Final = (
    "import os, sys; print(os.getsid(0) == os.getpid(), sys.stdin.read() == '', flush=True);"
    "print('to stderr', file=sys.stderr)"
)


@pytest.fixture(autouse=True)
def olga() -> None:
    """Olga operates the site."""
    factories.user("olga")


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Have some Python started in the place of the rebuild."""

    def run(code: str) -> None:
        monkeypatch.setattr(starting, "command", lambda: (sys.executable, "-c", code))

    run("pass")
    return run


def log(settings: Settings) -> Path:
    return Path(settings.EVIDENCE_HOME, "rebuild.log")


def eventually(true: Callable[[], Any]) -> Any:
    """What becomes true within a minute."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if value := true():
            return value
        time.sleep(0.02)
    raise AssertionError("it did not come true")


def children() -> dict[int, str]:
    """The children of this process by id, each with its state: Z is a zombie."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = path.read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if int(parent) == os.getpid():
            found[int(path.parent.name)] = state
    return found


def test_what_is_started_is_the_command_of_this_site(settings: Settings) -> None:
    manage = str(settings.BASE_DIR / "manage.py")
    assert starting.command() == (sys.executable, manage, "rebuild")


def test_a_start_is_on_record(runs: Callable[[str], None]) -> None:
    start_rebuild("olga")
    event = AuditEvent.objects.get()
    assert (event.actor, event.action, event.subject) == ("olga", "start_rebuild", "index")


def test_it_has_a_session_of_its_own_no_input_and_a_log(
    settings: Settings, runs: Callable[[str], None]
) -> None:
    log(settings).write_text("before\n")
    runs(TELL)
    start_rebuild("olga")
    text = eventually(lambda: "stderr" in (t := log(settings).read_text()) and t)
    before, heading, told, error = text.splitlines()
    assert (before, told, error) == ("before", "True True", "to stderr")
    assert heading.endswith("started by olga")


def test_no_zombie_stays(settings: Settings, runs: Callable[[str], None]) -> None:
    runs("print('ended')")
    before = children()
    start_rebuild("olga")
    eventually(lambda: "ended" in log(settings).read_text())
    eventually(lambda: children().keys() <= before.keys())


def test_it_outlives_its_parent_and_the_parent_s_group(tmp_path: Path) -> None:
    """Like a gunicorn worker that is killed with its whole group while the rebuild runs."""
    code = """
import evidencesite, os, sys, time, django
os.environ["DJANGO_SETTINGS_MODULE"] = "evidencesite.settings"
django.setup()
from rag.actions import starting
child = "import time, os; print(os.getpid(), flush=True); time.sleep(1); print('done', flush=True)"
starting.command = lambda: (sys.executable, "-c", child)
starting._spawn("started\\n")
print("spawned", flush=True)
time.sleep(60)
"""
    parent = subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | {"EVIDENCE_HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert parent.stdout and parent.stdout.readline() == "spawned\n"
    eventually(lambda: len((tmp_path / "rebuild.log").read_text().splitlines()) > 1)
    os.killpg(parent.pid, signal.SIGKILL)
    parent.communicate()
    eventually(lambda: "done" in (tmp_path / "rebuild.log").read_text())


def test_none_is_started_while_one_runs(runs: Callable[[str], None]) -> None:
    with only_rebuild(), pytest.raises(Busy, match="running already"):
        start_rebuild("olga")
    assert not AuditEvent.objects.exists()


def test_a_second_click_starts_no_second_rebuild(runs: Callable[[str], None]) -> None:
    start_rebuild("olga")
    with pytest.raises(Busy):
        start_rebuild("olga")
    assert AuditEvent.objects.count() == 1


def test_once_a_run_has_followed_the_next_may_start(runs: Callable[[str], None]) -> None:
    start_rebuild("olga")
    assert is_starting()
    factories.rebuild()
    assert not is_starting()
    start_rebuild("olga")
    assert AuditEvent.objects.filter(action="start_rebuild").count() == 2


def test_a_start_that_came_to_nothing_stops_no_other(
    runs: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    start_rebuild("olga")
    later = timezone.now() + starting.STARTING + timedelta(seconds=1)
    monkeypatch.setattr("rag.actions.starting.timezone.now", lambda: later)
    assert not is_starting()
    start_rebuild("olga")


def test_who_is_not_active_starts_nothing(runs: Callable[[str], None]) -> None:
    factories.user("gone", active=False)
    with pytest.raises(NotFound):
        start_rebuild("gone")


def test_what_cannot_be_started_is_said_and_not_on_record(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(starting, "command", lambda: ("/no/such/program",))
    with pytest.raises(StorageError, match=r"cannot be started: No such file"):
        start_rebuild("olga")
    log(settings).unlink()
    log(settings).mkdir()
    with pytest.raises(StorageError, match=r"rebuild\.log cannot be written"):
        start_rebuild("olga")
    assert not AuditEvent.objects.exists()
    assert not RebuildRun.objects.exists()
