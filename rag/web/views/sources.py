"""The catalogue of sources, one source, its exact text, and who can read it."""

from typing import Final

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from rag.core.roles import Permission
from rag.queries.readers import granted
from rag.queries.reading import reading
from rag.queries.sources import (
    answers_quoting,
    in_force_by_scope,
    listed,
    opened,
    revisions_by_key,
    versions,
)
from rag.web.access import access_of, permitted, person_of
from rag.web.forms.sources import CatalogueForm, passages_in
from rag.web.fragments import is_fragment
from rag.web.presenters.catalogue import row
from rag.web.presenters.comparisons import comparison, other_version
from rag.web.presenters.readers import readers_page
from rag.web.presenters.sources import source_page

PER_PAGE: Final = 50


@permitted(Permission.SEARCH)
@require_safe
def sources(request: HttpRequest) -> HttpResponse:
    """What the person may open, filtered; for htmx the list alone."""
    reviews = _reviews(request)
    with reading():
        access = access_of(request)
        form = CatalogueForm(request.GET, access.scopes)
        keys = listed(access, reviews, form.wanted()) if form.is_valid() else []
        page = Paginator(keys, PER_PAGE).get_page(request.GET.get("page"))
        rows = [row(revision, access.as_of) for revision in revisions_by_key(list(page))]
        context = {"form": form, "page": page, "rows": rows, "day": access.as_of}
        if is_fragment(request):
            return render(request, "_sources.html", context)
        counts = in_force_by_scope(access)
    context |= {"counts": counts, "scopes": access.scopes}
    return render(request, "sources.html", context, status=400 if form.errors else 200)


@permitted(Permission.SEARCH)
@require_safe
def source(request: HttpRequest, document_id: str) -> HttpResponse:
    """One revision; ``?start=&end=`` marks passages, ``?compare=`` names another version."""
    reviews, person = _reviews(request), person_of(request)
    with reading():
        access = access_of(request)
        revision = opened(document_id, access, reviews)
        siblings = versions(revision, access, reviews)
        answers = answers_quoting(revision, person)
        other = other_version(request.GET.get("compare", ""), revision, siblings)
        if other:
            other = opened(other.document_id, access, reviews)
    passages = passages_in(request.GET, len(revision.text))
    context = {
        "page": source_page(revision, siblings, access, passages, answers),
        "comparison": comparison(revision, other, siblings) if other else None,
        "approves": person.has_perm(Permission.APPROVE),
        "reviews": reviews,
    }
    return render(request, "source.html", context)


@permitted(Permission.SEARCH)
@require_safe
def source_text(request: HttpRequest, document_id: str) -> HttpResponse:
    """The exact text that every offset counts in, as a file of its own."""
    with reading():
        revision = opened(document_id, access_of(request), _reviews(request))
    response = HttpResponse(revision.text, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = "inline"
    return response


@permitted(Permission.APPROVE)
@require_safe
def readers(request: HttpRequest, document_id: str) -> HttpResponse:
    """Who can read this today: for who approves in its scope."""
    with reading():
        revision = opened(document_id, access_of(request), _reviews(request))
        page = readers_page(revision, granted(revision))
    context = {"page": page, "revision": revision}
    return render(request, "readers.html", context)


def _reviews(request: HttpRequest) -> bool:
    return person_of(request).has_perm(Permission.REVIEW)
