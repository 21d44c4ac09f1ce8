"""Every page of the site in every state that it has, as functions that bring a browser there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from playwright.sync_api import Page, expect

from tests.browser.steps import ANSWERED, REFUSED, STATED, ask

Reach = Callable[[Page], object]


@dataclass(frozen=True)
class State:
    """Who, where, and what is done there; ``expected`` are messages that belong to the state."""

    person: str
    path: str
    reach: Reach = field(default=lambda page: None)
    expected: tuple[str, ...] = ()


def _first_source(page: Page) -> None:
    page.locator("#list a[href^='/sources/']").first.click()
    page.wait_for_url("**/sources/*/")


def _source(title: str) -> Reach:
    def reach(page: Page) -> None:
        page.get_by_role("link", name=title).first.click()
        page.wait_for_url("**/sources/*/**")

    return reach


def _cited(page: Page) -> None:
    ask(page, ANSWERED)
    page.get_by_role("link", name="Open in source").first.click()
    expect(page.locator("mark").first).to_be_visible()


def _readers(page: Page) -> None:
    _source("Expenses policy")(page)
    page.get_by_role("link", name="Who can read this").click()


def revision(title: str) -> Reach:
    def reach(page: Page) -> None:
        page.locator("main").get_by_role("link", name=title).first.click()
        page.wait_for_url("**/change/")

    return reach


def _wrong_password(page: Page) -> None:
    page.get_by_label("Username").fill("erin")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_be_visible()


def _locked_out(page: Page) -> None:
    """A name of nobody, so that no other state is locked out with it."""
    while page.get_by_label("Password").count():
        page.get_by_label("Username").fill("ghost")
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_load_state()
    expect(page.get_by_role("heading", level=1)).to_have_text("Too many failed sign-ins")


def opened(name: str) -> Reach:
    def reach(page: Page) -> None:
        page.locator("main").get_by_role("link", name=name, exact=True).click()
        page.wait_for_url("**/change/")

    return reach


def _refused_upload(page: Page) -> None:
    files = [
        {"name": "good.md", "mimeType": "text/markdown", "buffer": b"# Good\n\nA sentence here.\n"},
        {"name": "photo.png", "mimeType": "image/png", "buffer": b"\x89PNG"},
    ]
    page.get_by_label("File").set_input_files(files)  # type: ignore[arg-type]
    page.get_by_label("Scope").select_option("public")
    page.get_by_role("button", name="Upload").click()
    expect(page.locator(".files")).to_be_visible()


def _open_pill(page: Page) -> None:
    page.get_by_text("Ranking").first.click()


def _keys(page: Page) -> None:
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()


STATES: Final[Mapping[str, State]] = MappingProxyType(
    {
        "sign-in": State("", "/accounts/login/"),
        "sign-in-failed": State("", "/accounts/login/", _wrong_password),
        "sign-in-locked-out": State("", "/accounts/login/", _locked_out, expected=("429",)),
        "password-reset": State("", "/accounts/password_reset/"),
        "password-reset-sent": State("", "/accounts/password_reset/done/"),
        "password-reset-link": State("", "/accounts/reset/AA/aa-aa/"),
        "password-change": State("erin", "/accounts/password_change/"),
        "search-start": State("erin", "/search/"),
        "search": State("erin", "/search/?q=export+csv+reporting"),
        "search-filters": State("hana", "/search/?q=leave&scope=hr", _open_pill),
        "search-nothing": State("erin", "/search/?q=xylophone&mode=lexical&product=GX-100"),
        "search-archive": State("erin", "/search/?q=expenses&archive=superseded"),
        "search-wrong-day": State("erin", "/search/?q=leave&as_of=x", expected=("400",)),
        "search-ungranted": State("nora", "/search/?q=leave"),
        "keys": State("erin", "/search/?q=leave", _keys),
        "ask": State("erin", "/ask/"),
        "answer": State("erin", "/ask/", lambda page: ask(page, ANSWERED)),
        "answer-fact": State("erin", "/ask/", lambda page: ask(page, STATED)),
        "refusal": State("erin", "/ask/", lambda page: ask(page, REFUSED)),
        "history": State("erin", "/answers/"),
        "history-empty": State("nora", "/answers/"),
        "sources": State("erin", "/sources/"),
        "sources-nothing": State("erin", "/sources/?q=xylophone"),
        "source": State("erin", "/sources/", _first_source),
        "source-tables": State("erin", "/sources/?q=travel", _source("Business travel policy")),
        "source-facts": State("erin", "/sources/?q=ACME-PRODUCTS", _first_source),
        "source-cited": State("erin", "/ask/", _cited),
        "readers": State("paul", "/sources/?q=expenses", _readers),
        "upload": State("rita", "/upload/"),
        "uploaded": State("rita", "/upload/", _refused_upload),
        "status": State("admin", "/status/"),
        "review-queue": State("paul", "/review/"),
        "review-approved": State("paul", "/review/rag/revision/?state=approved"),
        "review-pending": State("paul", "/review/", revision("Parking")),
        "review-changed": State("paul", "/review/", revision("Expenses policy")),
        "review-facts": State(
            "paul", "/review/rag/revision/?state=approved&q=ACME-PRODUCTS", revision("facts")
        ),
        "review-reader": State("rita", "/review/", revision("Parking")),
        "people": State("admin", "/review/auth/user/"),
        "person": State("admin", "/review/auth/user/", opened("erin")),
        "person-new": State("admin", "/review/auth/user/add/"),
        "groups": State("admin", "/review/auth/group/"),
        "group": State("admin", "/review/auth/group/", opened("member")),
        "scopes": State("admin", "/review/rag/scope/"),
        "grants": State("admin", "/review/rag/grant/"),
        "record": State("admin", "/review/rag/auditevent/"),
        "nothing": State("erin", "/nowhere/", expected=("404",)),
    }
)
