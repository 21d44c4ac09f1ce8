"""What a search can be narrowed to: computed from the asker's own eligible revisions alone."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Aggregate, Count, JSONField, Max, QuerySet

from rag.core.sources import Access, Selection
from rag.models import Revision
from rag.queries.eligibility import eligible_revisions


class _Values(Aggregate):
    """The values of a group as a list."""

    function = "JSON_GROUP_ARRAY"
    allow_distinct = True
    output_field = JSONField()


@dataclass(frozen=True)
class ScopeChoice:
    """A scope with what is eligible in it; ``newest`` is the latest approval."""

    name: str
    sources: int
    newest: datetime | None


@dataclass(frozen=True)
class Filters:
    """Scopes and products that have something to search, each in the order of their names."""

    scopes: tuple[ScopeChoice, ...]
    products: tuple[str, ...]

    def of(self, names: Iterable[str]) -> tuple[ScopeChoice, ...]:
        """The choices among ``names``."""
        wanted = frozenset(names)
        return tuple(choice for choice in self.scopes if choice.name in wanted)


def filters_of(access: Access, selection: Selection) -> Filters:
    """The filters for that day and archive view, whatever product is selected.

    One query, for at 5,000 revisions each one costs as much as a tenth of a search.
    """
    rows = (
        texts(access, replace(selection, product=""))
        .order_by("source__scope__name")
        .values_list("source__scope__name")
        .annotate(
            Count("source", distinct=True),
            Max("approved_at"),
            products=_Values("product", distinct=True),
        )
    )
    scopes = tuple((ScopeChoice(*row), products) for *row, products in rows)
    named = {product for _, products in scopes for product in products} - {""}
    return Filters(tuple(scope for scope, _ in scopes), tuple(sorted(named)))


def newest_texts(access: Access, selection: Selection, count: int) -> list[Revision]:
    """The eligible texts that were approved last, without their texts."""
    rows = texts(access, selection).order_by("-approved_at", "pk")
    keys = list(rows.values_list("pk", flat=True)[:count])  # keys alone are quick to sort
    found = Revision.objects.defer("text").select_related("source__scope").in_bulk(keys)
    return [found[key] for key in keys]


def texts(access: Access, selection: Selection) -> QuerySet[Revision]:
    """The eligible revisions that can be found: facts have no passages."""
    return eligible_revisions(access, selection).exclude(kind=Revision.Kind.FACTS)
