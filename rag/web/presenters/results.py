"""Hits as results: title, path, snippet with marked words, and what is known of the source."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from rag.core.hits import Hit
from rag.core.snippets import snippet
from rag.core.sources import Governed, State, Status
from rag.web.presenters.snippets import Stretch, stretches_of
from rag.web.presenters.standings import Chip, standing_chip, window_words

LONGEST_SNIPPET: Final = 280
# A review that is due so soon is said beside the result.
REVIEW_DAYS: Final = 30
SEPARATOR: Final = " › "  # of a chunk's section path
NOT_IN_FORCE: Final = Chip("not in force", "warning")


@dataclass(frozen=True)
class Result:
    """One hit as it is shown. ``about`` are short facts, ``review`` a chip or None."""

    title: str
    url: str
    path: str
    stretches: tuple[Stretch, ...]
    cut_before: bool
    cut_after: bool
    chips: tuple[Chip, ...]
    scope: str
    about: tuple[str, ...]
    review: Chip | None


def results_of(
    hits: Sequence[Hit],
    due: Mapping[int, date],
    question: str,
    languages: Sequence[str],
    day: date,
) -> tuple[Result, ...]:
    """The hits as results of a search for that day; ``due`` holds the next reviews known."""
    return tuple(_result(hit, due.get(hit.revision), question, languages, day) for hit in hits)


def short_day(day: date, near: date) -> str:
    """``24 Feb``, with the year where it is not the year of ``near``."""
    return f"{day.day} {day:%b}" + ("" if day.year == near.year else f" {day.year}")


def local_day(moment: datetime) -> date:
    """The day of a moment in the site's time zone."""
    return timezone.localtime(moment).date()


def passage_url(document_id: str, start: int, end: int) -> str:
    """The source's page with the passage marked and, without any script, in view."""
    place = urlencode({"start": start, "end": end})
    return f"{reverse('source', args=[document_id])}?{place}#m1"


def _result(
    hit: Hit, due: date | None, question: str, languages: Sequence[str], day: date
) -> Result:
    shown = snippet(hit.text, question, languages, LONGEST_SNIPPET)
    return Result(
        title=hit.title,
        url=passage_url(hit.document_id, hit.start_char, hit.end_char),
        path=_path(hit),
        stretches=stretches_of(hit.text, shown),
        cut_before=shown.cut_before,
        cut_after=shown.cut_after,
        chips=_chips(hit, day),
        scope=hit.scope,
        about=tuple(_about(hit, day)),
        review=review_chip(due, day),
    )


def _path(hit: Hit) -> str:
    """Where in the source the passage stands; the title, which stands above, is not repeated."""
    first, _, rest = hit.section.partition(SEPARATOR)
    return rest if first == hit.title else hit.section


def _chips(hit: Hit, day: date) -> tuple[Chip, ...]:
    """Where the hit stands; in the archive nothing is in force, whatever its status says."""
    if not hit.in_force:
        return NOT_IN_FORCE, Chip(hit.status, "still")
    return (standing_chip(_governed(hit), day),)


def _governed(hit: Hit) -> Governed:
    return Governed(
        scope=hit.scope,
        state=State.APPROVED,
        status=Status(hit.status),
        valid_from=_day(hit.valid_from),
        valid_until=_day(hit.valid_until),
    )


def _about(hit: Hit, day: date) -> Iterator[str]:
    yield f"Version {hit.version}"
    yield window_words(_day(hit.valid_from), _day(hit.valid_until))
    if hit.approved_at:
        yield f"approved {short_day(local_day(datetime.fromisoformat(hit.approved_at)), day)}"


def review_chip(due: date | None, day: date) -> Chip | None:
    """That the next review is near or overdue on that day."""
    if due is None or (due - day).days > REVIEW_DAYS:
        return None
    verb = "due" if due >= day else "was due"
    return Chip(f"review {verb} {short_day(due, day)}", "warning")


def _day(written: str | None) -> date | None:
    return date.fromisoformat(written) if written else None
