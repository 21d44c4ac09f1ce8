"""A search page without results: nothing typed, nothing found, or nothing that makes sense."""

import re
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from rag.core.retrieval import LONGEST_QUESTION
from tests.web.search.pages import fragment, page, serve, shown

pytestmark = pytest.mark.django_db


def test_before_anything_is_typed_the_newest_sources_are_shown(
    client: Client, tmp_path: Path
) -> None:
    revision = serve(tmp_path, "Newest")
    serve(tmp_path, "Secret", scope="hr")
    html = page(client)
    assert (
        f'<a href="{reverse("source", args=[revision.document_id])}" data-key-item>Newest' in html
    )
    assert "Secret" not in html


def test_an_empty_list_of_scopes_says_of_which_texts(client: Client) -> None:
    in_force, archive = "Nothing of yours is in force on this day.", "Nothing of yours is in this"
    for archives, said, unsaid in (
        ([], in_force, archive),
        (["superseded"], archive, in_force),
        (["current"], in_force, archive),
    ):
        html = page(client, archive=archives)
        assert said in html and unsaid not in html


def test_no_result_offers_every_filter_that_is_set(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "Open")
    query = {"scope": "public", "product": "GX-1", "as_of": "2026-05-01", "mode": "lexical"}
    html = page(client, q="zebra", **query)
    assert "No passage found for “zebra”." in html
    assert "4 filters are set." in html
    ways = re.findall(r'<li><a href="/search/\?q=zebra([^"]*)">', html)
    assert len(ways) == len(query) + 1
    assert "&amp;product=GX-1&amp;as_of=2026-05-01&amp;mode=lexical" in ways  # all scopes
    assert "archive=superseded&amp;archive=historical" in ways[-1]


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ({"q": "export", "as_of": "2026-99-01"}, "The day must be a date such as 2026-11-30."),
        ({"q": "x" * (LONGEST_QUESTION + 1)}, "A search has at most 1,000 characters."),
        ({"q": "?!"}, "Type at least one word or number."),
        ({"q": "export", "mode": "magic"}, "The ranking is hybrid, dense or lexical."),
        ({"q": "export", "archive": "pending"}, "The archive holds what is superseded,"),
        ({"q": "export", "page": "11"}, "There are pages 1 to 10."),
        ({"q": "export", "page": "-1"}, "There are pages 1 to 10."),
        ({"q": "export", "product": "x" * 101}, "A product code has at most 100 characters."),
    ],
)
def test_a_request_that_makes_no_sense_says_why(
    client: Client, query: dict[str, str], sentence: str
) -> None:
    response = client.get(reverse("search"), query)
    assert response.status_code == 400
    assert sentence in shown(response)
    assert f'value="{query["q"]}"' in shown(response)  # what was typed is not lost


def test_a_word_that_is_not_there_yet_is_no_error_while_typing(client: Client) -> None:
    response = fragment(client, typing=True, q="?")
    assert response.status_code == 200
    assert "What do your sources say?" in shown(response)
    assert "Type at least" not in shown(response)


def test_a_bad_day_is_said_in_the_fragment_too(client: Client) -> None:
    response = fragment(client, q="export", as_of="soon")
    assert response.status_code == 200
    assert "The day must be a date" in shown(response)
    assert response["HX-Push-Url"] == "false"
