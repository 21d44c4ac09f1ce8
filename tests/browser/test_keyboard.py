"""Asking, uploading, rebuilding, deciding and giving access, with keys alone."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import Open
from tests.browser.serving import Running
from tests.browser.steps import ANSWERED, bring_in, results, search

MOST_TABS = 80
# What has the focus, as it is called: by its label, or by the words on it.
FOCUSED = """() => {
    const focused = document.activeElement;
    const words = focused.labels?.[0]?.innerText || focused.innerText || focused.ariaLabel || "";
    return words.trim().replace(/\\s+/g, " ");
}"""


def tab_to(page: Page, words: str, *, exact: bool = False) -> None:
    """Press Tab until what has the focus is called so; not exact: begins so."""
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        name = page.evaluate(FOCUSED)
        if name == words or (name.startswith(words) and not exact):
            return
    raise AssertionError(f"no Tab leads to {words!r}")


def press(page: Page, words: str, key: str = "Enter") -> None:
    """Tab there and press the key."""
    tab_to(page, words)
    page.keyboard.press(key)


def test_keys_alone_ask_and_open_the_source(open_page: Open) -> None:
    page = open_page("erin", "/ask/")
    page.get_by_role("textbox", name="question").wait_for()
    for _ in range(MOST_TABS):
        if page.evaluate("document.activeElement.localName") == "textarea":
            break
        page.keyboard.press("Tab")
    page.keyboard.type(ANSWERED)
    press(page, "Ask")
    page.wait_for_url("**/answers/*/")
    press(page, "Open in source")
    page.wait_for_url("**/sources/**")
    expect(page.locator("mark").first).to_be_visible()


def test_keys_alone_approve(open_page: Open, site: Running, tmp_path: Path) -> None:
    bring_in(site, tmp_path, "harbour.md", "# Harbour\n\nBoats moor at the outer pier.\n")
    page = open_page("paul", "/review/")
    press(page, "Harbour")
    page.wait_for_url("**/change/")
    press(page, "Approve this text")
    expect(page.get_by_role("status").first).to_contain_text("approved")


def test_keys_alone_reject_with_a_reason(open_page: Open) -> None:
    page = open_page("paul", "/review/")
    press(page, "Parking")
    page.wait_for_url("**/change/")
    press(page, "Reject")
    tab_to(page, "Reason")
    page.keyboard.type("The fees are missing.")
    press(page, "Reject this text")
    expect(page.get_by_role("status").first).to_contain_text("rejected")
    page.goto("/review/rag/revision/?state=rejected")
    press(page, "Parking")
    expect(page.locator("main")).to_contain_text("The fees are missing.")


def test_keys_alone_upload(open_page: Open, tmp_path: Path) -> None:
    file = tmp_path / "lantern.md"
    file.write_text("# Lantern\n\nThe lantern is lit at dusk.\n")
    page = open_page("paul", "/upload/")
    # From here on the browser hands over what it would show: told with the key, it may be too late.
    page.on("filechooser", lambda chooser: None)
    tab_to(page, "Files")
    with page.expect_file_chooser() as chosen:
        page.keyboard.press("Space")
    chosen.value.set_files(file)
    tab_to(page, "Scope")
    page.keyboard.press("ArrowDown")
    scope = page.get_by_label("Scope").input_value()
    press(page, "Upload")
    expect(page.locator(".files")).to_contain_text("lantern")
    expect(page.locator("main")).to_contain_text(f"Upload into {scope}")
    press(page, "lantern")
    page.wait_for_url("**/sources/*/")
    expect(page.locator("main")).to_contain_text("The lantern is lit at dusk.")


def test_keys_alone_rebuild_and_see_how_far_it_is(open_page: Open) -> None:
    page = open_page("admin", "/status/")
    ended = page.locator(".runs .chip").count()
    press(page, "Rebuild now")
    expect(page.locator("progress")).to_be_visible()
    expect(page.get_by_role("button", name="Rebuild now")).to_be_disabled()
    expect(page.locator("#said")).to_have_text("The rebuild has ended: done.", timeout=60_000)
    assert page.locator(".runs .chip").count() == ended + 1
    tab_to(page, "Rebuild now")
    assert page.locator("#rebuild-now").evaluate("button => button.matches(':focus-visible')")


def test_keys_alone_give_a_person_a_group(open_page: Open) -> None:
    page = open_page("admin", "/review/auth/user/")
    press(page, "erin")
    page.wait_for_url("**/change/")
    press(page, "reviewer", "Space")
    press(page, "Save")
    expect(page.get_by_role("status").first).to_contain_text("erin is changed.")
    expect(page.get_by_role("row", name="erin")).to_contain_text("reviewer")
    reviewer = open_page("erin")
    expect(reviewer.get_by_role("link", name="Review")).to_be_visible()


def test_keys_alone_grant_a_scope(open_page: Open) -> None:
    reader = open_page("erin")
    search(reader, "parental+leave", scope="hr")
    assert results(reader) == []
    page = open_page("admin", "/review/rag/grant/")
    press(page, "Grant a scope")
    page.wait_for_url("**/add/")
    tab_to(page, "Scope", exact=True)
    page.keyboard.type("hr")
    tab_to(page, "Granted to")
    page.keyboard.type("erin")
    press(page, "Grant")
    expect(page.get_by_role("status").first).to_have_text("erin may read hr.")
    reader.reload()
    assert results(reader)
