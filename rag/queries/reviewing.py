"""What a reviewer looks at: the queue, and what stands around one revision."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from django.db.models import QuerySet

from rag.core.sources import Access, Governed, Standing, State, closing_day, own_end, standing
from rag.models import AuditEvent, Revision
from rag.queries.eligibility import place, readable_revisions
from rag.queries.sources import opened


@dataclass(frozen=True)
class Closing:
    """An approved revision whose window an approval ends on ``day``."""

    revision: Revision
    day: date

    @property
    def never(self) -> bool:
        """Replaced on its own first day or before: no day is left on which it is in force."""
        return self.revision.valid_from is not None and self.day < self.revision.valid_from


@dataclass(frozen=True)
class Effect:
    """What an approval does: the first and last day of the revision, and what it closes.

    ``early``: the last day is not its own, a later successor is approved already.
    """

    first: date
    last: date | None
    early: bool
    closings: tuple[Closing, ...]

    @property
    def possible(self) -> bool:
        """Whether there is a day on which the revision would be in force."""
        return self.last is None or self.first <= self.last


@dataclass(frozen=True)
class Review:
    """A revision with everything that its page shows. ``earlier`` is what it is compared with."""

    revision: Revision
    earlier: Revision | None
    effect: Effect
    events: tuple[AuditEvent, ...]


def reviewable(access: Access) -> QuerySet[Revision]:
    """Every revision that the reviewer may read, without its text, the newest import first."""
    rows = readable_revisions(access, reviews=True).defer("text")
    return rows.select_related("source__scope").order_by("-imported_at", "-pk")


def review(document_id: str, access: Access) -> Review:
    """The revision as its page shows it; ``NotFound`` if it is missing or may not be read."""
    revision = opened(document_id, access, reviews=True)
    siblings = siblings_of(revision)
    return Review(
        revision=revision,
        earlier=earlier(revision, siblings, access.as_of),
        effect=effect_of_approval(revision, siblings, access.as_of),
        events=_events(revision, siblings),
    )


def siblings_of(revision: Revision) -> list[Revision]:
    """The other revisions of its source, in the order of their import."""
    rows = Revision.objects.filter(source=revision.source).exclude(pk=revision.pk)
    return list(rows.select_related("source__scope").order_by("pk"))


def effect_of_approval(revision: Revision, siblings: Iterable[Revision], day: date) -> Effect:
    """What approving the revision on that day does; ``actions.governing`` does exactly this."""
    first = revision.valid_from or day
    new = replace(place(revision), state=State.APPROVED, valid_from=first)
    others = [other for other in siblings if other.state == State.APPROVED.value]
    last = own_end(new, map(place, others))
    return Effect(first, last, last != revision.valid_until, closings(others, new))


def closings(olds: Iterable[Revision], new: Governed) -> tuple[Closing, ...]:
    """Which windows reach the first day of ``new``, and the day before it on which they end."""
    ends = [(old, closing_day(place(old), new)) for old in olds]
    return tuple(Closing(old, end) for old, end in ends if end is not None)


def earlier(revision: Revision, siblings: Iterable[Revision], day: date) -> Revision | None:
    """The approved revision to compare with, or None.

    For a pending one that is the one in force on that day, else the latest; for others the
    latest that began before them.
    """
    others = [other for other in siblings if other.state == State.APPROVED.value]
    if revision.state == State.PENDING.value:
        served = [other for other in others if standing(place(other), day) is Standing.IN_FORCE]
        return _latest(served) or _latest(others)
    return _latest([other for other in others if _age(other) < _age(revision)])


def _latest(revisions: Sequence[Revision]) -> Revision | None:
    return max(revisions, key=_age, default=None)


def _age(revision: Revision) -> tuple[date, int]:
    return revision.valid_from or date.max, revision.pk


def _events(revision: Revision, siblings: Iterable[Revision]) -> tuple[AuditEvent, ...]:
    """What is on record about the revision, the oldest first.

    An event names a revision by its document id. That it was superseded is found by the document
    that did it: the subject alone could be another source's. In older events it is ``id@version``.
    """
    own = AuditEvent.objects.filter(details__document_id=revision.document_id)
    closed = AuditEvent.objects.filter(
        action="supersede",
        subject__in=(str(revision), f"{revision.source.source_id}@{revision.version}"),
        details__by__in=[other.document_id for other in siblings],
    )
    return tuple((own | closed).order_by("pk"))
