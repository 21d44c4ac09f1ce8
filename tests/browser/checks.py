"""What holds for every page in every state: accessible, quiet, and nothing overflows.

With EVIDENCE_SCREENS set to a folder, each state is left there as a picture of 1280 and 320 px.
"""

import os
from collections.abc import Mapping
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
# The same page in other colours: only what depends on them is looked at again.
AXE_COLOURS: Final = {"resultTypes": ["violations"], "runOnly": ["color-contrast"]}


def faults_of(open_page: Open, name: str, state: State) -> list[str]:
    """Bring a browser into the state; what is wrong there. Its watch looks at the console.

    The state is reached once: the page then is made dark, narrow and wide as it stands.
    """
    page = open_page(state.person, "about:blank", reduced_motion="reduce")
    for part in state.expected:
        page.watch.expect(part)  # type: ignore[attr-defined]
    page.goto(state.path)
    state.reach(page)
    wrong = violations(page, AXE)
    pictures(page, name, "light")
    page.emulate_media(color_scheme="dark")
    wrong += [f"dark: {fault}" for fault in violations(page, AXE_COLOURS)]
    pictures(page, name, "dark")
    return wrong + [fault for width in (*WIDTHS, ZOOMED) for fault in too_wide(page, width)]


def violations(page: Page, options: Mapping[str, object]) -> list[str]:
    """What axe reports: the rule and the elements."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found = page.evaluate("options => axe.run(options)", options)["violations"]
    return [f"{v['id']}: {[node['target'] for node in v['nodes']][:4]}" for v in found]


def too_wide(page: Page, width: int) -> list[str]:
    page.set_viewport_size({"width": width, "height": 800})
    return [f"{width} px: {overflow(page)} px too wide"] if overflow(page) > 0 else []


def overflow(page: Page) -> int:
    """How many pixels the page is wider than its window."""
    return int(
        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    )


def pictures(page: Page, name: str, scheme: str) -> None:
    """Leave pictures of each width, if pictures are wanted; the page is as wide as before."""
    folder = os.environ.get("EVIDENCE_SCREENS")
    for width in WIDTHS[::-1] if folder else ():
        page.set_viewport_size({"width": width, "height": 800})
        page.screenshot(path=Path(folder or "") / f"{name}-{width}-{scheme}.png", full_page=True)
