"""The page of one revision under review, made ready for its template."""

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from rag.admin.changes import Difference, difference
from rag.admin.comparison import FactRow, Known, digests, facts, known, metadata
from rag.admin.texts import revealed
from rag.core.sources import State
from rag.core.unseen import count_unseen, mixed_scripts
from rag.models import AuditEvent, Revision
from rag.queries.eligibility import place
from rag.queries.reviewing import Closing, Effect, Review
from rag.web.presenters.details import language_tag, summary
from rag.web.presenters.standings import Chip, day_words, standing_chip
from rag.web.presenters.texts import front_and_body

# Of words that mix scripts so many are named; one is enough to look closely.
NAMED: Final = 8
UNINDEXED: Final = "It is not indexed yet: the next rebuild makes it ready."


@dataclass(frozen=True)
class Caution:
    """What to look at closely before approving."""

    lead: str
    words: str


@dataclass(frozen=True)
class Closed:
    """A version whose window the approval ends, and when."""

    name: str
    url: str
    words: str


@dataclass(frozen=True)
class Entry:
    """One line of the record."""

    at: str
    words: str


@dataclass(frozen=True)
class ReviewPage:
    """Everything that the page shows. ``obstacle`` is why it cannot be approved now, or empty."""

    document_id: str
    title: str
    heading: SafeString
    scope: str
    state: str
    chip: Chip
    summary: tuple[str, ...]
    reason: str
    cautions: tuple[Caution, ...]
    language: str
    front: SafeString
    text_title: str
    text: SafeString
    text_sha256: str
    facts: tuple[FactRow, ...]
    compared: bool
    difference: Difference | None
    first_day: str
    last_day: str
    closes: tuple[Closed, ...]
    obstacle: str
    can_request: bool
    known: tuple[Known, ...]
    metadata: tuple[Known, ...]
    digests: tuple[tuple[str, str], ...]
    record: tuple[Entry, ...]

    @property
    def pending(self) -> bool:
        return self.state == State.PENDING.value

    @property
    def approved(self) -> bool:
        return self.state == State.APPROVED.value


def review_page(found: Review, day: date) -> ReviewPage:
    """The page as it stands on that day."""
    revision, effect = found.revision, found.effect
    front, text = front_and_body(revision)
    obstacle = _obstacle(revision, effect)
    return ReviewPage(
        document_id=revision.document_id,
        title=revision.title,
        heading=revealed(revision.title),
        scope=revision.source.scope.name,
        state=revision.state,
        chip=standing_chip(place(revision), day),
        summary=summary(revision),
        reason=revision.reason,
        cautions=tuple(_cautions(revision)),
        language=language_tag(revision.language),
        front=revealed(front),
        text_title=_text_title(revision),
        text=revealed(text),
        text_sha256=revision.text_sha256,
        facts=tuple(facts(revision, found.earlier)),
        compared=found.earlier is not None,
        difference=_difference(revision, found.earlier),
        first_day=day_words(effect.first),
        last_day=_last_day(effect),
        closes=tuple(map(_closed, effect.closings)),
        obstacle=obstacle,
        can_request=obstacle == UNINDEXED and not revision.approval_requested_by,
        known=tuple(known(revision, found.earlier)),
        metadata=tuple(metadata(revision, found.earlier)),
        digests=tuple(digests(revision)),
        record=tuple(map(_entry, found.events)),
    )


def _text_title(revision: Revision) -> str:
    """What the text is to a reader: only what was approved at some time was ever quoted."""
    if revision.kind == Revision.Kind.FACTS:
        return "The file"
    if revision.state == State.PENDING.value:
        return "The text, as it will be quoted"
    if revision.state == State.APPROVED.value:
        return "The text, as it is quoted"
    return "The text, as it was quoted" if revision.approved_at else "The text"


def _obstacle(revision: Revision, effect: Effect) -> str:
    """Why an approval would be refused; ``actions.governing`` decides, this only foretells."""
    if not effect.possible:
        return (
            f"It would never be in force: its window ends on {_end(effect)}. It needs a new "
            "version that says valid_from."
        )
    if revision.indexed:
        return ""
    requested = revision.approval_requested_by
    if requested:
        return f"{UNINDEXED} It then is approved at once, as {requested} has requested."
    return UNINDEXED


def _last_day(effect: Effect) -> str:
    if effect.last is None:
        return "no end"
    return f"{_end(effect)}, because a later version is approved" if effect.early else _end(effect)


def _end(effect: Effect) -> str:
    return day_words(effect.last) if effect.last else ""


def _closed(closing: Closing) -> Closed:
    old = closing.revision
    never = "is in force on no day any more: it is replaced on its own first day or before"
    until = f"ends on {day_words(closing.day)}"
    before = f", instead of {day_words(old.valid_until)}" if old.valid_until else ""
    return Closed(
        name=old.version,
        url=reverse("admin:rag_revision_change", args=[old.document_id]),
        words=never if closing.never else until + before,
    )


def _cautions(revision: Revision) -> Iterator[Caution]:
    unseen = count_unseen(revision.text)
    if unseen:
        places = "1 character" if unseen == 1 else f"{unseen} characters"
        yield Caution(f"{places} cannot be seen.", "Each is named where it stands in the text.")
    mixed = mixed_scripts(revision.text)
    if mixed:
        words = "; ".join(map(_spelt, mixed[:NAMED])) + ("; and others" if mixed[NAMED:] else "")
        yield Caution("Letters of different scripts are mixed:", words)
    if not revision.canonical:
        yield Caution("This is a copy.", "A search leaves copies out.")


def _spelt(word: str) -> str:
    """The word with the names of the letters in it that only look like Latin ones."""
    names = dict.fromkeys(unicodedata.name(letter, "").lower() for letter in word)
    odd = [name for name in names if name.startswith(("cyrillic", "greek"))]
    return f"{word} ({', '.join(odd)})"


def _difference(revision: Revision, earlier: Revision | None) -> Difference | None:
    """The words that changed; facts stand in a table of old and new values instead."""
    if earlier is None or revision.kind == Revision.Kind.FACTS:
        return None
    return difference(revision, earlier)


_ACTIONS: Final = {
    "import": "imported by",
    "request_approval": "approval requested by",
    "approve": "approved by",
    "reject": "rejected by",
    "withdraw": "withdrawn by",
    "supersede": "superseded, approved by",
}


def _entry(event: AuditEvent) -> Entry:
    at = timezone.localtime(event.at)
    words = _ACTIONS.get(event.action, f"{event.action} by")
    return Entry(f"{day_words(at.date())}, {at:%H:%M}", f"{words} {event.actor}")
