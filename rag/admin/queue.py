"""The queue of revisions, made ready for its template."""

from dataclasses import dataclass
from datetime import date

from django.db.models import QuerySet

from rag.core.sources import Access, State
from rag.models import Revision
from rag.web.presenters.catalogue import FACTS, Row, listed
from rag.web.presenters.results import local_day
from rag.web.presenters.standings import Chip, day_words, record_window


@dataclass(frozen=True)
class Summary:
    """What the reviewer may read, and how much of it waits."""

    scopes: tuple[str, ...]
    waiting: int
    unindexed: int


def row(revision: Revision, day: date) -> Row:
    """The row of a revision as it stands on that day."""
    imported = day_words(local_day(revision.imported_at))
    about = (
        f"Version {revision.version}",
        record_window(revision),
        f"imported on {imported} by {revision.imported_by}",
    )
    return listed(revision, day, "admin:rag_revision_change", about, _chips(revision))


def _chips(revision: Revision) -> list[Chip]:
    pending = revision.state == State.PENDING.value
    requested = revision.approval_requested_by
    chips = [
        (revision.kind == Revision.Kind.FACTS, FACTS),
        (not revision.canonical, Chip("copy", "still")),
        (pending and not revision.indexed, Chip("not indexed yet", "warning")),
        (pending and bool(requested), Chip(f"approval requested by {requested}", "")),
    ]
    return [chip for wanted, chip in chips if wanted]


def summary(access: Access, rows: QuerySet[Revision]) -> Summary:
    """Counts over the rows, which are those that the reviewer may read."""
    waiting = rows.filter(state=State.PENDING.value)
    scopes = tuple(sorted(access.scopes))
    return Summary(scopes, waiting.count(), waiting.filter(indexed=False).count())
