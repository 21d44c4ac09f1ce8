"""Hostile strings as the names of uploaded files: shown as text wherever they go, and none runs."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, cast
from urllib.parse import urljoin

import pytest
from django.http.multipartparser import MultiPartParser
from playwright.sync_api import Browser, FilePayload, Locator, Page, expect

from rag.web.forms.upload import MAX_FILES
from tests.browser.conftest import Open, Watch
from tests.browser.harmless import harmless
from tests.browser.serving import Running
from tests.hostile import SIXTY

SLASHES: Final = re.compile(r"[/\\]")


def sent_names() -> Iterator[str]:
    """Each string, and with its slashes replaced, too: what stands before one is cut off."""
    for number, string in enumerate(SIXTY):
        yield f"{string} {number:03}.md"
        if SLASHES.search(string):
            yield f"{SLASHES.sub('_', string)} {number:03} whole.md"


def arrived(name: str) -> str:
    """The name as Django takes it from the request; a browser sends ``%22`` for ``"``."""
    kept = MultiPartParser.sanitize_file_name(cast(MultiPartParser, None), name.replace('"', "%22"))
    assert kept is not None
    return kept


SENT: Final = tuple(sent_names())
NAMES: Final = tuple(map(arrived, SENT))
# An id does not begin with a blank: such a file is refused by its name.
REFUSED: Final = tuple(name for name in NAMES if name[0] == " ")
IDS: Final = sorted(name.removesuffix(".md") for name in NAMES if name not in REFUSED)
TITLES: Final = frozenset(" ".join(name.split()) for name in IDS)


@dataclass(frozen=True)
class Uploaded:
    """What the pages of results showed: names of files, ids, and addresses of the sources."""

    names: list[str]
    ids: list[str]
    addresses: list[str]


@pytest.fixture(scope="module")
def uploaded(site: Running, browser: Browser) -> Iterator[Uploaded]:
    """All the names, uploaded through the page by a reviewer, and indexed."""
    context = browser.new_context(base_url=site.address)
    context.add_cookies([site.session_of("rita")])
    watch, page = Watch(context, site.address), context.new_page()
    seen = Uploaded([], [], [])
    for start in range(0, len(SENT), MAX_FILES):
        upload(page, start, SENT[start : start + MAX_FILES])
        seen.names.extend(shown(page.locator(".files .name bdi")))
        seen.ids.extend(shown(page.locator(".files .became bdi")))
        links = page.locator(".files a")
        seen.addresses.extend(links.evaluate_all("links => links.map((a) => a.pathname)"))
        harmless(page)
    context.close()
    assert watch.faults() == []
    site.run("rebuild")
    yield seen


def upload(page: Page, start: int, names: tuple[str, ...]) -> None:
    files = [
        FilePayload(name=name, mimeType="text/markdown", buffer=f"The walrus {at} naps.\n".encode())
        for at, name in enumerate(names, start)
    ]
    page.goto("/upload/")
    page.get_by_label("File").set_input_files(files)
    page.get_by_label("Scope").select_option("public")
    page.get_by_role("button", name="Upload").click()
    expect(page.locator(".files")).to_be_visible()


def shown(elements: Locator) -> list[str]:
    """The text of each element as it stands in the document."""
    return elements.all_text_contents()


def all_pages(page: Page, path: str, selector: str) -> Iterator[str]:
    """The texts of a list that may go over several pages; each page is harmless."""
    page.goto(path)
    while True:
        harmless(page)
        yield from shown(page.locator(selector))
        later = page.get_by_role("link", name="Next", exact=True)
        if not later.count():
            return
        page.goto(urljoin(page.url, later.get_attribute("href")))


def test_names_arrive_and_are_shown_as_text_on_the_page_of_results(uploaded: Uploaded) -> None:
    assert len(set(NAMES)) == len(SENT) > len(SIXTY)
    assert sorted(uploaded.names) == sorted(NAMES)
    assert sorted(uploaded.ids) == IDS


def test_no_file_name_runs_in_the_queue(open_page: Open, uploaded: Uploaded) -> None:
    page = open_page("rita", "about:blank")
    assert set(IDS) <= set(all_pages(page, "/review/rag/revision/", ".result .path"))
    assert set(all_pages(page, "/review/rag/revision/", ".result h2")) >= TITLES


def test_no_file_name_runs_on_its_review_page(open_page: Open, uploaded: Uploaded) -> None:
    page = open_page("paul", "about:blank")
    headings = []
    for address in uploaded.addresses[::3]:
        page.goto(f"/review/rag/revision/{address.split('/')[2]}/change/")
        headings.extend(shown(page.locator("h1")))
        harmless(page)
    assert len(set(headings)) >= 30
    assert set(headings) <= TITLES


def test_no_file_name_runs_on_its_source_page(open_page: Open, uploaded: Uploaded) -> None:
    page = open_page("rita", "about:blank")
    headings = []
    for address in uploaded.addresses[1::3]:
        page.goto(address)
        headings.extend(shown(page.locator("h1")))
        harmless(page)
    assert len(set(headings)) >= 30
    assert set(headings) <= TITLES


def test_no_file_name_runs_in_the_record(open_page: Open, uploaded: Uploaded) -> None:
    page = open_page("admin", "about:blank")
    events = list(all_pages(page, "/review/rag/auditevent/?q=rita", ".events summary"))
    for name in IDS:
        assert any(name in event for event in events), name
