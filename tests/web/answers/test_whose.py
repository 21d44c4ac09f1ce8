"""The page of an answer is its person's alone."""

import uuid

import pytest
from django.contrib.auth.models import User
from django.test import Client

from rag.models import Answer
from tests import factories
from tests.web.answers.asked import RULE, TOKEN, answered, show

pytestmark = pytest.mark.django_db


def test_somebody_else_s_answer_is_the_same_page_as_none(client: Client, erin: User) -> None:
    answer = answered(RULE)
    foreign = Answer.objects.create(
        **{
            field.attname: getattr(answer, field.attname)
            for field in Answer._meta.concrete_fields
            if field.attname not in ("id", "person_id")
        },
        person=factories.user("hana", groups=["member"]),
    )
    responses = [client.get(f"/answers/{key}/") for key in (foreign.pk, uuid.uuid4())]
    assert [response.status_code for response in responses] == [404, 404]
    texts = [TOKEN.sub("", response.content.decode()) for response in responses]
    headers = [dict(response.headers) for response in responses]
    assert texts[0] == texts[1] and headers[0] == headers[1]
    assert RULE in show(client, answer)


def test_without_the_permission_the_page_is_missing(client: Client, erin: User) -> None:
    answer = answered(RULE)
    erin.groups.clear()
    show(client, answer, 404)
