"""Recorded answers: a person's own, as they may be shown now."""

from typing import Final
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from rag.actions.answering import configured_answering
from rag.actions.governing import today
from rag.actions.waiting import cancel
from rag.core.roles import Permission
from rag.models import PendingAnswer
from rag.queries.answers import cited, own_answer, own_answers, stated
from rag.queries.reading import reading
from rag.queries.refusals import near, unmentioned
from rag.queries.waiting import own_pending, pending_answer
from rag.web.access import access_of, permitted, person_of
from rag.web.fragments import is_fragment
from rag.web.presenters.answers import accepted
from rag.web.presenters.history import again, history_rows, pending_rows
from rag.web.presenters.refusals import refused
from rag.web.presenters.waiting import Waiting, waiting

PER_PAGE: Final = 20
NEAR: Final = 3
ARRIVED: Final = "The answer has arrived."


@permitted(Permission.ASK)
@require_safe
def answers(request: HttpRequest) -> HttpResponse:
    """The person's questions, newest first, without a word of what was quoted."""
    person = person_of(request)
    page = Paginator(own_answers(person), PER_PAGE).get_page(request.GET.get("page"))
    pending = own_pending(person)
    first = pending[:PER_PAGE] if page.number == 1 else ()
    lists = {"rows": history_rows(page.object_list), "pending": pending_rows(first, now())}
    total = page.paginator.count + pending.count()
    return render(request, "answers.html", {"page": page, "total": total, **lists})


@permitted(Permission.ASK)
@require_safe
def answer(request: HttpRequest, answer_id: UUID) -> HttpResponse:
    """One answer, rebuilt from the record and from what holds now.

    While its model is reading, the page asks again for its middle: with the digest of what it
    shows, so that nothing is replaced under a reader's eyes before something is new.
    """
    with reading():
        pending = pending_answer(person_of(request), answer_id)
        context = _waiting(request, pending) if pending else _context(request, answer_id)
    if not is_fragment(request):
        return render(request, "answer.html", context)
    middle = context.get("waiting")
    if isinstance(middle, Waiting):
        if middle.live and request.GET.get("seen") == middle.digest:
            return HttpResponse(status=204)
        return render(request, "_waiting.html", context | {"said": middle.lead})
    return render(request, "_answer.html", context | {"said": ARRIVED})


@permitted(Permission.ASK)
@require_POST
def answer_cancel(request: HttpRequest, answer_id: UUID) -> HttpResponse:
    """Give up a question that waits; one that was answered meanwhile shows its answer."""
    cancel(person_of(request), answer_id)
    return HttpResponseRedirect(reverse("answer", args=[answer_id]), status=303)


def _waiting(request: HttpRequest, pending: PendingAnswer) -> dict[str, object]:
    access, day = access_of(request, pending.as_of), today()
    found = near(pending, access, len(pending.hits))
    shown = waiting(pending, found, day, now())
    modes = configured_answering().choices
    return {"again": again(pending, access, day, modes), "waiting": shown}


def _context(request: HttpRequest, answer_id: UUID) -> dict[str, object]:
    person, day = person_of(request), today()
    record = own_answer(person, answer_id)
    access = access_of(request, record.as_of)
    modes = configured_answering().choices
    context: dict[str, object] = {"again": again(record, access, day, modes)}
    if record.status == "accepted":
        who = access, person.has_perm(Permission.REVIEW), day
        found, facts = cited(record, *who), stated(record, *who)
        site = request.build_absolute_uri("/").rstrip("/")
        return context | {"accepted": accepted(record, found, facts, day, site)}
    near_rows = near(record, access, NEAR)
    return context | {"refused": refused(record, near_rows, unmentioned(record, access), day)}
