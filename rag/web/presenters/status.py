"""The status page: what the index is made from, what waits, and what to do next."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.urls import reverse

from rag.actions.profiles import Parts
from rag.core.errors import IndexDamaged, RagError
from rag.core.index import Manifest, differences
from rag.queries.runs import Counts, counts, failed_approvals, manifest_row
from rag.web.presenters.runs import Runs, moment, runs

NO_INDEX: Final = "There is no index yet: nothing can be searched before the first rebuild."


@dataclass(frozen=True)
class Figure:
    """One number of the row at the top; ``warns`` if somebody has to do something."""

    number: int
    words: str
    warns: bool = False


@dataclass(frozen=True)
class Fact:
    """One line about the index."""

    name: str
    value: str
    code: bool = False


@dataclass(frozen=True)
class Step:
    """What to do next, and where."""

    words: str
    url: str = ""
    link: str = ""


@dataclass(frozen=True)
class StatusPage:
    """Everything that the page shows. ``faults`` are what keeps the index from being used."""

    figures: tuple[Figure, ...]
    faults: tuple[str, ...]
    steps: tuple[Step, ...]
    failed: tuple[str, ...]
    index: tuple[Fact, ...]
    runs: Runs


def status_page(parts: Parts, now: datetime, reviews: bool) -> StatusPage:
    """The state of the site for operators, who are shown everything."""
    waiting, failed = counts(), tuple(failed_approvals())
    faults, index = _index(parts, now)
    return StatusPage(
        figures=_figures(waiting, failed),
        faults=faults,
        steps=tuple(_steps(waiting, reviews)),
        failed=failed,
        index=index,
        runs=runs(now),
    )


def _figures(waiting: Counts, failed: tuple[str, ...]) -> tuple[Figure, ...]:
    rebuild = waiting.unindexed + waiting.leaving
    return (
        Figure(waiting.indexed, "texts indexed"),
        Figure(waiting.pending, "waiting for approval", waiting.pending > 0),
        Figure(rebuild, "waiting for a rebuild", rebuild > 0),
        Figure(len(failed), "approvals failed", bool(failed)),
    )


def _steps(waiting: Counts, reviews: bool) -> Iterator[Step]:
    if waiting.unindexed:
        yield Step(f"{_texts(waiting.unindexed)} new, and taken in by the next rebuild.")
    if waiting.leaving:
        yield Step(
            f"{_texts(waiting.leaving)} no longer served, and taken out by the next rebuild."
        )
    if waiting.pending:
        url = reverse("admin:index") if reviews else ""
        yield Step(f"{_texts(waiting.pending)} waiting for approval.", url, "Review")


def _texts(count: int) -> str:
    return "One text is" if count == 1 else f"{count:,} texts are"


def _index(parts: Parts, now: datetime) -> tuple[tuple[str, ...], tuple[Fact, ...]]:
    """What is wrong with the index, and what it is made from."""
    try:
        row = manifest_row()
        if row is None:
            return (NO_INDEX,), ()
        manifest, written = row
    except IndexDamaged as error:
        return (error.detail,), ()
    return tuple(_faults(manifest, parts)), tuple(_facts(manifest, moment(written, now)))


def _faults(manifest: Manifest, parts: Parts) -> Iterator[str]:
    try:
        profile = parts.embedder.profile
    except RagError as error:
        yield str(error)
        return
    for name, indexed, now in differences(manifest, profile, parts.chunking, parts.analyser):
        yield f"The index was made with {name} {indexed!r}, but {now!r} is configured. Rebuild."


def _facts(manifest: Manifest, written: str) -> Iterator[Fact]:
    yield Fact("Written", written)
    yield Fact("Chunks", f"{manifest.chunks:,}")
    yield Fact("Model", manifest.model)
    yield Fact("Provider", manifest.provider)
    yield Fact("Dimension", str(manifest.dimension))
    yield Fact("Chunking", manifest.chunking)
    yield Fact(
        "Digest", f"{manifest.digest[:4]} {manifest.digest[4:8]} … {manifest.digest[-4:]}", True
    )
