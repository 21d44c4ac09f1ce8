"""What a result says, and how results come in pages."""

import re
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from rag.actions.governing import today
from rag.core.retrieval import Mode
from rag.queries.eligibility import access_of_user
from tests import factories
from tests.web.search.pages import TEXT, page, serve, titles

pytestmark = pytest.mark.django_db


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
        with CaptureQueriesContext(connection) as bare:
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
