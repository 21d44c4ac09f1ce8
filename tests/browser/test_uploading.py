"""From a file in the browser to an index that holds it: upload, rebuild with progress, approve."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import Open
from tests.browser.steps import results, search

SENTENCE = "The lighthouse lamp is tested on the first Monday of every month."


def test_uploaded_text_is_served_once_it_is_indexed_and_approved(
    open_page: Open, tmp_path: Path
) -> None:
    good, bad = tmp_path / "lighthouse.md", tmp_path / "picture.png"
    good.write_text(f"# Lighthouse\n\n{SENTENCE}\n")
    bad.write_bytes(b"\x89PNG")

    reviewer = open_page("rita", "/upload/")
    reviewer.get_by_label("File").set_input_files([good, bad])
    reviewer.get_by_label("Scope").select_option("public")
    reviewer.get_by_role("button", name="Upload").click()
    expect(reviewer.locator(".files")).to_contain_text("lighthouse")
    expect(reviewer.locator(".files")).to_contain_text("picture.png")

    reader = open_page("erin")
    search(reader, "lighthouse+lamp")
    assert "Lighthouse" not in results(reader)

    operator = open_page("admin", "/status/")
    operator.get_by_role("button", name="Rebuild now").click()
    expect(operator.get_by_role("button", name="Rebuild now")).to_be_disabled()
    expect(operator.locator("progress")).to_be_visible()
    expect(operator.get_by_role("button", name="Rebuild now")).to_be_enabled(timeout=60_000)

    approver = open_page("paul", "/review/")
    approver.get_by_role("link", name="Lighthouse").click()
    expect(approver.locator("main")).to_contain_text(SENTENCE)
    approver.get_by_role("button", name="Approve this text").click()
    search(reader, "lighthouse+lamp")
    assert results(reader)[0] == "Lighthouse"
    assert SENTENCE in reader.locator(".results").inner_text()


def test_upload_works_without_script(open_page: Open, tmp_path: Path) -> None:
    file = tmp_path / "harbour.txt"
    file.write_text("Boats longer than twelve metres moor at the outer pier.\n")
    page = open_page("rita", "/upload/", java_script_enabled=False)
    page.get_by_label("File").set_input_files(file)
    page.get_by_label("Scope").select_option("public")
    page.get_by_role("button", name="Upload").click()
    expect(page.locator(".files")).to_contain_text("harbour")


def test_member_has_no_upload(open_page: Open) -> None:
    page = open_page("erin")
    assert page.get_by_role("link", name="Upload").count() == 0
    page.watch.expect("404")  # type: ignore[attr-defined]
    page.goto("/upload/")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is nothing here")
