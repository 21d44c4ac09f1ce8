"""A real site behind gunicorn, and Chromium in front of it.

Every test module gets a copy of one demo site of its own, so that it may change it. Each page
is watched: a message on the console, a dialog, a request that failed or that went elsewhere
fails the test.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from tests.browser.serving import Running, demo_site, serve

# Without a display, as root, and without the services that a browser calls home for.
LAUNCH: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)

# What Chromium says when somebody is in a field before the page is first shown, as tests are.
HURRIED: Final = "Autofocus processing was blocked"


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where the browser is. Without one the tests skip; in CI they fail."""
    found = shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        message = "Chromium is not installed (Debian: apt-get install chromium)"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
        raise AssertionError(message)
    return found


@pytest.fixture(scope="session")
def browser_type_launch_args(chromium: str) -> dict[str, Any]:
    return {"executable_path": chromium, "args": list(LAUNCH)}


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a demo site that no test changes."""
    return demo_site(tmp_path_factory.mktemp("demo") / "home")


@pytest.fixture(scope="module")
def site(chromium: str, demo: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """The module's own copy of the demo site, being served."""
    home = tmp_path_factory.mktemp("site") / "home"
    shutil.copytree(demo, home)
    with serve(home) as running:
        yield running


class Watch:
    """What went wrong on a page: console messages, script errors, failed requests, a dialog, a
    request to anywhere but the site. It only notes: what a listener raises ends no test."""

    def __init__(self, context: BrowserContext, address: str) -> None:
        self.seen: list[str] = []
        self.expected: list[str] = [HURRIED]
        self._address = address
        context.on("dialog", self._dialog)
        context.on("request", self._request)
        context.on("console", lambda message: self.seen.append(f"console: {message.text}"))
        context.on("weberror", lambda error: self.seen.append(f"script: {error.error}"))
        context.on("response", self._response)
        context.on("requestfailed", self._failed)

    def expect(self, part: str) -> None:
        """A message with this in it is part of what the test does."""
        self.expected.append(part)

    def faults(self) -> list[str]:
        return [text for text in self.seen if not any(part in text for part in self.expected)]

    def _dialog(self, dialog: Any) -> None:
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Any) -> None:
        if not request.url.startswith(f"{self._address}/"):
            self.seen.append(f"elsewhere: {request.url}")

    def _response(self, response: Any) -> None:
        if response.status >= 400:
            self.seen.append(f"response: {response.status} {response.url}")

    def _failed(self, request: Any) -> None:
        # A request that a newer one replaces is cancelled on purpose.
        if request.failure != "net::ERR_ABORTED":
            self.seen.append(f"request: {request.failure} {request.url}")


Open = Callable[..., Page]


@pytest.fixture
def open_page(site: Running, browser: Browser) -> Iterator[Open]:
    """Open a page as somebody: ``open_page("erin", "/search/", dark=True)``.

    Options are those of a browser context. Watches are checked when the test is over.
    """
    contexts: list[tuple[BrowserContext, Watch]] = []

    def open_as(name: str, path: str = "/search/", *, dark: bool = False, **options: Any) -> Page:
        scheme: Literal["dark", "light"] = "dark" if dark else "light"
        context = browser.new_context(base_url=site.address, color_scheme=scheme, **options)
        context.set_default_timeout(15_000)
        watch = Watch(context, site.address)
        contexts.append((context, watch))
        if name:
            context.add_cookies([site.session_of(name)])
        page = context.new_page()
        page.watch = watch  # type: ignore[attr-defined]
        page.goto(path)
        return page

    yield open_as
    faults = [fault for _, watch in contexts for fault in watch.faults()]
    for context, _ in contexts:
        context.close()
    assert faults == []
