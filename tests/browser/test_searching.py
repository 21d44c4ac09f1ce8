"""Searching in a browser: live, without JavaScript, by keyboard, and back again."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, expect

from tests.browser.conftest import Open
from tests.browser.serving import Running
from tests.browser.steps import bring_in, is_in_view, results, search

LONG = "\n\n".join(f"## Part {n}\n\nParagraph number {n} of the long manual." for n in range(80))
NEEDLE = "The zebra crossing in the yard is repainted every autumn."


@pytest.fixture(scope="module", autouse=True)
def long_source(site: Running, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A source whose only mention of zebras lies far down."""
    folder: Path = tmp_path_factory.mktemp("texts")
    text = f"# The long manual\n\n{LONG}\n\n## Yard\n\n{NEEDLE}\n\n{LONG}"
    bring_in(site, folder, "long.md", text, "--approve")


def requests_of(page: Page) -> list[Request]:
    """Every search that the page sends from now on."""
    sent: list[Request] = []
    page.on("request", lambda r: sent.append(r) if "/search/" in r.url else None)
    return sent


def test_results_come_while_one_types_without_flooding(open_page: Open) -> None:
    page = open_page("erin")
    sent = requests_of(page)
    page.get_by_role("searchbox").press_sequentially("zebra crossing", delay=20)
    expect(page.locator(".results h2").first).to_have_text("The long manual")
    page.wait_for_timeout(500)
    assert 1 <= len(sent) <= 3
    assert all(request.headers.get("hx-request") == "true" for request in sent)
    assert "q=zebra" in page.url


def test_search_works_without_script(open_page: Open) -> None:
    page = open_page("erin", java_script_enabled=False)
    page.get_by_role("searchbox").fill("zebra crossing")
    page.get_by_role("button", name="Search").click()
    assert results(page)[0] == "The long manual"
    page.get_by_role("link", name="The long manual").first.click()
    assert NEEDLE in "".join(page.locator("mark").all_inner_texts())
    assert is_in_view(page, "mark")


def test_citation_opens_with_its_mark_in_view(open_page: Open) -> None:
    page = open_page("erin", "/search/?q=zebra+crossing")
    page.get_by_role("link", name="The long manual").first.click()
    expect(page.locator("mark").first).to_be_visible()
    page.wait_for_timeout(200)
    marked = "".join(page.locator("mark").all_inner_texts())
    assert NEEDLE in marked
    assert is_in_view(page, "mark")


def test_back_brings_the_results_again(open_page: Open) -> None:
    page = open_page("erin")
    page.get_by_role("searchbox").press_sequentially("zebra crossing", delay=20)
    expect(page).to_have_url(re.compile(r"q=zebra\+crossing"))
    page.get_by_role("link", name="The long manual").first.click()
    page.wait_for_url("**/sources/**")
    page.go_back()
    expect(page.get_by_role("searchbox")).to_have_value("zebra crossing")
    expect(page.locator(".results h2").first).to_have_text("The long manual")


def test_filter_narrows_and_stands_in_the_address(open_page: Open) -> None:
    page = open_page("hana", "/search/?q=leave")
    page.get_by_text("Scope").first.click()
    page.get_by_label("hr", exact=True).check()
    page.wait_for_url("**scope=hr**")
    scopes = page.locator(".results .about .chip").all_inner_texts()
    assert "hr" in scopes and "public" not in scopes


def test_member_of_other_scopes_finds_nothing_of_hr(open_page: Open) -> None:
    page = open_page("erin", "/search/?q=annual+pay+review")
    assert not any("pay" in title.lower() for title in results(page))
    page.get_by_text("Scope").first.click()
    expect(page.get_by_label("hr", exact=True)).to_have_count(0)


@pytest.fixture
def by_keyboard(open_page: Open) -> Iterator[Page]:
    """A page of results on which nothing but keys is used."""
    yield open_page("erin", "/search/?q=export+report")


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.innerText || document.activeElement.value"))


def test_keys_lead_to_the_field_to_results_and_into_a_source(by_keyboard: Page) -> None:
    page = by_keyboard
    titles = results(page)
    page.keyboard.press("/")
    assert focused(page) == "export report"
    page.keyboard.press("Tab")
    page.keyboard.press("j")
    first = focused(page)
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert first == focused(page) == titles[0]
    page.keyboard.press("Enter")
    page.wait_for_url("**/sources/**")
    expect(page.locator("mark").first).to_be_visible()


def test_keys_are_explained(by_keyboard: Page) -> None:
    by_keyboard.keyboard.press("?")
    dialog = by_keyboard.get_by_role("dialog")
    expect(dialog).to_be_visible()
    by_keyboard.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_letters_typed_into_the_field_are_letters(by_keyboard: Page) -> None:
    field = by_keyboard.get_by_role("searchbox")
    field.fill("")
    field.press_sequentially("jk/?")
    expect(field).to_have_value("jk/?")
    expect(by_keyboard.get_by_role("dialog")).to_be_hidden()


def test_only_the_number_of_results_is_announced(open_page: Open) -> None:
    page = open_page("erin")
    page.get_by_role("searchbox").press_sequentially("zebra", delay=10)
    status = page.locator("#announced")
    expect(status).to_contain_text("result")
    assert len(status.inner_text()) < 40


def test_search_as_of_another_day(open_page: Open) -> None:
    page = open_page("erin")
    search(page, "annual+leave+days", as_of="2027-02-01")
    assert any("2027" in text for text in page.locator(".results .about").all_inner_texts())
