"""When the next review of a found revision is due: read for all results at once."""

from collections.abc import Collection
from datetime import date
from typing import Final

from rag.models import Attribute

# Front matter says by it when the owner must look at the source again.
REVIEW_DUE: Final = "review_due"


def review_days(revisions: Collection[int]) -> dict[int, date]:
    """The next review of revisions by their keys, where known; what is no ISO day says nothing."""
    rows = Attribute.objects.filter(revision__in=revisions, key=REVIEW_DUE)
    days: dict[int, date] = {}
    for key, value in rows.values_list("revision_id", "value"):
        try:
            day = date.fromisoformat(value)
        except ValueError:
            continue
        days[key] = min(day, days.get(key, day))
    return days
