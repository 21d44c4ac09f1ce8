"""What to know about a quotation, under it: in the words of its source where there are any."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Final

from django.urls import reverse

from rag.core.citations import Sight, exceptions_after, table_head, whole_sentences
from rag.core.conflicts import disagree
from rag.core.sources import Governed, Standing, standing
from rag.models import Answer
from rag.queries.answers import Cited, Opened, selection_of
from rag.web.presenters.standings import day_words, window_words

# A sentence of more characters is read better in its source.
LONGEST_SENTENCE: Final = 1200


@dataclass(frozen=True)
class Notice:
    """A sentence of the site, then ``words`` of the source, then a link to what it speaks of."""

    lead: str
    text: str = ""
    words: str = ""
    url: str = ""
    link: str = ""
    kind: str = ""  # class in the style sheet; empty warns


def notices(
    cited: Cited, opened: Opened, answer: Answer, shown: Sequence[Cited], today: date
) -> tuple[Notice, ...]:
    """The notices of one quotation; ``shown`` are those that the person sees, itself included."""
    place = cited.sight, opened.governed, opened.in_force_today
    found = [*_columns(opened), *standing_notices(*place, answer, today)]
    for warning in opened.citation.warnings:
        if warning == "sources disagree":
            found += _conflicts(opened, shown)
        else:
            found.append(_RECORDED.get(warning, _unknown(warning))(opened, answer))
    return tuple(found)


def _columns(opened: Opened) -> list[Notice]:
    """What the cells of a quoted table row are."""
    citation, text = opened.citation, opened.revision.text
    span = table_head(text, citation.start_char) if "|" in citation.quote else None
    words = text[slice(*span)] if span else ""
    return [Notice("A row of a table. Its columns:", words=words, kind="calm")] if span else []


def standing_notices(
    sight: Sight, governed: Governed, in_force_today: str, answer: Answer, today: date
) -> Iterator[Notice]:
    """Where a version stands today, and on the day asked for, if that is not in force.

    ``in_force_today`` is the document id of another version that is.
    """
    if sight is Sight.MARKED:
        state = governed.state.value
        yield Notice(f"No longer served: {state}.", "You see it because you review sources.")
        return
    place = standing(governed, today)
    if place is not Standing.IN_FORCE:
        url = reverse("source", args=[in_force_today]) if in_force_today else ""
        link = "Open the version in force today" if url else ""
        sentence = _window_sentence(governed, place)
        yield Notice(f"Today: {place.value}.", sentence, url=url, link=link)
    archive = selection_of(answer).archive
    if not archive and standing(governed, answer.as_of) is not Standing.IN_FORCE:
        day = day_words(answer.as_of)
        yield Notice(f"Not in force on {day}.", "Its window was changed after you asked.")


def _window_sentence(governed: Governed, place: Standing) -> str:
    start, end = governed.valid_from, governed.valid_until
    if place is Standing.HISTORICAL or start is None:
        return "It is kept for the record and in force on no day."
    if place is Standing.NOT_YET:
        return f"It will be in force {window_words(start, end)}."
    return f"It was in force {window_words(start, end)}."


def _conflicts(opened: Opened, shown: Iterable[Cited]) -> list[Notice]:
    """Named only while what it disagrees with is shown as well."""
    others = [
        str(other.number)
        for other in shown
        if other.opened
        and other.opened.revision.source_id != opened.revision.source_id
        and disagree(opened.citation.quote, other.opened.citation.quote)
    ]
    which = " and ".join(others)
    text = f"Quotation {which} states other figures." if len(others) == 1 else ""
    text = f"Quotations {which} state other figures." if len(others) > 1 else text
    return [Notice("The sources disagree.", text)] if others else []


def _partial(opened: Opened, answer: Answer) -> Notice:
    citation, text = opened.citation, opened.revision.text
    start, end = whole_sentences(text, citation.start_char, citation.end_char)
    if end - start > LONGEST_SENTENCE:
        return Notice("Part of a sentence.", "Read on in the source before you rely on it.")
    return Notice("Part of a sentence. The whole of it:", words=text[start:end])


def _exception(opened: Opened, answer: Answer) -> Notice:
    span = exceptions_after(opened.revision.text, opened.citation.end_char)
    words = opened.revision.text[slice(*span)] if span else ""
    return Notice("The passage goes on with an exception.", words=words)


def archive_notice(answer: Answer) -> Notice:
    """What the archive view says of all that it finds."""
    day = day_words(answer.as_of)
    return Notice("Asked in the archive.", f"It need not have been in force on {day}.")


def _unknown(warning: str) -> Callable[[Opened, Answer], Notice]:
    return lambda opened, answer: Notice(f"{warning[:1].upper()}{warning[1:]}.")


_RECORDED: Final[Mapping[str, Callable[[Opened, Answer], Notice]]] = MappingProxyType(
    {
        "partial sentence": _partial,
        "the passage goes on with an exception": _exception,
        "not in force": lambda opened, answer: archive_notice(answer),
    }
)
