"""Asking in a browser: answered, refused, copied, and found again in one's own history."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.steps import ANSWERED, REFUSED, ask, is_in_view


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_answer_is_a_quotation_that_stands_marked_in_its_source(
    open_page: Open, script: bool
) -> None:
    page = open_page("erin", "/ask/", java_script_enabled=script)
    ask(page, ANSWERED)
    quote = page.locator(".quotation").first.inner_text().strip()
    assert "export CSV from the Actions menu" in quote
    page.get_by_role("link", name="Open in source").first.click()
    marked = "".join(page.locator("mark").all_inner_texts())
    assert " ".join(marked.split()) == " ".join(quote.split())
    assert is_in_view(page, "mark")


def test_refusal_says_why_and_shows_what_lies_near(open_page: Open) -> None:
    page = open_page("erin", "/ask/")
    ask(page, REFUSED)
    expect(
        page.get_by_text("Insufficient evidence: no admissible retrieved excerpts.")
    ).to_be_visible()
    expect(page.locator(".refusal")).to_contain_text("GX-999")
    assert page.locator(".result").count() >= 1


def test_refusal_names_nothing_that_one_may_not_read(open_page: Open) -> None:
    page = open_page("erin", "/ask/")
    ask(page, "When is the annual pay review?")
    assert page.locator(".quotation").count() == 0
    assert "salary" not in page.content().lower()


def test_citation_is_copied(open_page: Open) -> None:
    page = open_page("erin", "/ask/", permissions=["clipboard-read", "clipboard-write"])
    ask(page, ANSWERED)
    quote = page.locator(".quotation").first.inner_text().strip()
    page.get_by_role("button", name="Copy citation").first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = str(page.evaluate("navigator.clipboard.readText()"))
    assert quote in copied
    assert page.url.partition("/answers/")[0] in copied


def test_citation_can_be_copied_without_script(open_page: Open) -> None:
    page = open_page("erin", "/ask/", java_script_enabled=False)
    ask(page, ANSWERED)
    quote = page.locator(".quotation").first.inner_text().strip()
    page.get_by_text("Citation to copy").first.click()
    expect(page.get_by_label("In plain words").first).to_be_visible()
    assert quote in page.get_by_label("In plain words").first.input_value()


def test_own_questions_are_found_again_and_nobody_elses(open_page: Open) -> None:
    page = open_page("erin", "/ask/")
    ask(page, ANSWERED)
    answer = page.url
    page.goto("/answers/")
    page.get_by_role("link", name=ANSWERED).first.click()
    assert page.locator(".quotation").count() >= 1
    other = open_page("hana", "/answers/")
    assert ANSWERED not in other.content()
    other.watch.expect("404")  # type: ignore[attr-defined]
    other.goto(answer)
    expect(other.get_by_role("heading", level=1)).to_have_text("There is nothing here")


def test_same_question_as_of_another_day(open_page: Open) -> None:
    page = open_page("erin", "/ask/")
    ask(page, ANSWERED)
    page.get_by_text("Ask as of another day").first.click()
    day = page.locator("input[type=date]:visible").first
    day.fill("2024-01-01")
    day.press("Enter")
    page.wait_for_url(lambda url: "/answers/" in url or "as_of=2024-01-01" in url)
    if "/ask/" in page.url:
        page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_text("1 January 2024").first).to_be_visible()
    assert page.locator(".quotation").count() == 0
