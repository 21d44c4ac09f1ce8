"""What the model admins share: a list of rows, and pages of their own for what may be done.

Django's forms for any field of a model, its history, deletions, pop-ups and autocompletes are
not among the addresses: every change goes through ``actions``.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, ClassVar

from django.contrib.admin import ModelAdmin, ShowFacets
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import PAGE_VAR, SEARCH_VAR, ChangeList
from django.db.models import Q, QuerySet
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
    QueryDict,
)
from django.shortcuts import render
from django.urls import URLPattern, path
from django.utils.http import urlencode

from rag.admin.filters import ListFilter
from rag.core.roles import Permission
from rag.queries.reading import reading
from rag.web.access import View, person_of

if TYPE_CHECKING:
    BaseAdmin = ModelAdmin[Any]
else:
    BaseAdmin = ModelAdmin


@dataclass(frozen=True)
class Page:
    """A page below the list: the last part of its name, its route, and who may open it.

    ``instead`` is the page, relative to this one, for who only looks at the address of an action:
    after a refusal, or led back there by a sign-in.
    """

    name: str
    route: str
    view: View
    permission: Permission
    methods: tuple[str, ...] = ("GET", "HEAD", "POST")
    instead: str = ""


@dataclass(frozen=True)
class Paging:
    """Where a list stands; the addresses of its neighbours are empty at the ends."""

    number: int
    total: int
    previous: str
    next: str


class GovernedAdmin(BaseAdmin):
    """The list of a model for who has ``permission``, and nothing that writes by itself."""

    permission: ClassVar[Permission]
    title: ClassVar[str]
    list_per_page = 50
    actions = None
    list_display_links = None
    sortable_by = ()
    show_facets = ShowFacets.NEVER
    show_full_result_count = False

    def pages(self) -> Iterable[Page]:
        """The pages besides the list."""
        return ()

    def context_of(self, request: HttpRequest, rows: Sequence[Any]) -> dict[str, Any]:
        """What the list's template shows besides the list itself."""
        return {"rows": rows}

    def get_urls(self) -> list[URLPattern]:
        listing = Page("changelist", "", self.changelist_view, self.permission, ("GET", "HEAD"))
        label = f"{self.opts.app_label}_{self.opts.model_name}"
        return [
            path(page.route, self._address(page), name=f"{label}_{page.name}")
            for page in (listing, *self.pages())
        ]

    def _address(self, page: Page) -> Callable[..., Any]:
        @wraps(page.view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not person_of(request).has_perm(page.permission):
                raise Http404
            if request.method in ("GET", "HEAD") and page.instead:
                return HttpResponseRedirect(page.instead)
            if request.method not in page.methods:
                return HttpResponseNotAllowed(page.methods)
            return page.view(request, *args, **kwargs)

        return self.admin_site.admin_view(checked)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """The list. Of the address only the search, the page and the filters are looked at."""
        request.GET = self._known(request.GET)  # type: ignore[assignment]  # frozen all the same
        with reading():
            try:
                listing = self.get_changelist_instance(request)
            except IncorrectLookupParameters:
                raise Http404 from None
            context = self.context_of(request, list(listing.result_list))
            context |= {"cl": listing, "paging": _paging(listing), "title": self.title}
            context["filters"] = [
                spec.shown(listing) for spec in listing.filter_specs if isinstance(spec, ListFilter)
            ]
            return self.page(request, f"admin/{self.opts.model_name}_list.html", context)

    def page(
        self, request: HttpRequest, template: str, context: dict[str, Any], status: int = 200
    ) -> HttpResponse:
        """A page in the frame of the review site."""
        whole = {**self.admin_site.each_context(request), **context}
        return render(request, template, whole, status=status)

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        """Rows with every word in one of the searched fields, whatever its case.

        By regular expression: SQLite's LIKE knows upper and lower case of ASCII letters only.
        """
        for word in search_term.split():
            found = (Q(**{f"{name}__iregex": re.escape(word)}) for name in self.search_fields)
            queryset = queryset.filter(_any(found))
        return queryset, False

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return person_of(request).has_perm(self.permission)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def _known(self, query: QueryDict) -> QueryDict:
        filters = [getattr(each, "parameter_name", "") for each in self.list_filter]
        names = [name for name in (SEARCH_VAR, PAGE_VAR, *filters) if name in query]
        return QueryDict(urlencode([(name, query.getlist(name)[-1]) for name in names]))

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        return True  # ``_known`` left only the filters


def _any(conditions: Iterable[Q]) -> Q:
    whole = Q()
    for condition in conditions:
        whole |= condition
    return whole


def _paging(listing: ChangeList) -> Paging:
    number, total = listing.page_num, listing.paginator.num_pages
    before, after = (listing.get_query_string({PAGE_VAR: number + step}) for step in (-1, 1))
    return Paging(number, total, before if number > 1 else "", after if number < total else "")
