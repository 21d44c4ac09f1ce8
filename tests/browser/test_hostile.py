"""Hostile strings in every place that a source or a person can fill: none runs, in a browser.

The watch of ``conftest.py`` fails on any console message, so not even the content security policy
has anything to stop.
"""

import json
import re
from pathlib import Path
from typing import Final
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.harmless import harmless
from tests.browser.serving import Running
from tests.browser.steps import ask
from tests.hostile import SIXTY, STRINGS, THREES

IDS: Final = """
import json
from rag.models import Revision
rows = Revision.objects.filter(source__source_id__startswith="hostile/")
print("found", json.dumps([[r.source.source_id, r.document_id, r.text] for r in rows]))
"""


def sentinel(number: int) -> str:
    return f"Sentinel {number:03} stands behind the string, unharmed."


def file_name(number: int, string: str) -> str:
    """The string as far as a file may be called so."""
    kept = re.sub(r"[/\x00-\x1f\x7f-\x9f\u2028\u2029]", "_", string)
    return f"{number:03} {kept}"[:80]


def text_of(number: int, string: str) -> str:
    """A source with the string as title, heading, prose, list item, table cell and code."""
    title = json.dumps(string, ensure_ascii=False)
    line = " ".join(string.split())
    return (
        f"---\ntitle: {title}\nowner: {title}\nkind: {title}\nvalid_from: 2026-01-01\n---\n"
        f"# {line}\n\nThe wombat{number:03} reads {line} aloud. {sentinel(number)}\n\n"
        f"- {line}\n\n| a | b |\n|---|---|\n| {line} | c |\n\n    {line}\n\n{string}\n\n"
        f"End of wombat{number:03}.\n"
    )


@pytest.fixture(scope="module")
def sources(site: Running, tmp_path_factory: pytest.TempPathFactory) -> dict[int, tuple[str, str]]:
    """Document id and text of the source of each string."""
    folder: Path = tmp_path_factory.mktemp("texts") / "hostile"
    folder.mkdir()
    for number, string in enumerate(STRINGS):
        (folder / f"{file_name(number, string)}.md").write_text(text_of(number, string))
    where = ("--scope", "public", "--actor", "admin", "--approve", "--json")
    report = json.loads(site.run("import_sources", str(folder), *where))
    assert report["refused"] == []
    site.run("rebuild")
    found = json.loads(site.run("shell", "--command", IDS).rpartition("found ")[2])
    return {int(name[8:11]): (document, text) for name, document, text in found}


def test_there_are_enough_strings() -> None:
    assert len(set(STRINGS)) >= len(set(SIXTY)) == 60


def test_no_string_runs_in_a_source_and_marks_stay_exact(
    open_page: Open, sources: dict[int, tuple[str, str]]
) -> None:
    page = open_page("erin")
    assert sorted(sources) == list(range(len(STRINGS)))
    for number in map(STRINGS.index, SIXTY):
        document, text = sources[number]
        start = text.index(sentinel(number))
        end = start + len(sentinel(number))
        page.goto(f"/sources/{document}/?start={start}&end={end}")
        assert "".join(page.locator("mark").all_inner_texts()) == sentinel(number), number
        assert page.locator("h1").inner_text().split() == STRINGS[number].split(), number
        harmless(page)


def test_no_string_runs_in_results(open_page: Open, sources: dict[int, tuple[str, str]]) -> None:
    page = open_page("erin")
    for strings in THREES:
        query = " ".join(f"wombat{STRINGS.index(string):03} {string}" for string in strings)
        page.goto("/search/?" + urlencode({"q": query}))
        expect(page.locator(".results h2").first).to_be_visible()
        assert page.get_by_role("searchbox").input_value() == query
        harmless(page)


@pytest.mark.parametrize(
    "names", [("scope", "product"), ("q", "as_of", "mode", "page", "archive")], ids="-".join
)
def test_no_string_runs_in_a_filter(open_page: Open, names: tuple[str, ...]) -> None:
    page = open_page("erin")
    page.watch.expect("400")  # type: ignore[attr-defined]
    for string in SIXTY:
        page.goto("/search/?" + urlencode({"q": "wombat"} | dict.fromkeys(names, string)))
        harmless(page)


def test_no_string_runs_in_a_live_search(open_page: Open) -> None:
    page = open_page("erin")
    page.watch.expect("400")  # type: ignore[attr-defined]
    for string in SIXTY[::3]:
        with page.expect_response(lambda response: "/search/" in response.url):
            page.get_by_role("searchbox").fill(f"wombat {string}")
        harmless(page)


def test_no_string_runs_in_a_question_a_quotation_or_the_history(
    open_page: Open, sources: dict[int, tuple[str, str]]
) -> None:
    page = open_page("erin")
    for strings in THREES:
        number = STRINGS.index(strings[0])
        ask(page, f"What does wombat{number:03} read? {' '.join(strings)}")
        harmless(page)
    ask(page, "Which sentinel stands behind the string, unharmed?")
    page.goto("/answers/")
    harmless(page)


def test_no_string_runs_in_review(open_page: Open, sources: dict[int, tuple[str, str]]) -> None:
    page = open_page("paul")
    page.goto("/review/rag/revision/?state=approved")
    harmless(page)
    for document, _ in list(sources.values())[::4]:
        page.goto(f"/review/rag/revision/{document}/change/")
        harmless(page)
