"""One rebuild at a time, and a look at the lock that stops no rebuild."""

import fcntl
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from pytest_django import Settings

from rag.actions.rebuild_lock import PAUSE, only_rebuild, rebuild_is_running
from rag.core.errors import Busy

HOLD = """
import fcntl, sys
lock = open(sys.argv[1], "w")
fcntl.flock(lock, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@contextmanager
def another_process(settings: Settings) -> Iterator["subprocess.Popen[str]"]:
    """A process that holds the lock."""
    path = settings.EVIDENCE_HOME / "rebuild.lock"
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout and process.stdout.readline() == "held\n"
        yield process
    finally:
        process.kill()
        process.communicate()


def test_the_lock_says_whether_a_rebuild_runs() -> None:
    assert not rebuild_is_running()
    with only_rebuild():
        assert rebuild_is_running()
    assert not rebuild_is_running()


def test_another_process_is_seen_and_respected(settings: Settings) -> None:
    with another_process(settings):
        assert rebuild_is_running()
        with pytest.raises(Busy, match="Another rebuild is running"), only_rebuild():
            pytest.fail("two hold the lock")


def test_a_killed_process_holds_nothing(settings: Settings) -> None:
    with another_process(settings) as process:
        process.kill()
        process.wait()
        assert not rebuild_is_running()


def test_a_rebuild_that_starts_while_somebody_looks_is_not_refused(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, pauses = settings.EVIDENCE_HOME / "rebuild.lock", []
    path.touch()
    with path.open() as looking:
        fcntl.flock(looking, fcntl.LOCK_SH)

        def look_away(seconds: float) -> None:
            pauses.append(seconds)
            fcntl.flock(looking, fcntl.LOCK_UN)

        monkeypatch.setattr("rag.actions.rebuild_lock.time.sleep", look_away)
        with only_rebuild():
            assert pauses == [PAUSE]


def test_looking_without_pause_refuses_no_rebuild() -> None:
    done, seen = threading.Event(), set()

    def look() -> None:
        while not done.is_set():
            seen.add(rebuild_is_running())

    eyes = [threading.Thread(target=look) for _ in range(2)]
    for eye in eyes:
        eye.start()
    try:
        for _ in range(200):
            with only_rebuild():
                assert rebuild_is_running()
    finally:
        done.set()
        for eye in eyes:
            eye.join()
    assert False in seen
