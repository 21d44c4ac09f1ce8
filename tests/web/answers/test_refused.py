"""A refusal: why, and what lies near among what its person may read."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from rag.actions.people import revoke
from rag.models import Manifest
from tests import factories
from tests.web.answers.asked import refused, show, withdraw_a

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
