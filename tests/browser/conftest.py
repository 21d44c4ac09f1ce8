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
        self.context = context
        self._address = address
        self.forget()
        context.on("dialog", self._dialog)
        context.on("request", self._request)
        context.on("console", lambda message: self.seen.append(f"console: {message.text}"))
        context.on("weberror", lambda error: self.seen.append(f"script: {error.error}"))
        context.on("response", self._response)
        context.on("requestfailed", self._failed)

    def forget(self) -> None:
        """Nothing was seen and nothing is expected yet."""
        self.seen: list[str] = []
        self.expected: list[str] = [HURRIED]

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


class Contexts:
    """Browser contexts by their options, for one test after the other.

    A new one costs 0.8 s of processor time, a tab in one that is there 0.3 s: a page that stays
    open keeps its process. A test begins without cookies, in a tab of its own.
    """

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser, self._address = browser, address
        self._idle: list[tuple[dict[str, Any], Watch]] = []
        self._taken: list[tuple[dict[str, Any], Watch]] = []

    def take(self, options: dict[str, Any]) -> Watch:
        """The watch over a context that nothing else uses until ``give_back``."""
        found = next((at for at, (of, _) in enumerate(self._idle) if of == options), None)
        watch = self._new(options) if found is None else self._idle.pop(found)[1]
        self._taken.append((options, watch))
        watch.forget()
        return watch

    def give_back(self) -> list[str]:
        """Close what the test opened; what went wrong there."""
        faults = [fault for _, watch in self._taken for fault in watch.faults()]
        for _, watch in self._taken:
            for page in watch.context.pages[1:]:
                page.close()
            watch.context.clear_cookies()
        self._idle += self._taken
        self._taken = []
        return faults

    def close(self) -> None:
        for _, watch in self._idle:
            watch.context.close()

    def _new(self, options: dict[str, Any]) -> Watch:
        context = self._browser.new_context(base_url=self._address, **options)
        context.set_default_timeout(15_000)
        context.new_page().goto("/accounts/login/")
        return Watch(context, self._address)


@pytest.fixture(scope="module")
def contexts(site: Running, browser: Browser) -> Iterator[Contexts]:
    contexts = Contexts(browser, site.address)
    yield contexts
    contexts.close()


Open = Callable[..., Page]


@pytest.fixture
def open_page(site: Running, contexts: Contexts) -> Iterator[Open]:
    """Open a page as somebody: ``open_page("erin", "/search/", dark=True)``.

    Options are those of a browser context. Watches are checked when the test is over.
    """

    def open_as(name: str, path: str = "/search/", *, dark: bool = False, **options: Any) -> Page:
        scheme: Literal["dark", "light"] = "dark" if dark else "light"
        watch = contexts.take(options | {"color_scheme": scheme})
        if name:
            watch.context.add_cookies([site.session_of(name)])
        page = watch.context.new_page()
        page.watch = watch  # type: ignore[attr-defined]
        page.goto(path)
        return page

    yield open_as
    assert contexts.give_back() == []
