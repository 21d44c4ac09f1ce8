"""What several browser tests do."""

from pathlib import Path
from typing import Final

from playwright.sync_api import Page, expect

from tests.browser.serving import Running

ANSWERED: Final = "Where can I export CSV in Reporting?"
STATED: Final = "What is the weight of the GX-100?"  # a product fact answers it
REFUSED: Final = "How often must the GX-999 be calibrated?"


def ask(page: Page, question: str) -> None:
    """Ask from the page of asking and wait for the answer."""
    page.goto("/ask/")
    page.get_by_role("textbox", name="question").fill(question)
    page.get_by_role("button", name="Ask", exact=True).click()
    page.wait_for_url("**/answers/*/")
    expect(page.get_by_role("heading", level=1)).to_have_text(question)


def bring_in(site: Running, folder: Path, name: str, text: str, *options: str) -> None:
    """Import a text into the scope public and index it; ``--approve`` approves it, too."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    where = ("--scope", "public", "--actor", "admin", *options)
    site.run("import_sources", str(file), *where)
    site.run("rebuild")


def search(page: Page, words: str, **options: str) -> None:
    """Go to a search."""
    more = "".join(f"&{name}={value}" for name, value in options.items())
    page.goto(f"/search/?q={words}{more}")


def results(page: Page) -> list[str]:
    """The titles found."""
    return [text.strip() for text in page.locator(".results h2").all_inner_texts()]


def is_in_view(page: Page, selector: str) -> bool:
    """Whether the first such element lies in the window."""
    return bool(
        page.locator(selector).first.evaluate(
            "e => { const r = e.getBoundingClientRect();"
            " return r.height > 0 && r.top >= 0 && r.bottom <= innerHeight; }"
        )
    )
