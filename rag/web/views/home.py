"""GET /: on to what is open to the person, or the page of an account that nothing is open to."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from rag.core.roles import WITHIN_REVIEW
from rag.web.access import person_of
from rag.web.fragments import is_fragment
from rag.web.navigation import first_open


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The first page that is open. It is not remembered: a role may come or go at any time."""
    person = person_of(request)
    entry = first_open(person)
    if entry is not None:
        return redirect(entry.view)
    template = "_no_role.html" if is_fragment(request) else "no_role.html"
    return render(request, template, {"has_role": any(map(person.has_perm, WITHIN_REVIEW))})
