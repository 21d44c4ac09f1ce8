"""GET /search/: the whole page, or the part below the field for htmx."""

from collections.abc import Mapping
from typing import Final

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from rag.actions.profiles import default_policy
from rag.actions.searching import Found
from rag.actions.searching import search as find
from rag.core.retrieval import Options
from rag.core.roles import Permission
from rag.core.sources import Access
from rag.queries.filters import Filters, filters_among, filters_of, newest_texts
from rag.queries.reading import reading
from rag.queries.results import review_days
from rag.web.access import access_of, permitted
from rag.web.forms.search import PER_PAGE, Search, SearchForm, has_word
from rag.web.fragments import HtmxRequest, is_fragment
from rag.web.parts import site_parts
from rag.web.presenters.search import (
    Outcome,
    SearchPage,
    nothing_of,
    outcome_of,
    page_of,
    shown_hits,
    start_of,
)

RECENT: Final = 5


@permitted(Permission.SEARCH)
@require_safe
def search(request: HtmxRequest) -> HttpResponse:
    """The search that the address names, and nothing that is kept elsewhere."""
    form = SearchForm(request.GET)
    asked, errors, typed = form.search(), form.sentences(), request.GET.get("q", "")
    if is_fragment(request) and not has_word(typed):
        errors = {name: sentence for name, sentence in errors.items() if name != "q"}
    with reading():  # filters and hits are of one state
        page = _page(asked, access_of(request, asked.as_of), typed, errors)
    if is_fragment(request):
        return _fragment(request, page)
    return render(request, "search.html", {"page": page}, status=400 if errors else 200)


def _page(asked: Search, access: Access, typed: str, errors: Mapping[str, str]) -> SearchPage:
    found = None if errors else _found(asked, access)
    outcome = Outcome("refused") if errors else _outcome(asked, access, found)
    return page_of(asked, access, _filters(asked, access, found), outcome, typed, errors)


def _found(asked: Search, access: Access) -> Found | None:
    """What is found, where there is something to search for and to search in."""
    narrowed = asked.narrowed(access)
    if not asked.q or not narrowed.scopes:
        return None
    # One more than is shown says whether there is a next page.
    options = Options(asked.mode, default_policy(), k=asked.page * PER_PAGE + 1)
    return find(asked.q, narrowed, asked.selection, options, site_parts())


def _outcome(asked: Search, access: Access, found: Found | None) -> Outcome:
    """What stands below the field for a search that makes sense."""
    if found is not None:
        due = review_days({hit.revision for hit in shown_hits(asked, found)})
        return outcome_of(asked, found, due, access.as_of)
    if not access.scopes:
        return Outcome("ungranted")
    if asked.q:
        return nothing_of(asked)
    newest = newest_texts(asked.narrowed(access), asked.selection, RECENT)
    return start_of(newest, access.as_of)


def _filters(asked: Search, access: Access, found: Found | None) -> Filters:
    """What the search has read to rank is all that is eligible, unless it was narrowed."""
    if found is None or asked.scopes or asked.product:
        return filters_of(access, asked.selection)
    return filters_among(found.eligible)


def _fragment(request: HtmxRequest, page: SearchPage) -> HttpResponse:
    """The part below the field, and the address that goes with it.

    Typing replaces the address, so that Back does not go through every letter; a filter or the
    button adds one. A search without an address of its own (it makes no sense) changes nothing.
    """
    response = render(request, "_search.html", {"page": page})
    address = page.search.url()
    unchanged = page.errors or address == request.htmx.current_url_abs_path
    header = "HX-Replace-Url" if request.headers.get("X-Typing") else "HX-Push-Url"
    response[header] = "false" if unchanged else address
    return response
