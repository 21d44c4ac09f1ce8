"""Recorded answers: a person's own, as they may be shown now."""

from typing import Final
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from rag.actions.governing import today
from rag.core.roles import Permission
from rag.queries.answers import cited, own_answer, own_answers, stated
from rag.queries.reading import reading
from rag.queries.refusals import near, unmentioned
from rag.web.access import access_of, permitted, person_of
from rag.web.presenters.answers import accepted
from rag.web.presenters.history import again, history_rows
from rag.web.presenters.refusals import refused

PER_PAGE: Final = 20
NEAR: Final = 3


@permitted(Permission.ASK)
@require_safe
def answers(request: HttpRequest) -> HttpResponse:
    """The person's questions, newest first, without a word of what was quoted."""
    page = Paginator(own_answers(person_of(request)), PER_PAGE).get_page(request.GET.get("page"))
    rows = history_rows(page.object_list)
    return render(request, "answers.html", {"page": page, "rows": rows})


@permitted(Permission.ASK)
@require_safe
def answer(request: HttpRequest, answer_id: UUID) -> HttpResponse:
    """One answer, rebuilt from the record and from what holds now."""
    with reading():
        context = _context(request, answer_id)
    return render(request, "answer.html", context)


def _context(request: HttpRequest, answer_id: UUID) -> dict[str, object]:
    person, day = person_of(request), today()
    record = own_answer(person, answer_id)
    access = access_of(request, record.as_of)
    context: dict[str, object] = {"again": again(record, access, day)}
    if record.status == "accepted":
        who = access, person.has_perm(Permission.REVIEW), day
        found, facts = cited(record, *who), stated(record, *who)
        site = request.build_absolute_uri("/").rstrip("/")
        return context | {"accepted": accepted(record, found, facts, day, site)}
    near_rows = near(record, access, NEAR)
    return context | {"refused": refused(record, near_rows, unmentioned(record, access), day)}
