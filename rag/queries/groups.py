"""The eligible revisions of a request, by what a search can be narrowed to.

One query serves the ranking and the lists of the filters: at 5,000 revisions reading them a
second time costs a tenth of a search.
"""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Aggregate, JSONField, Max

from rag.core.sources import Access, Selection
from rag.models import Revision
from rag.queries.eligibility import eligible_revisions


class _Array(Aggregate):
    """The values of a group as a list."""

    function = "JSON_GROUP_ARRAY"
    output_field = JSONField()


@dataclass(frozen=True)
class Group:
    """Eligible revisions that agree in what is named here, and the sources that they are of.

    Both are keys, without order; ``newest`` is the latest approval.
    """

    scope: str
    product: str
    language: str
    kind: str
    revisions: list[int]
    sources: list[int]
    newest: datetime | None

    @property
    def has_passages(self) -> bool:
        """Whether a search can find them: facts have no passages."""
        return self.kind != Revision.Kind.FACTS


def eligible_groups(access: Access, selection: Selection) -> tuple[Group, ...]:
    """All that is eligible, ordered by scope."""
    rows = (
        eligible_revisions(access, selection)
        .order_by("source__scope__name")
        .values_list("source__scope__name", "product", "language", "kind")
        .annotate(revisions=_Array("pk"), sources=_Array("source_id"), newest=Max("approved_at"))
    )
    return tuple(Group(*row) for row in rows)
