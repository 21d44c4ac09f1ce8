"""``kill -9`` of a rebuild at any point leaves the old index whole or the new one whole.

A dry run records every statement of the rebuild; the kills are spread over it, by statement, by
tick inside of a statement, and (with strace) by system call while SQLite commits.
"""

import json
import os
import re
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.sites.store import MISSING, SEARCHES, Done, Store, changed_site, paid, sha256

WORKERS: Final = 2
BEFORE: Final = (0.02, 0.25, 0.5, 0.75, 0.99)
INSIDE: Final = (0.0, 0.12, 0.25, 0.38, 0.5, 0.62, 0.75, 0.88, 1.0)
TICKS: Final = (0.25, 0.5, 0.75)
AFTER: Final = (0.01, 0.5, 1.0)
COMMITTING: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
# Not to the very end: how many pages are written differs by a few between runs.
CHECKPOINTING: Final = (0.0, 0.4, 0.8)
TRACED: Final = "trace=pwrite64,fsync,fdatasync,access,faccessat,faccessat2"


class Point(NamedTuple):
    """Where a kill happens: how it is counted, where in the run, and how far into that."""

    how: str
    where: str
    share: float

    def __str__(self) -> str:
        return f"{self.how}-{self.where}-{self.share:.0%}"


STATEMENTS: Final = [
    *(Point("statement", "before", share) for share in BEFORE),
    *(Point("statement", "publish", share) for share in INSIDE),
    *(Point("tick", "publish", share) for share in TICKS),
    *(Point("statement", "after", share) for share in AFTER),
]
CALLS: Final = [
    *(Point("pwrite64", "publish", share) for share in COMMITTING),
    Point("sync", "publish", 1.0),
    *(Point("pwrite64", "checkpoint", share) for share in CHECKPOINTING),
    Point("sync", "checkpoint", 0.0),
]


@dataclass(frozen=True)
class Reference:
    """The rebuild as it is when nobody disturbs it, and how long each part of it takes."""

    old: dict[str, Any]
    new: dict[str, Any]
    paid: frozenset[str]
    statements: list[tuple[str, int]]

    def number(self, point: Point) -> int:
        """The statement or tick, counted from 1, at which ``point`` kills."""
        begin, commit = publishing(self.statements)
        spans = {"before": (0, begin), "publish": (begin + 1, commit)}
        first, last = spans.get(point.where, (commit + 1, len(self.statements) - 1))
        if point.how == "statement":
            return between(first, last, point.share) + 1
        return between(self.statements[first][1], self.statements[last][1], point.share) + 1


@dataclass(frozen=True)
class Aftermath:
    """What was found after one kill."""

    killed: Done
    outcomes: list[str]
    looked: dict[str, Any]
    paid: list[str]
    paid_again: list[str]
    outcomes_after: list[str]


def between(first: int, last: int, share: float) -> int:
    """The whole number that far from ``first`` to ``last``, both included."""
    return first + round((last - first) * share)


def publishing(statements: Sequence[tuple[str, int]]) -> tuple[int, int]:
    """Indexes of the BEGIN and the COMMIT around the statement that writes the manifest."""
    verbs = [sql for sql, _ in statements]
    manifest = next(i for i, sql in enumerate(verbs) if sql.startswith('UPDATE "rag_manifest"'))
    begin = max(i for i, sql in enumerate(verbs[:manifest]) if sql.startswith("BEGIN IMMEDIATE"))
    return begin, verbs.index("COMMIT", manifest)


def look(store: Store, file: Path) -> dict[str, Any]:
    """Search, check, rebuild and search again, as the next processes of the site would."""
    done = store.child("crash_after", json.dumps(SEARCHES), env={"PAID_FILE": str(file)})
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@cache
def reference() -> Reference:
    folder = changed_site().home.parent / "crash"
    undisturbed = changed_site().copy(folder / "undisturbed")
    old = look(changed_site().copy(folder / "old"), folder / "unused")
    log, file = folder / "statements.json", folder / "paid"
    done = undisturbed.child("crash_rebuild", "record", str(log), env={"PAID_FILE": str(file)})
    assert done.returncode == 0, done.stderr
    needed = frozenset(paid(file))
    statements = [(sql, ticks) for sql, ticks in json.loads(log.read_text())]
    return Reference(old, look(undisturbed, folder / "unused"), needed, statements)


