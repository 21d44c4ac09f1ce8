"""What holds for every page in every state: accessible, quiet, and nothing overflows.

With EVIDENCE_SCREENS set to a folder, each state is left there as a picture of 1280 and 320 px.
"""

import os
from pathlib import Path
from typing import Final

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Open
from tests.browser.states import State

WIDTHS: Final = (1280, 320)
# 1280 px at 200 % zoom are 640 px of the page's own.
ZOOMED: Final = 640
AXE: Final = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]}  # fmt: skip  # noqa: E501


def faults_of(open_page: Open, name: str, state: State, dark: bool) -> list[str]:
    """Bring a browser into the state; what is wrong there. Its watch looks at the console."""
    page = open_page(state.person, "about:blank", dark=dark, reduced_motion="reduce")
    for part in state.expected:
        page.watch.expect(part)  # type: ignore[attr-defined]
    page.goto(state.path)
    state.reach(page)
    wrong = violations(page)
    for width in (*WIDTHS, ZOOMED):
        page.set_viewport_size({"width": width, "height": 800})
        if overflow(page) > 0:
            wrong.append(f"{width} px: {overflow(page)} px too wide")
        if width in WIDTHS:
            keep(page, f"{name}-{width}-{'dark' if dark else 'light'}")
    return wrong


def violations(page: Page) -> list[str]:
    """What axe reports: the rule and the elements."""
    found = Axe().run(page, options=AXE).response["violations"]
    return [f"{v['id']}: {[node['target'] for node in v['nodes']][:4]}" for v in found]


def overflow(page: Page) -> int:
    """How many pixels the page is wider than its window."""
    return int(
        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    )


def keep(page: Page, name: str) -> None:
    """Leave a picture, if pictures are wanted."""
    folder = os.environ.get("EVIDENCE_SCREENS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)
