"""An answer whose sources changed since: what is gone is named by one word, and no other."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils.html import escape

from rag.actions.governing import approve, erase
from rag.models import Citation, Revision
from tests import factories
from tests.web.answers.asked import OTHER, QUESTION, RULE, answered, revoke_public, show, withdraw_a

pytestmark = pytest.mark.django_db


def reviewer() -> None:
    factories.user("erin", groups=["reviewer"])


def erase_a() -> None:
    erase("a", actor="op", reason="request")


def alter_a() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rag_revision SET text = replace(text, '52', '99')")


@pytest.mark.parametrize(
    ("act", "word"),
    [
        (withdraw_a, "withdrawn"),
        (erase_a, "erased"),
        (revoke_public, "not available"),
        (alter_a, "does not match its source"),
    ],
)
def test_what_is_gone_is_named_by_one_word(client: Client, erin: User, act: Any, word: str) -> None:
    answer = answered(RULE, OTHER)
    label, sha256 = answer.citations.values_list("label", "source_sha256")[0]
    act()
    text = show(client, answer)
    assert f">{word}</span>" in text
    assert OTHER in text
    for secret in (RULE, "Expenses", "Finance", label, sha256, "2026-2", "Meals</"):
        assert secret not in text
    assert "one passage from one source · one passage not shown any more" in text


def test_who_lost_the_scope_sees_the_same_page_whatever_happened(
    client: Client, erin: User
) -> None:
    answer = answered(RULE, OTHER)
    revoke_public()
    pages = {show(client, answer)}
    for act in (alter_a, withdraw_a, erase_a):
        act()
        pages.add(show(client, answer))
    assert len(pages) == 1


def test_a_reviewer_sees_a_withdrawn_quotation_marked(client: Client, erin: User) -> None:
    answer = answered(RULE)
    reviewer()
    withdraw_a()
    text = show(client, answer)
    assert RULE in text
    assert '<span class="chip bad">withdrawn</span>' in text
    assert "No longer served: withdrawn." in text


@pytest.mark.parametrize("act", [erase_a, revoke_public])
def test_a_reviewer_sees_neither_erased_nor_foreign_words(
    client: Client, erin: User, act: Any
) -> None:
    answer = answered(RULE)
    reviewer()
    act()
    assert "Meals on" not in show(client, answer).replace(escape(QUESTION), "")


def test_a_quotation_altered_on_record_is_not_shown(client: Client, erin: User) -> None:
    answer = answered(RULE)
    Citation.objects.update(quote=RULE.replace("52", "99"))
    assert "does not match its source" in show(client, answer)


def test_a_version_that_ended_says_so_and_leads_to_the_one_in_force(
    client: Client, erin: User, tmp_path: Path
) -> None:
    answer = answered(RULE, as_of=date(2026, 3, 1))
    new = factories.import_text(
        tmp_path, "a", RULE.replace("52", "60"), approve=False, valid_from="2026-05-01"
    )
    factories.rebuild()
    approve(new.document_id, actor="op", shown_sha256=new.text_sha256)
    text = show(client, answer)
    assert "In force on 1 March 2026" in text and "You asked as of" in text
    assert '<span class="chip still">superseded</span>' in text
    assert "It was in force 1 January 2026 to 30 April 2026." in text
    assert f'href="/sources/{new.document_id}/"' in text


def test_a_window_that_changed_since_is_said(client: Client, erin: User) -> None:
    answer = answered(RULE)
    Revision.objects.filter(source__source_id="a").update(valid_until=date(2026, 2, 1))
    text = show(client, answer)
    assert "Its window was changed after you asked." in text
    assert "Asked as of" in text and "In force on" not in text.split('class="lede">')[1][:60]
