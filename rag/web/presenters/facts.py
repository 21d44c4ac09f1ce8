"""Product facts of an answer: a small table with their sources, and the citation to copy."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import ClassVar, Final

from django.urls import reverse

from rag.core.citations import Sight
from rag.core.product_questions import contradicts
from rag.models import Answer, Revision
from rag.queries.answers import StatedNow, fact_of
from rag.web.presenters.citations import approval_words, escaped, one_line, reference_window
from rag.web.presenters.notices import Notice, archive_notice, standing_notices
from rag.web.presenters.standings import Chip, standing_chip

_GONE: Final = MappingProxyType(
    {
        Sight.WITHDRAWN: "A fact that stood here was withdrawn. It is not shown any more.",
        Sight.ERASED: "A fact that stood here was erased.",
        Sight.NOT_AVAILABLE: "A fact that stood here is not available to you.",
        Sight.ALTERED: "What stood here is not in its source any more as it was recorded, so it is "
        "not shown. Tell who runs this site.",
    }
)


@dataclass(frozen=True)
class FactRow:
    """A fact that is shown, with all that stands beside it; ``title`` is that of its source."""

    is_shown: ClassVar[bool] = True
    letter: str
    product: str
    name: str
    value: str
    title: str
    url: str
    chip: Chip
    notices: tuple[Notice, ...]


@dataclass(frozen=True)
class GoneFact:
    """A fact that is not shown: what happened, and nothing else."""

    is_shown: ClassVar[bool] = False
    letter: str
    chip: Chip
    sentence: str


@dataclass(frozen=True)
class FactsTable:
    """The facts in the order of the record, and the citation of those that are shown."""

    rows: tuple[FactRow | GoneFact, ...]
    plain: str
    markdown: str


def facts_table(facts: Sequence[StatedNow], answer: Answer, today: date, site: str) -> FactsTable:
    """The facts as they may be shown now; ``site`` is scheme and host of the addresses."""
    rows = tuple(_row(fact, facts, answer, today) for fact in facts)
    shown = [(fact, fact.revision) for fact in facts if fact.revision and fact.sight.shows_text]
    return FactsTable(
        rows=rows,
        plain="\n".join(_plain(fact, revision, site) for fact, revision in shown),
        markdown="\n".join(_markdown(fact, revision, site) for fact, revision in shown),
    )


def _row(
    fact: StatedNow, facts: Sequence[StatedNow], answer: Answer, today: date
) -> FactRow | GoneFact:
    if fact.revision is None or not fact.sight.shows_text:
        kind = "bad" if fact.sight is Sight.ALTERED else "still"
        return GoneFact(fact.letter, Chip(fact.sight.value, kind), _GONE[fact.sight])
    citation = fact.citation
    return FactRow(
        letter=fact.letter,
        product=citation.product,
        name=_name(citation.name),
        value=citation.value,
        title=fact.revision.title,
        url=_url(fact.revision),
        chip=standing_chip(fact.governed, today),
        notices=tuple(_notices(fact, facts, answer, today)),
    )


def _notices(
    fact: StatedNow, facts: Sequence[StatedNow], answer: Answer, today: date
) -> Iterator[Notice]:
    yield from standing_notices(fact.sight, fact.governed, fact.in_force_today, answer, today)
    if "not in force" in fact.citation.warnings:
        yield archive_notice(answer)
    others = [other for other in facts if other.sight.shows_text and _differs(fact, other)]
    if "sources disagree" in fact.citation.warnings and others:
        which = " and ".join(other.letter for other in others)
        yield Notice("The sources disagree.", f"Compare {which}.")


def _differs(one: StatedNow, other: StatedNow) -> bool:
    return contradicts(*(fact_of(each.citation) for each in (one, other)))


def _name(name: str) -> str:
    """A name as people write it: ``battery life``."""
    return name.replace("_", " ")


def _url(revision: Revision) -> str:
    return reverse("source", args=[revision.document_id])


def _plain(fact: StatedNow, revision: Revision, site: str) -> str:
    title, address = one_line(revision.title), f"{site}{_url(revision)}"
    return f"{_statement(fact)} — {', '.join([title, *_details(fact, revision), address])}"


def _markdown(fact: StatedNow, revision: Revision, site: str) -> str:
    title = f"[{escaped(one_line(revision.title))}]({site}{_url(revision)})"
    about = ", ".join([title, *map(escaped, _details(fact, revision))])
    return f"- {escaped(_statement(fact))} — {about}"


def _statement(fact: StatedNow) -> str:
    """The fact on one line, its name as it is stored."""
    citation = fact.citation
    return one_line(f"{citation.product}, {citation.name}: {citation.value}")


def _details(fact: StatedNow, revision: Revision) -> list[str]:
    approved = approval_words(revision)
    return [
        f"version {revision.version}",
        f"[{fact.citation.label}]",
        reference_window(revision),
        *([f"approved {approved}"] if approved else []),
        f"SHA-256 {fact.citation.source_sha256}",
    ]
