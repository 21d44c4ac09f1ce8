"""Signing in and out in a browser, with and without JavaScript."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.serving import PASSWORD


def fill_in(page: Page, name: str, password: str) -> None:
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


@pytest.mark.parametrize("script", [True, False], ids=["script", "no script"])
def test_signing_in_and_out(open_page: Open, script: bool) -> None:
    page = open_page("", "/sources/", java_script_enabled=script)
    expect(page).to_have_title("Sign in · Evidence")
    fill_in(page, "erin", PASSWORD)
    expect(page).to_have_title("Sources · Evidence")
    page.get_by_role("button", name="Sign out").click()
    expect(page).to_have_title("Sign in · Evidence")
    page.goto("/sources/")
    expect(page).to_have_title("Sign in · Evidence")


def test_wrong_password_keeps_the_name(open_page: Open) -> None:
    page = open_page("", "/accounts/login/")
    fill_in(page, "erin", "wrong")
    expect(page.get_by_role("alert")).to_contain_text("correct username and password")
    expect(page.get_by_label("Username")).to_have_value("erin")


def test_repeated_failures_lock_out(open_page: Open) -> None:
    page = open_page("", "/accounts/login/")
    page.watch.expect("429")  # type: ignore[attr-defined]
    for _ in range(5):
        fill_in(page, "paul", "wrong")
    expect(page.get_by_role("heading", level=1)).to_have_text("Too many failed sign-ins")


def test_ended_session_over_htmx_becomes_the_whole_sign_in_page(open_page: Open) -> None:
    page = open_page("erin", "/search/?q=leave")
    page.context.clear_cookies()
    page.get_by_role("searchbox").press_sequentially(" days")
    page.wait_for_url("**/accounts/login/**")
    expect(page.get_by_label("Password")).to_be_visible()
    assert page.get_by_role("banner").count() == 1


def test_keyboard_alone_signs_in(open_page: Open) -> None:
    page = open_page("", "/accounts/login/")
    page.keyboard.press("Tab")
    while page.evaluate("document.activeElement.name") != "username":
        page.keyboard.press("Tab")
    page.keyboard.type("erin")
    page.keyboard.press("Tab")
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