def killed_by_itself(store: Store, point: Point, file: Path) -> Done:
    number = str(reference().number(point))
    return store.child("crash_rebuild", point.how, number, env={"PAID_FILE": str(file)})


def killed_by_strace(store: Store, point: Point, file: Path) -> Done:
    call, number = calls()[point]
    filters = ("-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}")
    return traced(store, filters, "plain", file, Path(os.devnull))


def traced(store: Store, filters: Sequence[str], mode: str, file: Path, log: Path) -> Done:
    command = ["strace", "-f", "-qq", "-o", str(log), *filters]
    command += Store.command("crash_rebuild", mode)
    return store.run(command, {"PAID_FILE": str(file)})


@cache
def calls() -> dict[Point, tuple[str, int]]:
    """Which call each point is, as (name, number of that name), from an undisturbed run."""
    folder = changed_site().home.parent / "crash-calls"
    store = changed_site().copy(folder / "site")
    log = folder / "log"
    done = traced(store, ("-e", TRACED), "mark", folder / "paid", log)
    assert done.returncode == 0, done.stderr
    _, commit = publishing(reference().statements)
    # Statements count from 1 in the log; after the checkpoint the run's row is written once more.
    verbs = [sql for sql, _ in reference().statements]
    checkpoint = next(i for i, sql in enumerate(verbs) if "wal_checkpoint" in sql)
    spans = {"publish": commit + 1, "checkpoint": checkpoint + 1}
    numbered = list(numbered_calls(log.read_text().splitlines()))
    found = {}
    for point in CALLS:
        inside = [
            (call, number)
            for call, number, statement in numbered
            if call.endswith(point.how) and statement == spans[point.where]
        ]
        assert inside, f"{point}: no such call in an undisturbed run"
        found[point] = inside[between(0, len(inside) - 1, point.share)]
    return found


