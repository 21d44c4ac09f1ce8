"""The search page: what it shows, to whom, under which address, and what it never tells."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from rag.actions.governing import today
from rag.actions.people import grant, revoke
from rag.core.retrieval import LONGEST_QUESTION, Mode
from rag.models import Revision
from rag.queries.eligibility import access_of_user
from tests import factories

pytestmark = pytest.mark.django_db
TEXT: Final = "# {0}\n\n## Exports\n\nChoose *Export* in {0}. The file holds every row."


@pytest.fixture(autouse=True)
def hashing(settings: Settings) -> None:
    settings.EVIDENCE_PROFILE = "hashing"


@pytest.fixture
def client() -> Iterator[Client]:
    """Erin, a member who may read ``public``; ``hr`` exists."""
    person = factories.user("erin", groups=["member"])
    grant("public", user="erin", create_scope=True)
    factories.scope("hr")
    client = Client()
    client.force_login(person)
    yield client


def serve(folder: Path, name: str, text: str = TEXT, **about: Any) -> Revision:
    """An approved and indexed source whose title is its name."""
    revision = factories.import_text(folder, name, text.format(name), **about)
    factories.rebuild()
    revision.refresh_from_db()
    return revision


def page(client: Client, **query: Any) -> str:
    return shown(client.get(reverse("search"), query))


def fragment(client: Client, typing: bool = False, **query: Any) -> HttpResponse:
    headers = {"HX-Request": "true"} | ({"X-Typing": "1"} if typing else {})
    response = client.get(reverse("search"), query, headers=headers)
    assert isinstance(response, HttpResponse)
    return response


def shown(response: Any) -> str:
    """The page with single blanks, without what differs by chance: the sign-out form's token."""
    html = " ".join(response.content.decode().split())
    return re.sub(r'(name="csrfmiddlewaretoken" value=)"\w+"', r"\1", html)


def titles(html: str) -> list[str]:
    return re.findall(r"data-key-item>([^<]*)</a></h2>", html)


# Who


def test_without_the_permission_there_is_no_such_page(client: Client) -> None:
    client.force_login(factories.user("guest"))
    missing = client.get("/no-such-page/")
    for response in (client.get(reverse("search")), client.post(reverse("search"))):
        assert response.status_code == 404
        assert shown(response) == shown(missing)


def test_a_search_only_reads(client: Client) -> None:
    assert client.post(reverse("search"), {"q": "export"}).status_code == 405


def test_who_was_granted_nothing_is_told_whom_to_ask(client: Client) -> None:
    revoke("public", user="erin")
    for html in (page(client), page(client, q="export")):
        assert "Nothing is open to you yet." in html
        assert "Ask an admin" in html


# What is shown


def test_a_result_says_what_it_is_and_where_it_stands(client: Client, tmp_path: Path) -> None:
    revision = serve(tmp_path, "Reporting", version="3", valid_from="2026-03-01")
    html = page(client, q="exports row", as_of="2026-11-30")
    chunk = revision.chunks.get()
    address = reverse("source", args=[revision.document_id])
    place = f"start={chunk.start_char}&amp;end={chunk.end_char}"
    assert f'{address}?{place}#m1" dir="auto" data-key-item' in html
    assert '<p class="path" dir="auto">Exports</p>' in html
    assert "The file holds every <mark>row</mark>." in html
    assert '<span class="chip ok">in force</span> <span class="chip">public</span>' in html
    assert "Version 3 · since 1 March 2026 · approved" in html
    assert "1 passage in 1 source<" in html


def test_the_words_of_a_source_and_of_a_question_are_data(client: Client, tmp_path: Path) -> None:
    evil = '<script>alert("x")</script>'
    serve(tmp_path, "evil", f"# {evil}\n\nA rule about {evil} rows.", title=evil, version="<i>")
    html = page(client, q=f'rows {evil}"><b>', product="")
    assert titles(html) == ["&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;"]
    assert not re.search(r"<script>|<i>|\"><b>", html)


@pytest.mark.parametrize(
    ("due", "chip"),
    [
        ("2026-12-15", "review due 15 Dec"),
        ("2026-12-30", "review due 30 Dec"),
        ("2026-12-31", ""),
        ("2027-01-01", ""),
        ("2026-11-30", "review due 30 Nov"),
        ("2025-06-01", "review was due 1 Jun 2025"),
    ],
)
def test_a_review_that_is_near_or_over_is_said(
    client: Client, tmp_path: Path, due: str, chip: str
) -> None:
    serve(tmp_path, "dated", review_due=due)
    html = page(client, q="export", as_of="2026-11-30")
    assert re.findall(r"review [^<]*", html) == ([chip] if chip else [])


