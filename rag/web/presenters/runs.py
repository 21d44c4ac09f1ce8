"""Rebuilds in words: the one under way, and how the last ones ended."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any, Final

from django.utils import timezone

from rag.actions.rebuild_lock import rebuild_is_running
from rag.actions.starting import LOG, is_starting
from rag.models import RebuildRun
from rag.queries.runs import last_runs, running_runs, unanswered_start
from rag.web.presenters.standings import Chip

Outcome = RebuildRun.Outcome
# A batch of 16 passages takes a second or two; publishing a large index took 20.
SILENT: Final = timedelta(seconds=60)
_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        Outcome.DONE: "ok",
        Outcome.FAILED: "bad",
        Outcome.CANCELLED: "warning",
        Outcome.INTERRUPTED: "warning",
    }
)
_STAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "": "Loading the model",
        "chunk": "Cutting the sources into passages",
        "embed": "Embedding new passages",
        "publish": "Putting the new index in place",
    }
)
_DEAD: Final = (
    "Its process ended without a word. The index is as it was; what was embedded is kept, and the "
    "next rebuild goes on from there."
)


@dataclass(frozen=True)
class Progress:
    """The rebuild under way, if there is one: only then the page asks again."""

    live: bool
    lead: str
    stage: str = ""
    done: int = 0
    total: int = 0
    sign: str = ""
    warning: str = ""

    @property
    def count(self) -> str:
        """How much of the stage is done, where the stage has parts to count."""
        return f"{self.done:,} of {self.total:,}" if self.total > 1 else ""


@dataclass(frozen=True)
class RunRow:
    """One rebuild that has ended. ``sentences`` say what went wrong."""

    chip: Chip
    when: str
    figures: tuple[str, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Runs:
    """The rebuild under way and the ended ones, the newest first."""

    progress: Progress
    ended: tuple[RunRow, ...]


def runs(now: datetime) -> Runs:
    """What the lock and the rows say together.

    A killed rebuild leaves a row that says "running" for ever; its lock is free. A row that said
    so before the lock was seen to be free, and says so still, has nobody to change it: a rebuild
    notes its end before it lets go of the lock.
    """
    before, held, rows = running_runs(), rebuild_is_running(), last_runs()
    alive = next((run for run in rows[:1] if _goes_on(run, before, held)), None)
    ended = tuple(_row(run, now) for run in rows if run is not alive)
    return Runs(_progress(alive, held, now), ended)


def _goes_on(run: RebuildRun, before: frozenset[int], held: bool) -> bool:
    return run.outcome == Outcome.RUNNING and (held or run.pk not in before)


def _progress(run: RebuildRun | None, held: bool, now: datetime) -> Progress:
    if run is None:
        if held or is_starting():
            return Progress(live=True, lead="A rebuild is starting")
        return Progress(live=False, lead="No rebuild is running", warning=_not_begun(now))
    silence = now - run.heartbeat
    return Progress(
        live=True,
        lead="A rebuild is running",
        stage=_STAGES.get(run.stage, run.stage),
        done=run.done,
        total=run.total,
        sign=f"Began {moment(run.started_at, now)}; last sign of life {length(silence)} ago",
        warning="It has been silent for long, but its process is there." * (silence > SILENT),
    )


def _not_begun(now: datetime) -> str:
    """What to know of a start that came to nothing."""
    asked = unanswered_start()
    if asked is None:
        return ""
    when = moment(asked, now)
    return f"The rebuild asked for {when} has not begun. See {LOG} in the site's folder."


def _row(run: RebuildRun, now: datetime) -> RunRow:
    dead = run.outcome == Outcome.RUNNING
    outcome = Outcome.INTERRUPTED.value if dead else run.outcome
    killed = outcome == Outcome.INTERRUPTED
    words = (_DEAD if killed else run.error, *run.report.get("warnings", ()))
    return RunRow(
        chip=Chip(outcome, _KINDS[outcome]),
        when=moment(run.started_at, now),
        figures=(_took(run), *_numbers(run.report)),
        sentences=tuple(filter(None, words)),
    )


def _took(run: RebuildRun) -> str:
    seconds = run.report.get("seconds")
    known = timedelta(seconds=seconds) if seconds is not None else run.heartbeat - run.started_at
    return length(known)


def _numbers(report: Mapping[str, Any]) -> Iterator[str]:
    """The figures of a rebuild that came to its end; those that are nought are left out."""
    for name in ("chunks", "embedded", "reused", "removed"):
        if report.get(name):
            yield f"{report[name]:,} {name}"
    if report.get("approved"):
        yield f"{len(report['approved']):,} approved"
    if report.get("refused"):
        yield f"{len(report['refused']):,} not approved"


def moment(when: datetime, now: datetime) -> str:
    """A time for people, in the site's zone: ``today, 06:00`` or ``24 February 2026, 06:00``."""
    local, today = timezone.localtime(when), timezone.localtime(now).date()
    day = "today" if local.date() == today else f"{local.day} {local:%B %Y}"
    return f"{day}, {local:%H:%M}"


def length(time: timedelta) -> str:
    """A duration for people: ``0.4 s``, ``42 s``, ``3 min 5 s``, ``2 h 7 min``."""
    seconds = max(time.total_seconds(), 0.0)
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
