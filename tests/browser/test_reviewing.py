"""From a changed text to what is served: approve, reject, withdraw, all in the browser."""

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.serving import Running
from tests.browser.steps import ask, bring_in, results, search

OLD = "The bicycle shed is locked at eight in the evening by the porter."
NEW = "The bicycle shed is locked at ten in the evening by the porter."
QUESTION = "When is the bicycle shed locked?"
YESTERDAY = (date.today() - timedelta(days=1)).isoformat()  # noqa: DTZ011  the site's zone is UTC


@pytest.fixture(scope="module", autouse=True)
def changed_source(site: Running, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A rule in force since last year, and a changed text of it that waits."""
    folder: Path = tmp_path_factory.mktemp("texts")
    head = "---\nid: bicycles\ntitle: Bicycle shed\n"
    old = f"{head}valid_from: 2025-01-01\n---\n# Bicycle shed\n\n{OLD}\n"
    bring_in(site, folder, "bicycles.md", old, "--approve")
    bring_in(site, folder, "bicycles.md", f"{head}---\n# Bicycle shed\n\n{NEW}\n")


def open_review(page: Page, title: str) -> None:
    page.goto("/review/")
    page.get_by_role("link", name=title).first.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(title)


def test_approved_text_is_served_at_once_and_the_old_one_as_of_yesterday(open_page: Open) -> None:
    reader = open_page("erin")
    search(reader, "bicycle+shed+locked")
    assert OLD in reader.locator(".results").inner_text()

    approver = open_page("paul")
    open_review(approver, "Bicycle shed")
    expect(approver.locator(".difference ins").first).to_contain_text("ten")
    expect(approver.locator(".difference del").first).to_contain_text("eight")
    approver.get_by_role("button", name="Approve this text").click()
    expect(approver.get_by_role("status").first).to_contain_text("approved")

    reader.reload()
    shown = reader.locator(".results").inner_text()
    assert NEW in shown and OLD not in shown
    search(reader, "bicycle+shed+locked", as_of=YESTERDAY)
    shown = reader.locator(".results").inner_text()
    assert OLD in shown and NEW not in shown


def test_withdrawn_text_is_gone_at_once_everywhere(open_page: Open) -> None:
    reader = open_page("erin", "/ask/")
    ask(reader, QUESTION)
    answer = reader.url
    assert NEW in reader.content()
    reader.get_by_role("link", name="Open in source").first.click()
    source = reader.url
    search(reader, "bicycle+shed+locked")
    reader.get_by_role("link", name="Bicycle shed").first.click()
    reader.wait_for_url("**/sources/**")

    approver = open_page("paul")
    approver.goto("/review/rag/revision/?state=approved")
    approver.get_by_role("link", name="Bicycle shed").first.click()
    approver.locator("summary", has_text="Withdraw").click()
    approver.get_by_label("Reason").fill("The shed was torn down.")
    approver.get_by_role("button", name="Withdraw this text").click()
    expect(approver.get_by_role("status").first).to_contain_text("withdrawn")

    reader.watch.expect("404")  # type: ignore[attr-defined]
    reader.go_back()
    expect(reader.get_by_role("searchbox")).to_have_value("bicycle shed locked")
    assert NEW not in reader.content()
    assert "Bicycle shed" not in results(reader)
    for address in (answer, "/answers/", source, "/sources/?q=bicycle", "/search/"):
        reader.goto(address)
        assert NEW not in reader.content(), address
    reader.goto(answer)
    expect(reader.locator("main")).to_contain_text("withdrawn")
    ask(reader, QUESTION)
    assert reader.locator(".quotation").count() == 0


def test_withdrawn_text_stays_on_record_for_who_reviews(open_page: Open) -> None:
    page = open_page("rita", "/review/rag/revision/?state=withdrawn")
    page.get_by_role("link", name="Bicycle shed").first.click()
    expect(page.locator("main")).to_contain_text(NEW)
    expect(page.locator("main")).to_contain_text("The shed was torn down.")
    assert page.get_by_role("button", name="Approve this text").count() == 0


def test_reviewer_reads_and_does_not_decide(open_page: Open) -> None:
    page = open_page("rita")
    open_review(page, "Parking")
    assert page.locator("main form[method=post]").count() == 0


def test_rejection_needs_a_reason_and_keeps_it(open_page: Open) -> None:
    page = open_page("paul")
    open_review(page, "Parking")
    page.locator("summary", has_text="Reject").click()
    reason = page.get_by_label("Reason")
    assert reason.evaluate("field => field.required")
    reason.fill("The fees are missing.")
    page.get_by_role("button", name="Reject this text").click()
    expect(page.get_by_role("status").first).to_contain_text("rejected")
    page.goto("/review/")
    assert page.get_by_role("link", name="Parking").count() == 0


def test_hidden_characters_are_shown_to_who_approves(
    open_page: Open, site: Running, tmp_path: Path
) -> None:
    text = "# Trap\n\nThe pass\u200bword is ch\u202eanged every year by p\u0430yroll.\n"
    bring_in(site, tmp_path, "trap.md", text)
    page = open_page("paul")
    open_review(page, "Trap")
    exact: Any = page.locator("main")
    expect(exact).to_contain_text("U+200B")
    expect(exact).to_contain_text("U+202E")