def test_the_day_decides_what_is_found(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "Rule", version="1", valid_from="2026-01-01")
    serve(tmp_path, "Rule", TEXT + " Again.", version="2", valid_from="2027-01-01")
    assert "Version 1 · 1 January 2026 to 31 December 2026" in page(client, q="export")
    later = page(client, q="export", as_of="2027-02-01")
    assert "Version 2 · since 1 January 2027" in later
    assert "In force on <b>1 Feb 2027</b>" in later


def test_what_the_archive_shows_is_marked_as_not_in_force(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "Old", status="superseded")
    serve(tmp_path, "New")
    assert titles(page(client, q="export")) == ["New"]
    html = page(client, q="export", archive="superseded")
    assert titles(html) == ["Old"]
    assert '<span class="chip warning">not in force</span>' in html
    both = page(client, q="export", archive=["superseded", "current"])
    assert sorted(titles(both)) == ["New", "Old"]
    assert ">in force<" not in both


def test_an_empty_list_of_scopes_says_of_which_texts(client: Client) -> None:
    in_force, archive = "Nothing of yours is in force on this day.", "Nothing of yours is in this"
    for archives, said, unsaid in (
        ([], in_force, archive),
        (["superseded"], archive, in_force),
        (["current"], in_force, archive),
    ):
        html = page(client, archive=archives)
        assert said in html and unsaid not in html


def test_a_title_is_set_in_its_own_direction(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "السفر", text="# {0}\n\n## الوجبات\n\nThe file of {0} holds every row.")
    html = page(client, q="file holds every row")
    assert re.search(r'<h2><a href="[^"]*" dir="auto" data-key-item>السفر</a></h2>', html)
    assert '<p class="path" dir="auto">الوجبات</p>' in html


@pytest.mark.parametrize("mode", list(Mode))
def test_every_ranking_finds_it(client: Client, tmp_path: Path, mode: Mode) -> None:
    serve(tmp_path, "Reporting")
    assert titles(page(client, q="export in reporting", mode=mode.value)) == ["Reporting"]


def test_imported_sources_that_wait_are_noticed(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "Reporting")
    factories.import_text(tmp_path, "Later", TEXT, approve=False)
    assert "The index is older" in page(client, q="export")


# Filters


def test_a_scope_narrows_and_never_widens(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "Open")
    serve(tmp_path, "Support", scope="support")
    serve(tmp_path, "Secret", scope="hr")
    grant("support", user="erin")
    assert sorted(titles(page(client, q="export"))) == ["Open", "Support"]
    assert titles(page(client, q="export", scope="support")) == ["Support"]
    assert titles(page(client, q="export", scope="hr")) == []
    assert titles(page(client, q="export", scope=["hr", "support"])) == ["Support"]


def test_a_product_narrows(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "One", product="GX-1")
    serve(tmp_path, "Two", product="GX-2")
    html = page(client, q="export", product="GX-1")
    assert titles(html) == ["One"]
    assert re.findall(r'name="product" value="([^"]*)"', html) == ["", "GX-1", "GX-2"]


def test_the_filters_that_are_set_can_be_removed(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "One", product="GX-1")
    html = page(client, q="export", product="GX-1", mode="lexical")
    assert '<a href="/search/?q=export">Remove 2 filters</a>' in html
    assert "Remove" not in page(client, q="export")


@pytest.mark.parametrize(("name", "hidden"), [("scope", "hr"), ("product", "GX-9")])
def test_a_forbidden_filter_is_like_one_that_does_not_exist(
    client: Client, tmp_path: Path, name: str, hidden: str
) -> None:
    serve(tmp_path, "Open", product="GX-1")
    serve(tmp_path, "Secret", scope="hr", product="GX-9")
    for headers in ({}, {"HX-Request": "true"}):
        forbidden, missing = (
            client.get(reverse("search"), {"q": "export", name: value}, headers=headers)
            for value in (hidden, "zz")
        )
        assert forbidden.status_code == missing.status_code == 200
        assert shown(forbidden) == shown(missing).replace("zz", hidden)
        same = {key: value.replace("zz", hidden) for key, value in missing.headers.items()}
        assert dict(forbidden.headers) == same | {"Content-Length": forbidden["Content-Length"]}


