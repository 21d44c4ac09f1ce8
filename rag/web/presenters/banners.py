"""The sentences above a source's text: what one has to know before one reads it."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from django.urls import reverse

from rag.core.sources import Access, Selection, Standing, is_eligible, standing
from rag.models import Revision
from rag.queries.eligibility import place
from rag.web.presenters.standings import day_words

_IN_FORCE: Final = Selection(canonical_only=False)
_UNSERVED: Final = {
    Standing.PENDING: ("warning", "This text waits for approval.", "Nothing is quoted from it."),
    Standing.REJECTED: ("bad", "This text was rejected.", "Nothing is quoted from it."),
    Standing.WITHDRAWN: ("bad", "This text was withdrawn.", "Nothing is quoted from it any more."),
}
_MISSING: Final = "The passage of this address is not in this text."
_UNSHOWN: Final = "What this address cites is not shown here."


@dataclass(frozen=True)
class Banner:
    """``kind`` is its class in the style sheet; ``url`` leads to what it speaks of."""

    kind: str
    lead: str
    words: str = ""
    url: str = ""
    link: str = ""


def banners(revision: Revision, siblings: Sequence[Revision], access: Access) -> Iterator[Banner]:
    """What the revision is not: served, or in force."""
    state = standing(place(revision), access.as_of)
    if state in _UNSERVED:
        yield _unserved(revision, state)
    if state is not Standing.IN_FORCE:
        yield from _elsewhere(revision, siblings, access)


def passage_banners(
    revision: Revision, missing: bool, unshown: Collection[int]
) -> Iterator[Banner]:
    """What the text does not have of that which the address cites, or has out of sight."""
    if missing:
        yield Banner("", _MISSING)
    if unshown:
        words = "It stands in the front matter or in the address of a link."
        url = reverse("source_text", args=[revision.document_id])
        yield Banner("", _UNSHOWN, words, url, "Plain text")


def _unserved(revision: Revision, state: Standing) -> Banner:
    kind, lead, words = _UNSERVED[state]
    words = f"Reason: {revision.reason}" if revision.reason else words
    url = reverse("admin:rag_revision_change", args=[revision.document_id])
    return Banner(kind, lead, words, url, "Review it")


def _elsewhere(
    revision: Revision, siblings: Sequence[Revision], access: Access
) -> Iterator[Banner]:
    """Where the text is that is in force today, or that there is none."""
    lead = _lead(revision, access.as_of)
    today = [row for row in siblings if is_eligible(place(row), access, _IN_FORCE)]
    for row in today[:1]:
        url = reverse("source", args=[row.document_id])
        yield Banner("", lead, f"Version {row.version} is in force today.", url, "Open it")
    if not today and lead:
        yield Banner("", lead, "No version is in force today.")


def _lead(revision: Revision, day: date) -> str:
    """Why an approved text does not count today."""
    state = standing(place(revision), day)
    if state is Standing.NOT_YET and revision.valid_from:
        return f"This version takes effect on {day_words(revision.valid_from)}."
    if state in (Standing.SUPERSEDED, Standing.EXPIRED) and revision.valid_until:
        return f"This version ended on {day_words(revision.valid_until)}."
    archived = (Standing.SUPERSEDED, Standing.EXPIRED, Standing.HISTORICAL)
    return "This version is not in force." if state in archived else ""
