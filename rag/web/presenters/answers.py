"""An accepted answer as its page shows it: quotations with provenance, and what is gone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import ClassVar, Final

from rag.core.citations import Sight
from rag.core.sources import Governed, Standing, State, standing
from rag.models import Answer, Revision
from rag.queries.answers import Cited, Opened, StatedNow, selection_of
from rag.web.presenters.citations import approval_words, markdown, plain, reference_of, words
from rag.web.presenters.facts import FactsTable, facts_table
from rag.web.presenters.notices import Notice, notices
from rag.web.presenters.results import passage_url
from rag.web.presenters.standings import Chip, day_words, standing_chip, window_words

_WORDS: Final = ("no", "one", "two", "three")
_GONE: Final = MappingProxyType(
    {
        Sight.WITHDRAWN: "A passage that stood here was withdrawn. It is not shown any more.",
        Sight.ERASED: "A passage that stood here was erased.",
        Sight.NOT_AVAILABLE: "A passage that stood here is not available to you.",
        Sight.ALTERED: "What was quoted here does not stand in its source any more as it was "
        "recorded, so it is not shown. Tell an admin of this site.",
    }
)


@dataclass(frozen=True)
class Quotation:
    """A quotation that is shown, with all that stands beside it."""

    is_shown: ClassVar[bool] = True
    number: int
    quote: str
    language: str
    title: str
    section: str
    chip: Chip
    notices: tuple[Notice, ...]
    url: str
    reference: str
    plain: str
    markdown: str


@dataclass(frozen=True)
class Provenance:
    """Where the quotations of these numbers come from: one version of a source."""

    numbers: str
    title: str
    version: str
    window: str
    approved: str
    owner: str
    sha256: str

    @property
    def short_sha256(self) -> str:
        """The digest as the eye compares it; the whole one stands in the citation."""
        return f"{self.sha256[:4]} {self.sha256[4:8]} … {self.sha256[-4:]}"


@dataclass(frozen=True)
class Gone:
    """A place whose quotation is not shown: what happened, and nothing else."""

    is_shown: ClassVar[bool] = False
    number: int
    chip: Chip
    sentence: str


@dataclass(frozen=True)
class Accepted:
    """The middle of the page; ``places`` in the order of the record, ``facts`` before them."""

    summary: str
    places: tuple[Quotation | Gone, ...]
    provenance: tuple[Provenance, ...]
    facts: FactsTable

    @property
    def has_gaps(self) -> bool:
        """Whether a passage is not shown any more: what stands now can be asked for."""
        return not all(place.is_shown for place in self.places)


@dataclass(frozen=True)
class _Shown:
    """A quotation or fact that is shown, by its mark, and what it comes from."""

    mark: str
    revision: Revision
    governed: Governed


def accepted(
    answer: Answer, citations: Sequence[Cited], facts: Sequence[StatedNow], today: date, site: str
) -> Accepted:
    """The answer as it may be shown now; ``site`` is scheme and host of the addresses."""
    shown = [cited for cited in citations if cited.sight.shows_text]
    places = tuple(_place(cited, answer, shown, today, site) for cited in citations)
    opened = [(str(cited.number), cited.opened) for cited in shown if cited.opened]
    quoted = [_Shown(mark, each.revision, each.governed) for mark, each in opened]
    known = [
        _Shown(fact.letter, fact.revision, fact.governed)
        for fact in facts
        if fact.revision and fact.sight.shows_text
    ]
    gone = {"fact": len(facts) - len(known), "passage": len(places) - len(quoted)}
    summary = _summary(answer, known, quoted, gone)
    table = facts_table(facts, answer, today, site)
    return Accepted(summary, places, tuple(_provenance([*known, *quoted])), table)


def _place(
    cited: Cited, answer: Answer, shown: Sequence[Cited], today: date, site: str
) -> Quotation | Gone:
    if cited.opened and cited.sight.shows_text:
        found = notices(cited, cited.opened, answer, shown, today)
        return _quotation(cited.number, cited.opened, found, today, site)
    kind = "bad" if cited.sight is Sight.ALTERED else "still"
    return Gone(cited.number, Chip(cited.sight.value, kind), _GONE[cited.sight])


def _quotation(
    number: int, opened: Opened, found: tuple[Notice, ...], today: date, site: str
) -> Quotation:
    citation, revision = opened.citation, opened.revision
    reference = reference_of(citation, revision, opened.section, site)
    return Quotation(
        number=number,
        quote=citation.quote,
        language=revision.language,
        title=revision.title,
        section=reference.section,
        chip=standing_chip(opened.governed, today),
        notices=found,
        url=passage_url(revision.document_id, citation.start_char, citation.end_char),
        reference=words(reference),
        plain=plain(citation.quote, reference),
        markdown=markdown(citation.quote, reference),
    )


def _provenance(shown: Sequence[_Shown]) -> Iterator[Provenance]:
    """One for each version that is shown, in the order of its first quotation or fact."""
    marks: dict[int, list[str]] = {}
    for each in shown:
        marks.setdefault(each.revision.pk, []).append(each.mark)
    revisions = {each.revision.pk: each.revision for each in shown}
    for key, revision in revisions.items():
        yield Provenance(
            numbers=", ".join(marks[key]),
            title=revision.title,
            version=revision.version,
            window=_window(revision),
            approved=approval_words(revision),
            owner=revision.owner,
            sha256=revision.source_sha256,
        )


def _window(revision: Revision) -> str:
    if revision.state != State.APPROVED.value:
        return f"no longer: {revision.state}"
    return window_words(revision.valid_from, revision.valid_until)


def _summary(
    answer: Answer, facts: Sequence[_Shown], quoted: Sequence[_Shown], gone: Mapping[str, int]
) -> str:
    """``In force on 30 November 2026 · two passages from two sources``."""
    shown = [*facts, *quoted]
    places = {standing(each.governed, answer.as_of) for each in shown}
    in_force = places == {Standing.IN_FORCE} and not selection_of(answer).archive
    when = f"{'In force on' if in_force else 'Asked as of'} {day_words(answer.as_of)}"
    kinds = {"fact": len(facts), "passage": len(quoted)}
    counts = " and ".join(_counted(count, noun) for noun, count in kinds.items() if count)
    sources = _counted(len({each.revision.source_id for each in shown}), "source")
    left = [f"{_counted(count, noun)} not shown any more" for noun, count in gone.items() if count]
    return " · ".join([when, *([f"{counts} from {sources}"] if shown else []), *left])


def _counted(count: int, noun: str) -> str:
    number = _WORDS[count] if count < len(_WORDS) else str(count)
    return f"{number} {noun}{'' if count == 1 else 's'}"
