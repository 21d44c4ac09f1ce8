"""What a result says of its revision beside the hit: read for all results at once."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from rag.models import Attribute, Revision

# Front matter says by it when the owner must look at the source again.
REVIEW_DUE: Final = "review_due"


@dataclass(frozen=True)
class OnRecord:
    """When a revision was approved and when its next review is due, where that is known."""

    approved_at: datetime | None
    review_due: date | None


def on_record(revisions: Collection[int]) -> dict[int, OnRecord]:
    """Approval and review day of the revisions by their keys; two queries."""
    due = _review_days(revisions)
    rows = Revision.objects.filter(pk__in=revisions).values_list("pk", "approved_at")
    return {key: OnRecord(approved_at, due.get(key)) for key, approved_at in rows}


def _review_days(revisions: Collection[int]) -> dict[int, date]:
    """The first day of each; a value that is no ISO day says nothing."""
    rows = Attribute.objects.filter(revision__in=revisions, key=REVIEW_DUE)
    days: dict[int, date] = {}
    for key, value in rows.values_list("revision_id", "value"):
        try:
            day = date.fromisoformat(value)
        except ValueError:
            continue
        days[key] = min(day, days.get(key, day))
    return days