def test_hidden_documents_change_no_byte(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "Open", product="GX-1")
    asked: list[dict[str, Any]] = [
        *({}, {"q": "export"}, {"q": "export", "scope": "hr"}, {"q": "export", "mode": "lexical"}),
        *({"q": "secret", "product": "GX-9"}, {"q": "export", "archive": "superseded"}),
    ]
    before = [(page(client, **query), shown(fragment(client, **query))) for query in asked]
    serve(tmp_path, "Secret", scope="hr", product="GX-9", language="de")
    serve(tmp_path, "Old secret", scope="hr", product="GX-8", status="superseded")
    factories.import_text(tmp_path, "Pending", TEXT, approve=False, product="GX-7")
    factories.rebuild()
    after = [(page(client, **query), shown(fragment(client, **query))) for query in asked]
    assert after == before
    assert "Open" in before[1][0]


def test_what_is_withdrawn_is_gone_on_the_next_request(client: Client, tmp_path: Path) -> None:
    revision = serve(tmp_path, "Gone")
    assert titles(page(client, q="export")) == ["Gone"]
    Revision.objects.filter(pk=revision.pk).update(state="withdrawn")
    assert "Gone" not in page(client, q="export") + page(client)


# Pages


def test_results_come_in_pages_of_ten(client: Client, tmp_path: Path) -> None:
    for number in range(12):
        factories.import_text(tmp_path, f"Source {number:02}", TEXT.format(number))
    factories.rebuild()
    first, second = page(client, q="export"), page(client, q="export", page=2)
    assert len(set(titles(first)) | set(titles(second))) == 12
    assert (len(titles(first)), len(titles(second))) == (10, 2)
    assert "Passages 1 to 10, in 10 sources" in first
    assert "Passages 11 to 12, in 2 sources" in second
    assert 'rel="next" href="/search/?q=export&amp;page=2"' in first
    assert 'rel="prev" href="/search/?q=export"' in second
    assert 'rel="prev"' not in first
    assert 'rel="next"' not in second
    assert "There is no page 3 of this search." in page(client, q="export", page=3)


def test_the_number_of_queries_does_not_grow_with_the_results(
    client: Client, tmp_path: Path
) -> None:
    """Beside those of the search itself, which reads each hit's slice and passage."""

    def beside(hits: int) -> int:
        who = access_of_user("erin", today())
        with CaptureQueriesContext(
            connection,
        ) as bare:
            assert len(factories.search("export", who, k=11).hits) == hits
        with CaptureQueriesContext(connection) as whole:
            assert len(titles(page(client, q="export"))) == hits
        return len(whole) - len(bare)

    serve(tmp_path, "Source 0")
    page(client, q="export")
    one = beside(1)
    for number in range(1, 8):
        factories.import_text(
            tmp_path, f"Source {number}", TEXT.format(number), review_due="2026-12-01"
        )
    factories.rebuild()
    page(client, q="export")
    assert beside(8) == one <= 12


# What makes no sense


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


# Nothing yet, nothing found


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


# For htmx


def test_the_fragment_holds_the_results_and_what_changes_with_them(
    client: Client, tmp_path: Path
) -> None:
    serve(tmp_path, "Reporting")
    html = shown(fragment(client, q="export"))
    assert titles(html) == ["Reporting"]
    assert "<html" not in html
    assert "<title>export · Search · Evidence</title>" in html
    assert '<p id="announced" hx-swap-oob="innerHTML">1 result</p>' in html
    swapped = re.findall(r'id="([^"]+)"[^>]* hx-swap-oob', html)
    whole = page(client, q="export")
    assert len(swapped) == len(set(swapped)) > 5
    assert all(whole.count(f'id="{name}"') == 1 for name in swapped)
    assert "hx-swap-oob" not in whole


def test_going_back_gets_the_whole_page(client: Client) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    response = client.get(reverse("search"), {"q": "export"}, headers=headers)
    assert "<html" in shown(response)


def test_typing_replaces_the_address_and_a_filter_adds_one(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "Reporting")
    query: dict[str, Any] = {"q": " export ", "product": "", "as_of": "", "mode": "hybrid"}
    assert fragment(client, typing=True, **query)["HX-Replace-Url"] == "/search/?q=export"
    response = fragment(client, **query | {"scope": "public"})
    assert response["HX-Push-Url"] == "/search/?q=export&scope=public"


def test_the_same_address_is_not_added_twice(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "Reporting")
    there = "http://testserver/search/?q=export"
    headers = {"HX-Request": "true", "HX-Current-URL": there}
    response = client.get(reverse("search"), {"q": "export"}, headers=headers)
    assert response["HX-Push-Url"] == "false"
