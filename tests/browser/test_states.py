"""Every page and state: accessible, quiet, and nothing overflows, in light and dark.

With EVIDENCE_SCREENS set to a folder, each state is left there as a picture of 1280 and 320 px.
"""

import os
from pathlib import Path
from typing import Final

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from tests.browser.conftest import Open
from tests.browser.serving import Running
from tests.browser.states import STATES
from tests.browser.steps import bring_in

WIDTHS: Final = (1280, 320)
# 1280 px at 200 % zoom are 640 px of the page's own.
ZOOMED: Final = 640
AXE: Final = {"resultTypes": ["violations"], "runOnly": ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"]}  # fmt: skip  # noqa: E501
NORA: Final = """
from django.contrib.auth.models import Group, User
User.objects.create_user("nora").groups.add(Group.objects.get(name="member"))
"""


@pytest.fixture(scope="module", autouse=True)
def more_states(site: Running, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Somebody without a grant, and a changed text of an approved source."""
    site.run("shell", "--command", NORA)
    folder = tmp_path_factory.mktemp("texts")
    changed = Path("examples/corpus/public/expenses-2026.md").read_text(encoding="utf-8")
    changed = changed.replace('version: "2026"', 'version: "2027"').replace("EUR 25", "EUR 40")
    bring_in(site, folder, "expenses-2027.md", changed)


def overflow(page: Page) -> int:
    """How many pixels the page is wider than its window."""
    return int(
        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    )


def violations(page: Page) -> list[str]:
    """What axe reports: the rule and the elements."""
    found = Axe().run(page, options=AXE).response["violations"]
    return [f"{v['id']}: {[node['target'] for node in v['nodes']][:4]}" for v in found]


def keep(page: Page, name: str) -> None:
    folder = os.environ.get("EVIDENCE_SCREENS")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", STATES)
def test_state_is_accessible_quiet_and_fits(open_page: Open, name: str, dark: bool) -> None:
    state = STATES[name]
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
    assert wrong == []
