"""The queue of revisions, made ready for its template."""

from dataclasses import dataclass
from datetime import date

from django.db.models import QuerySet
from django.urls import reverse

from rag.core.sources import Access, State
from rag.models import Revision
from rag.queries.eligibility import place
from rag.web.presenters.results import local_day
from rag.web.presenters.standings import Chip, day_words, standing_chip, window_words


@dataclass(frozen=True)
class Row:
    """A revision of the queue. ``chips`` come after its standing and scope."""

    title: str
    url: str
    source_id: str
    scope: str
    chip: Chip
    chips: tuple[Chip, ...]
    about: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """What the reviewer may read, and how much of it waits."""

    scopes: tuple[str, ...]
    waiting: int
    unindexed: int


def row(revision: Revision, day: date) -> Row:
    """The row of a revision as it stands on that day."""
    imported = day_words(local_day(revision.imported_at))
    has_window = revision.valid_from or revision.valid_until
    return Row(
        title=revision.title,
        url=reverse("admin:rag_revision_change", args=[revision.document_id]),
        source_id=revision.source.source_id,
        scope=revision.source.scope.name,
        chip=standing_chip(place(revision), day),
        chips=tuple(_chips(revision)),
        about=(
            f"Version {revision.version}",
            *([window_words(revision.valid_from, revision.valid_until)] if has_window else []),
            f"imported on {imported} by {revision.imported_by}",
        ),
    )


def _chips(revision: Revision) -> list[Chip]:
    pending = revision.state == State.PENDING.value
    requested = revision.approval_requested_by
    chips = [
        (revision.kind == Revision.Kind.FACTS, Chip("product facts", "still")),
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
