"""The search page: what was searched, what was found, and what helps if nothing was."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.urls import reverse

from rag.actions.searching import Found
from rag.core.hits import Hit
from rag.core.retrieval import Mode
from rag.core.sources import Access, Status
from rag.models import Revision
from rag.queries.filters import Filters
from rag.web.forms.search import PAGES, PER_PAGE, Search
from rag.web.presenters.filters import Pill, everything, listed, pills_of
from rag.web.presenters.results import Result, local_day, results_of, short_day


@dataclass(frozen=True)
class Way:
    """A link to another search, and the words that say which."""

    words: str
    url: str


@dataclass(frozen=True)
class Searched:
    """What the rail says: only what this person may read counts."""

    scopes: str
    texts: int
    kind: str
    newest: str


@dataclass(frozen=True)
class Recent:
    """A text that was approved lately."""

    title: str
    url: str
    scope: str
    approved: str


@dataclass(frozen=True)
class Outcome:
    """What stands below the field. ``state``: start, ungranted, refused, none or found."""

    state: str
    line: str = ""
    announced: str = ""
    notice: str = ""
    results: tuple[Result, ...] = ()
    recent: tuple[Recent, ...] = ()
    ways: tuple[Way, ...] = ()
    previous: str = ""
    next: str = ""
    last: bool = False


@dataclass(frozen=True)
class SearchPage:
    """Everything that the templates of the search show."""

    search: Search
    typed: str
    day: date
    errors: Mapping[str, str]
    pills: Mapping[str, Pill]
    changed: int
    clear_url: str
    left_out: bool
    searched: Searched
    outcome: Outcome

    @property
    def title(self) -> str:
        return f"{self.search.q} · Search" if self.search.q else "Search"

    @property
    def archive(self) -> bool:
        return self.search.selection.archive


def page_of(
    search: Search,
    access: Access,
    filters: Filters,
    outcome: Outcome,
    typed: str,
    errors: Mapping[str, str],
) -> SearchPage:
    """The page of a search by ``access``, which holds all that the person may read."""
    pills = pills_of(search, filters, access.scopes, access.as_of)
    return SearchPage(
        search=search,
        typed=typed,
        day=access.as_of,
        errors=errors,
        pills=pills,
        changed=sum(pill.changed for pill in pills.values()),
        clear_url=Search(q=search.q).url(),
        left_out=not set(search.scopes) <= access.scopes,
        searched=searched_of(search, access, filters),
        outcome=outcome,
    )


def searched_of(search: Search, access: Access, filters: Filters) -> Searched:
    """What the rail says of a search."""
    scopes = search.narrowed(access).scopes
    choices = filters.of(scopes)
    newest = max((choice.newest for choice in choices if choice.newest), default=None)
    return Searched(
        scopes=listed(sorted(scopes)) if search.scopes else everything(scopes),
        texts=sum(choice.sources for choice in choices),
        kind="in the archive" if search.selection.archive else "in force",
        newest=f"approved {short_day(local_day(newest), access.as_of)}" if newest else "",
    )


def start_of(recent: Sequence[Revision], day: date) -> Outcome:
    """The page before anything was typed."""
    return Outcome("start", recent=tuple(_recent(revision, day) for revision in recent))


def outcome_of(search: Search, found: Found, due: Mapping[int, date], day: date) -> Outcome:
    """The results of one page, or what helps if there are none."""
    hits = shown_hits(search, found)
    if not hits:
        return nothing_of(search, found.notice)
    more = len(found.hits) > search.page * PER_PAGE
    return Outcome(
        state="found",
        line=_line(search, hits, more),
        announced=counted(len(hits), "result"),
        notice=found.notice,
        results=results_of(hits, due, search.q, found.languages, day),
        previous=search.url(page=search.page - 1) if search.page > 1 else "",
        next=search.url(page=search.page + 1) if more and search.page < PAGES else "",
        last=more and search.page == PAGES,
    )


def shown_hits(search: Search, found: Found) -> tuple[Hit, ...]:
    """The hits of the page that is asked for."""
    return found.hits[(search.page - 1) * PER_PAGE : search.page * PER_PAGE]


def nothing_of(search: Search, notice: str = "") -> Outcome:
    """No result, and which other searches may have one. Nothing here depends on what is hidden."""
    return Outcome("none", announced="No results", notice=notice, ways=tuple(_ways(search)))


def counted(number: int, noun: str) -> str:
    """``1 result``, ``4 results``."""
    return f"{number} {noun}" + ("" if number == 1 else "s")


def _line(search: Search, hits: Sequence[Hit], more: bool) -> str:
    sources = counted(len({hit.source_id for hit in hits}), "source")
    if search.page == 1 and not more:
        return f"{counted(len(hits), 'passage')} in {sources}"
    first = (search.page - 1) * PER_PAGE + 1
    return f"Passages {first} to {first + len(hits) - 1}, in {sources}"


def _ways(search: Search) -> Iterator[Way]:
    """Every filter that is set can be taken off; then what was not tried."""
    if search.page > 1:
        yield Way("Back to the first page", search.url(page=1))
        return
    if search.scopes:
        yield Way("Search all your scopes", search.url(scopes=()))
    if search.product:
        yield Way("Search every product", search.url(product=""))
    if search.selection.archive:
        yield Way("Search what is in force", search.url(statuses=()))
    elif search.as_of:
        yield Way("Search what is in force today", search.url(as_of=None))
    if search.mode is not Mode.HYBRID:
        yield Way("Rank by words and meaning", search.url(mode=Mode.HYBRID))
    if not search.selection.archive:
        old = (Status.SUPERSEDED, Status.HISTORICAL)
        yield Way("Look in the archive", search.url(statuses=old))


def _recent(revision: Revision, day: date) -> Recent:
    approved = revision.approved_at
    return Recent(
        title=revision.title,
        url=reverse("source", args=[revision.document_id]),
        scope=revision.source.scope.name,
        approved=f"approved {short_day(local_day(approved), day)}" if approved else "",
    )
