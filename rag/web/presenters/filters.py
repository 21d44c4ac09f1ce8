"""The filters of a search as pills: what each is set to, and what it could be set to."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Final

from rag.core.retrieval import Mode
from rag.core.sources import Status
from rag.queries.filters import Filters
from rag.web.forms.search import Search

RANKINGS: Final = MappingProxyType(
    {
        Mode.HYBRID: ("words and meaning", "the usual one"),
        Mode.DENSE: ("meaning", "finds other words for the same thing"),
        Mode.LEXICAL: ("words", "finds exactly what you type, such as a code"),
    }
)
ARCHIVE: Final = MappingProxyType(
    {
        Status.SUPERSEDED: "superseded",
        Status.HISTORICAL: "historical",
        Status.CURRENT: "current, whatever its days",
    }
)
# More names than this do not fit into a pill.
NAMED: Final = 3


@dataclass(frozen=True)
class Choice:
    """One value of a filter."""

    value: str
    label: str
    chosen: bool
    hint: str = ""


@dataclass(frozen=True)
class Pill:
    """One filter; ``changed``: it is not set as it is at first."""

    name: str
    label: str
    value: str
    changed: bool
    choices: tuple[Choice, ...]


def pills_of(
    search: Search, filters: Filters, granted: frozenset[str], day: date
) -> dict[str, Pill]:
    """The four filters by name."""
    return {
        pill.name: pill
        for pill in (
            _scope(search, filters, granted),
            _product(search, filters),
            _time(search, day),
            _ranking(search),
        )
    }


def _scope(search: Search, filters: Filters, granted: frozenset[str]) -> Pill:
    chosen = granted & frozenset(search.scopes)
    names = sorted({choice.name for choice in filters.scopes} | chosen)
    return Pill(
        name="scope",
        label="Scope",
        value=listed(sorted(chosen)) if search.scopes else everything(granted),
        changed=bool(search.scopes),
        choices=tuple(Choice(name, name, name in chosen) for name in names),
    )


def _product(search: Search, filters: Filters) -> Pill:
    names = sorted({*filters.products, search.product} - {""})
    return Pill(
        name="product",
        label="Product",
        value=search.product or "any",
        changed=bool(search.product),
        choices=(
            Choice("", "any product", not search.product),
            *(Choice(name, name, name == search.product) for name in names),
        ),
    )


def _time(search: Search, day: date) -> Pill:
    archive = search.selection.archive
    return Pill(
        name="archive",
        label="Archive" if archive else "In force on",
        value=listed([status.value for status in search.statuses])
        if archive
        else f"{day.day} {day:%b} {day.year}",
        changed=archive or search.as_of is not None,
        choices=tuple(
            Choice(status.value, label, status in search.statuses)
            for status, label in ARCHIVE.items()
        ),
    )


def _ranking(search: Search) -> Pill:
    return Pill(
        name="mode",
        label="Ranking",
        value=RANKINGS[search.mode][0],
        changed=search.mode is not Mode.HYBRID,
        choices=tuple(
            Choice(mode.value, label, mode is search.mode, hint)
            for mode, (label, hint) in RANKINGS.items()
        ),
    )


def listed(names: Sequence[str]) -> str:
    """A few names, or how many there are."""
    if not names:
        return "none"
    return ", ".join(names) if len(names) <= NAMED else f"{len(names)} chosen"


def everything(names: frozenset[str]) -> str:
    """A few names, or that it is all of them."""
    return listed(sorted(names)) if len(names) <= NAMED else f"all {len(names)}"
