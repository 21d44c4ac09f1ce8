"""A slow chat model in a browser: what it reads, its answer by itself, and giving it up."""

import re
import shutil
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Page, expect

from tests.browser.checks import faults_of
from tests.browser.conftest import Open
from tests.browser.serving import Running, serve
from tests.browser.states import State
from tests.browser.steps import ANSWERED, ask
from tests.chatting import quotes
from tests.fault_server import Call, fault_server, json_answer

RULE: Final = "you can export CSV from the Actions menu at the top right of any open report."
EXCERPT: Final = re.compile(r'"(S\d)"[^\n]*' + re.escape(RULE))
READING: Final = "The model is reading what was found"


class SlowServer:
    """An Ollama server that answers when it is let."""

    def __init__(self) -> None:
        self.go = threading.Event()

    def __call__(self, call: Call) -> Iterable[bytes]:
        while not (self.go.is_set() or call.closed.is_set()):
            self.go.wait(0.05)
        return json_answer({"message": self._turn(call.body), "done": True})(call)

    def _turn(self, body: Any) -> dict[str, str]:
        found = EXCERPT.search("\n".join(each["content"] for each in body["messages"]))
        assert found
        return {"role": "assistant", "content": quotes((found[1], RULE))}


@pytest.fixture(scope="module")
def server() -> SlowServer:
    return SlowServer()


@pytest.fixture(scope="module")
def site(
    chromium: str, demo: Path, server: SlowServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A copy of the demo site whose answers a slow model proposes."""
    home = tmp_path_factory.mktemp("slow") / "home"
    shutil.copytree(demo, home)
    with fault_server() as provider:
        provider.plays("/api/chat", server)
        settings = {
            "EVIDENCE_ANSWER_MODE": "baseline",
            "EVIDENCE_ANSWER_MODES": "extractive,provider",
            "EVIDENCE_CHAT_ENDPOINT": provider.address,
            "EVIDENCE_CHAT_MODEL": "slow",
        }
        with serve(home, **settings) as running:
            yield running


@pytest.fixture(autouse=True)
def slow(server: SlowServer) -> Iterator[None]:
    """No test leaves a question that waits."""
    server.go.clear()
    yield
    server.go.set()


def wait_for_model(page: Page) -> None:
    ask(page, ANSWERED)
    expect(page.get_by_role("heading", name=READING)).to_be_visible()


def test_the_answer_takes_the_place_of_what_waited(open_page: Open, server: SlowServer) -> None:
    page = open_page("erin", permissions=["clipboard-read", "clipboard-write"])
    wait_for_model(page)
    assert page.locator(".result").count() >= 1
    assert page.locator(".quotation").count() == 0
    server.go.set()
    expect(page.locator(".quotation")).to_contain_text(RULE)
    expect(page.locator("#said")).to_have_text("The answer has arrived.")
    page.get_by_role("button", name="Copy citation").first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert RULE in str(page.evaluate("navigator.clipboard.readText()"))


def test_the_page_may_be_closed_and_the_answer_found_later(
    open_page: Open, server: SlowServer
) -> None:
    page = open_page("hana", "/ask/", java_script_enabled=False)
    ask(page, ANSWERED)
    expect(page.get_by_role("link", name="Look again")).to_be_visible()
    page.close()
    server.go.set()
    later = open_page("hana", "/answers/")
    later.get_by_role("link", name=ANSWERED).first.click()
    expect(later.locator(".quotation")).to_contain_text(RULE)


def test_giving_up_with_the_keyboard(open_page: Open) -> None:
    page = open_page("erin")
    wait_for_model(page)
    page.get_by_role("button", name="Cancel").press("Enter")
    expect(page.get_by_role("heading", name="You cancelled this question")).to_be_visible()
    expect(page.locator("#said")).to_have_text("You cancelled this question")
    expect(page.get_by_role("button", name="Ask again")).to_be_visible()


def test_what_waits_is_accessible_quiet_and_fits(open_page: Open) -> None:
    assert faults_of(open_page, "waiting", State("erin", "/ask/", wait_for_model)) == []


# Who picks the quotations


def choose_rules(page: Page) -> None:
    page.get_by_label("Picked by").select_option("rules, no model")


def test_who_picks_is_chosen_without_a_script(open_page: Open) -> None:
    page = open_page("erin", "/ask/", java_script_enabled=False)
    choose_rules(page)
    page.get_by_role("textbox", name="question").fill(ANSWERED)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.locator(".quotation").first).to_be_visible()  # no model was waited for


def test_the_list_of_who_picks_is_accessible_and_fits(open_page: Open) -> None:
    assert faults_of(open_page, "modes", State("erin", "/ask/", choose_rules)) == []
