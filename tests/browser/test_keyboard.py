"""Asking and approving with keys alone."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.serving import Running
from tests.browser.steps import ANSWERED, bring_in

MOST_TABS = 80


def tab_to(page: Page, words: str) -> None:
    """Press Tab until what has the focus begins with these words."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        shown = page.evaluate(
            "(document.activeElement.innerText || '').trim().replace(/\\s+/g, ' ')"
        )
        if shown.startswith(words):
            return
    raise AssertionError(f"no Tab leads to {words!r}")


def test_keys_alone_ask_and_open_the_source(open_page: Open) -> None:
    page = open_page("erin", "/ask/")
    page.get_by_role("textbox", name="question").wait_for()
    for _ in range(MOST_TABS):
        if page.evaluate("document.activeElement.localName") == "textarea":
            break
        page.keyboard.press("Tab")
    page.keyboard.type(ANSWERED)
    tab_to(page, "Ask")
    page.keyboard.press("Enter")
    page.wait_for_url("**/answers/*/")
    tab_to(page, "Open in source")
    page.keyboard.press("Enter")
    page.wait_for_url("**/sources/**")
    expect(page.locator("mark").first).to_be_visible()


def test_keys_alone_approve(open_page: Open, site: Running, tmp_path: Path) -> None:
    bring_in(site, tmp_path, "harbour.md", "# Harbour\n\nBoats moor at the outer pier.\n")
    page = open_page("paul", "/review/")
    tab_to(page, "Harbour")
    page.keyboard.press("Enter")
    page.wait_for_url("**/change/")
    tab_to(page, "Approve this text")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("approved")
