"""What a search can be narrowed to: computed from the asker's own eligible revisions alone."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from django.db.models import QuerySet

from rag.core.sources import Access, Selection
from rag.models import Revision
from rag.queries.eligibility import eligible_revisions
from rag.queries.groups import Group, eligible_groups


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
    """The filters for that day and archive view, whatever product is selected."""
    return filters_among(eligible_groups(access, replace(selection, product="")))


def filters_among(groups: Iterable[Group]) -> Filters:
    """The filters where exactly this is eligible."""
    found = [group for group in groups if group.has_passages]
    by_scope = groupby(found, key=lambda group: group.scope)
    scopes = tuple(_choice(name, list(members)) for name, members in by_scope)
    return Filters(scopes, tuple(sorted({group.product for group in found} - {""})))


def _choice(scope: str, groups: Sequence[Group]) -> ScopeChoice:
    sources = set().union(*(group.sources for group in groups))
    approvals = (group.newest for group in groups if group.newest)
    return ScopeChoice(scope, len(sources), max(approvals, default=None))


def newest_texts(access: Access, selection: Selection, count: int) -> list[Revision]:
    """The eligible texts that were approved last, without their texts."""
    rows = texts(access, selection).order_by("-approved_at", "pk")
    keys = list(rows.values_list("pk", flat=True)[:count])  # keys alone are quick to sort
    found = Revision.objects.defer("text").select_related("source__scope").in_bulk(keys)
    return [found[key] for key in keys]


def texts(access: Access, selection: Selection) -> QuerySet[Revision]:
    """The eligible revisions that can be found: facts have no passages."""
    return eligible_revisions(access, selection).exclude(kind=Revision.Kind.FACTS)
