"""Product facts on an answer's page: a table with sources, a citation to copy, what is gone."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from rag.actions.governing import erase, today, withdraw
from rag.actions.people import revoke
from rag.models import Answer, Revision
from rag.queries.eligibility import access_of_user
from rag.queries.sources import answers_quoting
from tests import factories
from tests.web.answers.asked import show

pytestmark = pytest.mark.django_db

GX = 'title = "Facts <GX>"\n[products.GX-100]\nweight = "1.2 kg <b>"\nbattery_life = "14 hours"'


@pytest.fixture
def gx(erin: User, tmp_path: Path) -> Revision:
    factories.import_facts(tmp_path, "gx", GX)
    factories.import_facts(tmp_path, "two", '[products.GX-200]\nweight = "4.8 kg"', scope="travel")
    factories.rebuild()
    return Revision.objects.get(source__source_id="gx")


def told(question: str = "What are weight and battery life of the GX-100?") -> Answer:
    asked = factories.ask(question, access_of_user("erin", today()))
    assert asked.verdict.facts
    return asked.answer


def test_facts_stand_in_a_table_with_their_source(client: Client, gx: Revision) -> None:
    text = show(client, told())
    cell = '<td class="value" data-label="Value" dir="auto">'
    assert f"{cell}1.2 kg &lt;b&gt;</td>" in text
    assert f">battery life</td>{cell}14 hours</td>" in text
    assert f'<a href="/sources/{gx.document_id}/" dir="auto">Facts &lt;GX&gt;</a>' in text
    assert '<h2>A, B · <span dir="auto">Facts &lt;GX&gt;</span></h2>' in text
    assert "· two facts from one source<" in text


def test_the_copied_citation_names_each_fact_and_its_source(client: Client, gx: Revision) -> None:
    text = show(client, told())
    about = f"version {gx.version}, [gx], in force since 1 January 2026, approved"
    assert "GX-100, battery_life: 14 hours — Facts &lt;GX&gt;, " + about in text
    assert f"SHA-256 {gx.source_sha256}, http://testserver/sources/{gx.document_id}/" in text
    assert "- GX-100, battery\\_life: 14 hours — [Facts \\&lt;GX\\&gt;](http://testserver/" in text


def withdraw_gx() -> None:
    withdraw("gx", actor="op", reason="wrong")


def erase_gx() -> None:
    erase("gx", actor="op", reason="request")


def revoke_public() -> None:
    revoke("public", user="erin")


def alter_gx() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rag_revision SET text = replace(text, '1.2', '9.9')")


@pytest.mark.parametrize(
    ("act", "word"),
    [
        (withdraw_gx, "withdrawn"),
        (erase_gx, "erased"),
        (revoke_public, "not available"),
        (alter_gx, "does not match its source"),
    ],
)
def test_what_is_gone_is_named_by_one_word(
    client: Client, gx: Revision, act: Any, word: str
) -> None:
    answer = told("Weight of GX-100 and GX-200?")
    act()
    text = show(client, answer)
    assert f">{word}</span>" in text
    assert "4.8 kg" in text
    assert "one fact from one source · one fact not shown any more" in text
    for secret in ("1.2 kg", "Facts &lt;GX&gt;", gx.source_sha256, f"[{'gx'}]"):
        assert secret not in text


def test_sources_that_disagree_are_named_while_both_are_shown(
    client: Client, gx: Revision, tmp_path: Path
) -> None:
    factories.import_facts(tmp_path, "three", '[products.GX-100]\nweight = "9 kg"', scope="travel")
    factories.rebuild()
    answer = told("Weight of GX-100?")
    assert "A · The sources disagree.</strong> Compare B." in show(client, answer)
    withdraw("three", actor="op", reason="wrong")
    assert "The sources disagree" not in show(client, answer)


def test_the_source_counts_the_answers_that_state_its_facts(gx: Revision) -> None:
    told()
    assert answers_quoting(gx, User.objects.get(username="erin")) == 1
