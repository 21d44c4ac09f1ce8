"""An accepted answer: each quotation with its provenance and with what belongs to it."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils.html import escape

from rag.actions.governing import today
from rag.actions.people import revoke
from rag.core.sources import Status
from rag.models import Manifest, Revision
from tests import factories
from tests.web.answers.asked import EXCEPTION, OTHER, RULE, answered, show

pytestmark = pytest.mark.django_db


def test_a_quotation_stands_with_its_provenance(client: Client, erin: User) -> None:
    text = show(client, answered(RULE))
    revision = Revision.objects.get(source__source_id="a")
    start = revision.text.index(RULE)
    assert f'<q lang="en" dir="auto">{RULE}</q>' in text
    assert 'dir="auto">Expenses policy</strong> › <span dir="auto">Expenses › Meals</span>' in text
    assert f"/sources/{revision.document_id}/?start={start}&amp;end={start + len(RULE)}" in text
    for fact in ("2026-2", "since 1 January 2026", "Finance", revision.source_sha256):
        assert fact in text


def test_the_summary_counts_passages_and_sources_in_words(client: Client, erin: User) -> None:
    day = f"In force on {today().day} {today():%B %Y}"
    assert f"{day} · one passage from one source<" in show(client, answered(RULE))
    assert f"{day} · two passages from two sources<" in show(client, answered(RULE, OTHER))
    assert f"{day} · two passages from one source<" in show(client, answered(RULE, EXCEPTION))


def test_quotations_of_one_source_share_its_provenance(client: Client, erin: User) -> None:
    text = show(client, answered(RULE, OTHER, EXCEPTION))
    assert '<h2>1, 3 · <span dir="auto">Expenses policy</span></h2>' in text
    assert '<h2>2 · <span dir="auto">Travel abroad</span></h2>' in text


def test_the_exception_is_given_in_the_words_of_the_source(client: Client, erin: User) -> None:
    text = show(client, answered(RULE))
    lead = "The passage goes on with an exception."
    assert f'{lead}</strong> <q lang="en" dir="auto">{EXCEPTION}</q>' in text


def test_a_part_of_a_sentence_is_made_whole(client: Client, erin: User) -> None:
    text = show(client, answered("Meals on business trips are reimbursed"))
    assert f'Part of a sentence. The whole of it:</strong> <q lang="en" dir="auto">{RULE}' in text


def test_a_row_of_a_table_comes_with_its_columns(
    client: Client, erin: User, tmp_path: Path
) -> None:
    row = "| Meals on business trips | EUR 52 |"
    table = f"# Limits\n\n| What | Limit |\n|---|---|\n| Beds | EUR 90 |\n{row}"
    factories.import_text(tmp_path, "t", table)
    factories.rebuild()
    text = show(client, answered(row))
    assert 'Its columns:</strong> <q lang="en" dir="auto">| What | Limit |</q>' in text


def test_sources_that_disagree_name_each_other(client: Client, erin: User) -> None:
    answer = answered(RULE, OTHER)
    text = show(client, answer)
    assert "Quotation 2 states other figures." in text
    assert "Quotation 1 states other figures." in text
    revoke("travel", user="erin")
    assert "disagree" not in show(client, answer)


def test_an_answer_of_the_archive_is_marked(client: Client, erin: User) -> None:
    statuses = frozenset({Status.CURRENT, Status.HISTORICAL})
    text = show(client, answered(RULE, statuses=statuses))
    assert "Asked in the archive." in text
    assert '<p class="lede">Asked as of' in text


def test_an_accepted_answer_needs_no_index(client: Client, erin: User) -> None:
    answer = answered(RULE)
    Manifest.objects.all().delete()
    assert RULE in show(client, answer)


def test_titles_are_set_in_their_own_direction(client: Client, erin: User) -> None:
    text = show(client, answered(RULE))
    assert '<strong dir="auto">Expenses policy</strong>' in text
    assert '<h2>1 · <span dir="auto">Expenses policy</span></h2>' in text


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</textarea></q></title><svg/onload=alert(1)>",
        "[x](javascript:alert(1)) ![y](http://evil.example/z)",
        "&lt;b&gt; &amp;#60; {{ request }} {% csrf_token %}",
        "\u202egnp.exe \u200b👩🏽‍🚀 e\u0301 وجبات",
    ],
)
def test_hostile_sources_are_shown_as_text(
    client: Client, erin: User, tmp_path: Path, hostile: str
) -> None:
    quote = f"Meals for guests on business trips are free, see {hostile} in full."
    about: dict[str, Any] = {
        "title": f"T {hostile}",
        "owner": f"O {hostile}",
        "version": f"V {hostile}",
    }
    factories.import_text(tmp_path, "x", f"# H {hostile}\n\n{quote}", **about)
    factories.rebuild()
    text = show(client, answered(quote))
    assert f'dir="auto">{escape(quote)}</q>' in text
    for part in ("T", "O", "V", "H"):
        assert escape(f"{part} {hostile}") in text
    for tag in ("<script>alert", "<img", "<svg", "<b>", 'href="javascript'):
        assert tag not in text
