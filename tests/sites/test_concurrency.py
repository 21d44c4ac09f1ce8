"""Readers, askers and rebuilds at once: one whole index per request, and no lock errors."""

import json
import signal
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.sites.store import (
    MISSING,
    OPERATOR,
    QUESTIONS,
    Store,
    changed_site,
    end_started,
    old_site,
    write_documents,
)
from tests.sites.test_crash import publishing

READERS: Final = 4
EACH: Final = 250
EDITIONS: Final = range(2, 5)
DIGESTS: Final[tuple[str, ...]] = ("digests", *QUESTIONS)
REBUILD: Final = ("rebuild", "--json")


@pytest.fixture(autouse=True)
def no_child_stays() -> Iterator[None]:
    yield
    end_started()


def edition(folder: Path, number: int) -> tuple[str, ...]:
    """The import of a new edition of a third of the documents, in force from its own day."""
    files = write_documents(folder / str(number), range(1, 61, 3), number)
    return (
        "import_sources", str(files), *OPERATOR, "--approve", "--valid-from", f"2026-02-0{number}"
    )  # fmt: skip


@cache
def states() -> list[list[str]]:
    """The digests of each state that the index goes through when nobody else is there."""
    folder = old_site().home.parent / "editions"
    steps: list[tuple[str, ...]] = [DIGESTS]
    for number in EDITIONS:
        steps += [edition(folder, number), REBUILD, DIGESTS]
    printed = old_site().copy(folder / "site").steps(*steps)
    return [json.loads(text) for text, step in zip(printed, steps, strict=True) if step == DIGESTS]


def ended(child: "subprocess.Popen[str]") -> dict[str, Any]:
    """The JSON on the last line of a child that must have ended well."""
    out, err = child.communicate(timeout=120)
    assert child.returncode == 0, err
    result: dict[str, Any] = json.loads(out.splitlines()[-1])
    return result


def wait_for_embedding(store: Store, done: int = 16) -> None:
    """Until the running rebuild has stored a batch."""
    for _ in range(1200):
        stage, stored = store.stage()
        if stage == "embed" and stored >= done:
            return
        time.sleep(0.05)
    pytest.fail("the rebuild did not come to embed")


def slow_rebuild(store: Store, seconds: str) -> "subprocess.Popen[str]":
    child = store.start("crash_rebuild", "plain", EMBED_SECONDS=seconds)
    wait_for_embedding(store)
    return child


def test_a_thousand_searches_during_rebuilds_each_see_one_whole_index(tmp_path: Path) -> None:
    store, stop = old_site().copy(tmp_path / "site"), tmp_path / "stop"
    known = {digest for state in states() for digest in state}
    readers = [
        store.start("crash_reader", str(EACH), str(stop), *QUESTIONS) for _ in range(READERS)
    ]
    for reader in readers:
        assert reader.stdout and reader.stdout.readline() == "ready\n"
    store.steps(*(step for number in EDITIONS for step in (edition(tmp_path, number), REBUILD)))
    stop.touch()
    results = [ended(reader) for reader in readers]
    found = sum((Counter(result["found"]) for result in results), Counter[str]())
    print(f"{sum(result['searched'] for result in results)} searches, {len(found)} results")
    assert [error for result in results for error in result["errors"]] == []
    assert set(found) <= known
    assert sum(found.values()) >= READERS * EACH
    assert all(len(result["found"]) > len(QUESTIONS) for result in results)


def test_each_edition_is_a_state_of_its_own() -> None:
    assert len({digest for state in states() for digest in state}) == sum(map(len, states()))


def asking(store: Store, stop: Path) -> "subprocess.Popen[str]":
    """Twenty threads that stand ready to ask."""
    askers = store.start("crash_asker", str(stop), QUESTIONS[0])
    assert askers.stdout and askers.stdin and askers.stdout.readline() == "ready\n"
    return askers


def begin(askers: "subprocess.Popen[str]") -> None:
    assert askers.stdin
    askers.stdin.write("go\n")
    askers.stdin.flush()


def test_twenty_askers_wait_for_a_writer_and_none_finds_the_database_locked(
    tmp_path: Path,
) -> None:
    store = old_site().copy(tmp_path / "site")
    (tmp_path / "stop").touch()
    askers = asking(store, tmp_path / "stop")
    writer = sqlite3.connect(store.database, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    begin(askers)
    time.sleep(4)
    assert writer.execute("SELECT count(*) FROM rag_answer").fetchone() == (0,)
    writer.execute("ROLLBACK")
    writer.close()
    assert ended(askers) == {"asked": 20, "errors": []}
    assert store.sql("SELECT count(*) FROM rag_answer") == [(20,)]


def test_askers_and_rebuilds_do_not_lock_each_other_out(tmp_path: Path) -> None:
    store = old_site().copy(tmp_path / "site")
    askers = asking(store, tmp_path / "stop")
    begin(askers)
    while not store.sql("SELECT id FROM rag_answer LIMIT 1"):
        assert askers.poll() is None, askers.communicate()
        time.sleep(0.05)
    store.steps(edition(tmp_path, 2), REBUILD, edition(tmp_path, 3), REBUILD)
    (tmp_path / "stop").touch()
    result = ended(askers)
    assert result["errors"] == []
    assert store.sql("SELECT count(*) FROM rag_answer") == [(result["asked"],)]
    assert store.outcomes() == ["done"] * 3
    assert len(store.sql("SELECT DISTINCT manifest FROM rag_answer")) >= 2


def test_a_second_rebuild_says_that_one_is_running_and_ends_with_3(tmp_path: Path) -> None:
    store = changed_site().copy(tmp_path / "site")
    first = slow_rebuild(store, "0.1")
    second = store.manage("rebuild")
    sentence = "Another rebuild is running on this site. Wait for it to end.\n"
    assert (second.returncode, second.stdout, second.stderr) == (3, "", sentence)
    first.kill()
    first.communicate()
    assert store.rebuild()["chunks"] == len(store.sql("SELECT id FROM rag_chunk"))
    assert store.outcomes() == ["done", "interrupted", "done"]


@pytest.mark.parametrize("kind", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_embedding_ends_the_rebuild_with_the_old_index(
    tmp_path: Path, kind: signal.Signals
) -> None:
    store = changed_site().copy(tmp_path / "site")
    child = slow_rebuild(store, "0.05")
    child.send_signal(kind)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (1, ""), err
    assert err.splitlines()[-1] == "Stopped. The index is as it was; what was embedded is kept."
    assert store.outcomes() == ["done", "cancelled"]
    assert store.searches() == changed_site().searches()
    stored = len(store.passages())
    assert store.rebuild()["embedded"] == 240 + MISSING - stored


def test_a_signal_that_comes_with_the_commit_does_not_deny_the_new_index(tmp_path: Path) -> None:
    recorded, stopped = (changed_site().copy(tmp_path / name) for name in ("a", "b"))
    log = tmp_path / "statements"
    assert recorded.child("crash_rebuild", "record", str(log)).returncode == 0
    _, commit = publishing(json.loads(log.read_text()))
    done = stopped.child("crash_rebuild", "terminate", str(commit + 1))
    assert stopped.searches() == recorded.searches()
    assert done.returncode == 0, done.stderr
