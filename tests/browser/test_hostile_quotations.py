"""Hostile strings inside quotations: shown, copied and pasted to the character, and none runs."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest
from markdown_it import MarkdownIt
from playwright.sync_api import Browser, Page

from tests.browser.conftest import Open, Watch
from tests.browser.harmless import harmless
from tests.browser.serving import Running
from tests.hostile import THREES

# The exact text: the slice of the stored source that a citation names.
STORED: Final = """
import json
from rag.models import Citation
rows = Citation.objects.select_related("revision")
slices = [[str(c.answer_id), c.revision.text[c.start_char : c.end_char]] for c in rows]
print("found", json.dumps(slices))
"""


@dataclass(frozen=True)
class Answered:
    """An answer on record: its first quotation is the stored text, with the strings in it."""

    strings: tuple[str, ...]
    answer_id: str
    stored: str


@pytest.fixture(scope="module")
def answers(site: Running, tmp_path_factory: pytest.TempPathFactory) -> list[Answered]:
    """Answers in which every string is quoted: they ask for the sentences that hold them."""
    folder: Path = tmp_path_factory.mktemp("texts") / "quoted"
    folder.mkdir()
    for number, strings in enumerate(THREES):
        words = "\nand ".join(strings)
        sentence = f"The wombat{number:03} reads aloud {words}\nevery evening."
        (folder / f"{number:03}.md").write_text(f"# Wombat{number:03}\n\n{sentence}\n")
    site.run("import_sources", str(folder), "--scope", "public", "--actor", "admin", "--approve")
    site.run("rebuild")
    ids = [asked["answer_id"] for asked in ask_all(site)]
    rows = json.loads(site.run("shell", "--command", STORED).rpartition("found ")[2])
    stored = dict(reversed(rows))
    return [Answered(three, key, stored[key]) for three, key in zip(THREES, ids, strict=True)]


def ask_all(site: Running) -> Iterator[dict[str, str]]:
    """Ask as erin in a process of its own: the answers stand in her history."""
    questions = [f"What does wombat{n:03} read aloud every evening?" for n in range(len(THREES))]
    commands = [["ask", question, "--user", "erin", "--json"] for question in questions]
    for result in site.site.run_all(commands):
        yield result.json


def copied(page: Page, button: str) -> str:
    """What the button leaves in the clipboard."""
    page.evaluate("navigator.clipboard.writeText('')")
    page.get_by_role("button", name=button).first.click()
    page.wait_for_function("navigator.clipboard.readText().then((text) => text !== '')")
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_no_string_runs_in_a_quotation_shown_copied_or_pasted(
    open_page: Open, browser: Browser, answers: list[Answered]
) -> None:
    page = open_page("erin", "about:blank", permissions=["clipboard-read", "clipboard-write"])
    pasted = []
    for answer in answers:
        assert all(string in answer.stored for string in answer.strings)
        page.goto(f"/answers/{answer.answer_id}/")
        assert page.locator(".quotation q").first.text_content() == answer.stored
        harmless(page)
        assert copied(page, "Copy citation").startswith(f"“{answer.stored}” — ")
        pasted.append((answer, copied(page, "Copy as Markdown")))
    paste(browser, pasted)


def paste(browser: Browser, citations: list[tuple[Answered, str]]) -> None:
    """Somebody shows the Markdown as HTML, with HTML in it allowed and no policy at all."""
    render = MarkdownIt("commonmark", {"html": True}).render
    context = browser.new_context()
    watch, page = Watch(context, "nowhere"), context.new_page()
    page.set_content("".join(f"<article>{render(text)}</article>" for _, text in citations))
    kinds = page.locator("article, article *").evaluate_all("all => all.map((e) => e.localName)")
    quotes = page.locator("blockquote").all_text_contents()
    context.close()
    assert watch.faults() == []
    assert set(kinds) == {"article", "blockquote", "p", "br", "a"}
    expected = [answer.stored.split() for answer, _ in citations]
    assert [quote.split() for quote in quotes] == expected
