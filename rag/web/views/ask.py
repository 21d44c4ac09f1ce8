"""Asking: a form, and the redirect to the answer's own address, where a slow one arrives."""

import logging
from typing import Any, Final

from django.contrib.auth.models import User
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.http import require_http_methods

from rag.actions import waiting
from rag.actions.answering import configured_answering
from rag.actions.governing import today
from rag.actions.profiles import default_policy
from rag.core.errors import RagError
from rag.core.retrieval import Options
from rag.core.roles import Permission
from rag.queries.answers import own_answers, products_of
from rag.queries.waiting import own_waiting
from rag.web.access import access_of, permitted, person_of
from rag.web.errors import DATABASE_SILENT, Told, status_of, told
from rag.web.forms.ask import AskForm
from rag.web.parts import site_parts
from rag.web.presenters.history import HistoryRow, history_rows, pending_rows

logger = logging.getLogger("rag.web")
RECENT: Final = 5


@permitted(Permission.ASK)
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """The form; sent, it leads to the address of what is recorded, or will be."""
    if request.method == "POST":
        return _asked(request)
    names = ("q", "as_of", "product", "scope", "mode")
    given = {name: request.GET[name] for name in names if request.GET.get(name)}
    return _page(request, _form(request, initial={"as_of": today()} | given))


def _asked(request: HttpRequest) -> HttpResponse:
    form = _form(request, data=request.POST)
    if not form.is_valid():
        return _page(request, form, 422)
    access = form.narrowed(access_of(request, form.day(today())))
    how, question = Options(policy=default_policy()), form.cleaned_data["q"]
    try:
        person, selection = person_of(request), form.selection()
        who = person, question, access, selection, how
        answer_id = waiting.begin(*who, site_parts(), form.mode())
    except RagError as error:
        if status_of(error) < 500:
            raise
        logger.error("%s %s", error.code, getattr(error, "detail", error))
        return _page(request, form, 503, told(request, error))
    except DatabaseError as error:
        logger.error("database %s", error, exc_info=error)
        return _page(request, form, 503, Told(DATABASE_SILENT))
    return HttpResponseRedirect(reverse("answer", args=[answer_id]), status=303)


def _form(request: HttpRequest, **given: Any) -> AskForm:
    access = access_of(request)
    return AskForm(
        scopes=sorted(access.scopes),
        products=products_of(access),
        modes=configured_answering().choices,
        **given,
    )


def _page(
    request: HttpRequest, form: AskForm, status: int = 200, failure: Told | None = None
) -> HttpResponse:
    """The form with what was typed, and the last questions beside it.

    After a failure nothing more is read: the question must come back even if nothing can be.
    """
    recent = () if failure else _recent(person_of(request))
    context = {"form": form, "recent": recent, "failure": failure}
    return render(request, "ask.html", context, status=status)


def _recent(person: User) -> tuple[HistoryRow, ...]:
    """What still waits for its answer, and what was answered last."""
    moment = now()
    waits = pending_rows(own_waiting(person, moment)[:RECENT], moment)
    return (*waits, *history_rows(own_answers(person)[:RECENT]))[:RECENT]
