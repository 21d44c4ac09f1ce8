"""A page with one form that leads to one use case."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect

from rag.admin.pages import GovernedAdmin
from rag.core.errors import InvalidText, NotAllowed
from rag.web.access import person_of


def posted(request: HttpRequest) -> QueryDict | None:
    """What a form is bound to: nothing while the page is only looked at."""
    return request.POST if request.method == "POST" else None


def acted(
    pages: GovernedAdmin,
    request: HttpRequest,
    form: Form,
    act: Callable[[str], str],
    context: dict[str, Any],
    back: str,
    template: str = "admin/form.html",
) -> HttpResponse:
    """Act on a valid form and go back, or show the form with what is wrong.

    ``act`` gets the actor's name and gives the sentence to show. A refusal of the use case
    stands above the form, in which nothing is lost.
    """
    status = 200
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                messages.success(request, act(person_of(request).username))
            except (NotAllowed, InvalidText) as refusal:
                form.add_error(None, str(refusal))
                status = 409
            else:
                return redirect(back)
    return pages.page(request, template, {**context, "form": form, "back": back}, status)
