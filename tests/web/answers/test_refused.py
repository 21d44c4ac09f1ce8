"""A refusal: why, and what lies near among what its person may read."""

from dataclasses import replace
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from rag.actions.governing import today
from rag.actions.people import revoke
from rag.core.answerability import Gate
from rag.models import Manifest
from rag.queries.eligibility import access_of_user
from tests import factories
from tests.web.answers.asked import QUESTION, refused, show, withdraw_a

pytestmark = pytest.mark.django_db


def test_a_refusal_says_why_and_what_lies_near(client: Client, erin: User, tmp_path: Path) -> None:
    sheet = "The warranty of the GX-200 is 24 months from delivery."
    revision = factories.import_text(tmp_path, "s", sheet, title="Data sheet", owner="Products")
    factories.rebuild()
    text = show(client, refused())
    assert "Insufficient evidence: no admissible retrieved excerpts." in text
    assert "that you may read mentions <strong>GX-999</strong>." in text
    assert f"/sources/{revision.document_id}/?start=" in text
    assert "names GX-200, not GX-999" in text and "<mark>warranty</mark>" in text
    assert "Check the code GX-999." in text and "Products" in text


def test_hidden_sources_change_no_byte_of_a_refusal(
    client: Client, erin: User, tmp_path: Path
) -> None:
    answer = refused()
    before = show(client, answer)
    sheet = "The warranty of the GX-999 is 24 months from delivery."
    factories.import_text(tmp_path, "s", sheet, scope="hr", owner="Secret")
    factories.rebuild()
    assert show(client, answer) == before


def test_what_was_near_is_gone_when_it_is_withdrawn(client: Client, erin: User) -> None:
    answer = refused("Which meals, lions, tigers, bears, wolves and owls are reimbursed?")
    assert "Near your question" in show(client, answer)
    withdraw_a()
    revoke("travel", user="erin")
    text = show(client, answer)
    assert "Near your question" not in text and "Finance" not in text


def test_a_refusal_without_an_index_is_a_failure_with_its_name(client: Client, erin: User) -> None:
    answer = refused()
    Manifest.objects.all().delete()
    assert "There is no index yet." in show(client, answer, 503)


def test_a_refusal_of_the_answer_gate_is_a_page_like_any(client: Client, erin: User) -> None:
    strict = Gate("strict", (("first", 1.0),), bias=-1e3)
    using = replace(factories.parts(), gate=strict)
    asked = factories.ask(QUESTION, access_of_user("erin", today()), using=using)
    text = show(client, asked.answer)
    assert (asked.answer.gate, asked.answer.reason_code) == ("strict", "unsupported")
    assert "Insufficient evidence: no supported answer." in text
    assert "no sentence in them answers clearly enough" in text
    assert "Travel abroad" in text  # what lies near is shown
    assert "strict" not in text