def numbered_calls(lines: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """(call, its number among its kind, the statement it belongs to) from strace's log."""
    seen: Counter[str] = Counter()
    statement = 0
    for line in lines:
        mark = re.search(r'"/statement/\w+/(\d+)"', line)
        call = re.search(r"\b(pwrite64|fdatasync|fsync)\(", line)
        if mark:
            statement = int(mark.group(1))
        elif call:
            seen[call.group(1)] += 1
            yield call.group(1), seen[call.group(1)], statement


Kill = Callable[[Store, Point, Path], Done]
Kills = dict[Point, "Future[Aftermath]"]


def aftermath(point: Point, kill: Kill, folder: Path) -> Aftermath:
    """Kill a rebuild of a copy of the changed site at ``point`` and look at what is left."""
    store = changed_site().copy(folder / str(point))
    first, second = store.home / "paid-1", store.home / "paid-2"
    killed = kill(store, point, first)
    assert killed.returncode == -signal.SIGKILL, f"{point}: {killed}"
    journal = store.copy(folder / f"{point}-seen")  # the log is recovered by ``look``, not here
    looked = look(store, second)
    return Aftermath(
        killed, journal.outcomes(), looked, paid(first), paid(second), store.outcomes()
    )


def in_pairs(points: Sequence[Point], kill: Kill, folder: Path) -> Kills:
    """All kills, two at a time; what went wrong with one is raised by who asks for it."""
    changed_site(), reference()
    with ThreadPoolExecutor(WORKERS) as pool:
        return {point: pool.submit(aftermath, point, kill, folder) for point in points}


@pytest.fixture(scope="module")
def kills(tmp_path_factory: pytest.TempPathFactory) -> Kills:
    return in_pairs(STATEMENTS, killed_by_itself, tmp_path_factory.mktemp("kills"))


@pytest.fixture(scope="module")
def call_kills(tmp_path_factory: pytest.TempPathFactory) -> Kills:
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    probe = changed_site().run(["strace", "-f", "-qq", "-e", "trace=none", "true"])
    if probe.returncode:
        refuse = pytest.fail if os.environ.get("CI") else pytest.skip
        refuse(f"strace may not trace here: {probe.stderr.strip()}")
    calls()
    return in_pairs(CALLS, killed_by_strace, tmp_path_factory.mktemp("call-kills"))


def check_whole(after: Aftermath) -> None:
    """The index is the old or the new one, with its approvals, and the next run completes it."""
    sides = [reference().old, reference().new]
    side = next(s for s in sides if s["searches"] == after.looked["searches"])
    assert after.looked["governed"] == side["governed"]
    assert after.looked["check"] == side["check"]
    assert after.looked["integrity"] == ["ok"]
    assert after.looked["broken_event"] is None
    assert after.looked["searches_after"] == reference().new["searches"]
    assert after.looked["check_after"] == []


def check_nothing_paid_twice(after: Aftermath) -> None:
    """What is stored is never embedded again, and at most the batch under way is lost."""
    stored = {sha256(text) for text in after.looked["stored"]}
    assert set(after.paid_again) == reference().paid - stored
    assert after.looked["rebuild"]["embedded"] == len(after.paid_again)
    assert len(after.paid) + len(after.paid_again) <= len(reference().paid) + 16


def check_recorded(after: Aftermath) -> None:
    """The killed run's row says so once the next run holds the lock that died with it."""
    seen = ["interrupted" if outcome == "running" else outcome for outcome in after.outcomes]
    assert after.outcomes in (["done", "running"], ["done", "done"])
    assert after.outcomes_after == [*seen, "done"]


@pytest.mark.parametrize("point", STATEMENTS, ids=str)
def test_a_kill_at_a_statement_leaves_one_whole_index(point: Point, kills: Kills) -> None:
    check_whole(kills[point].result())


@pytest.mark.parametrize("point", STATEMENTS, ids=str)
def test_after_a_kill_at_a_statement_nothing_is_paid_twice(point: Point, kills: Kills) -> None:
    check_nothing_paid_twice(kills[point].result())


@pytest.mark.parametrize("point", STATEMENTS, ids=str)
def test_a_kill_at_a_statement_is_recorded_by_the_next_run(point: Point, kills: Kills) -> None:
    check_recorded(kills[point].result())


@pytest.mark.parametrize("point", STATEMENTS, ids=str)
def test_the_new_index_comes_with_the_commit_and_not_before(point: Point, kills: Kills) -> None:
    side = reference().new if point.where == "after" else reference().old
    assert kills[point].result().looked["searches"] == side["searches"]


def test_the_kills_are_spread_over_the_run() -> None:
    numbers = {point: reference().number(point) for point in STATEMENTS}
    inside = [p for p in STATEMENTS if p.where == "publish"]
    assert len(reference().paid) == MISSING
    assert len({(point.how, number) for point, number in numbers.items()}) >= 20
    assert len({(point.how, numbers[point]) for point in inside}) >= 10
    assert reference().old["searches"] != reference().new["searches"]


@pytest.mark.parametrize("point", CALLS, ids=str)
def test_a_kill_while_sqlite_writes_leaves_one_whole_index(point: Point, call_kills: Kills) -> None:
    check_whole(call_kills[point].result())
    if point.where == "checkpoint":
        assert call_kills[point].result().looked["searches"] == reference().new["searches"]


@pytest.mark.parametrize("point", CALLS, ids=str)
def test_after_a_kill_while_sqlite_writes_nothing_is_paid_twice(
    point: Point, call_kills: Kills
) -> None:
    check_nothing_paid_twice(call_kills[point].result())
    check_recorded(call_kills[point].result())
