"""States that something has led to: other days, other versions, what is rejected or withdrawn."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from tests.browser.serving import Running
from tests.browser.states import Reach, State, revision

MEALS: Final = "How much is reimbursed for meals on business trips?"
LAUNCH: Final = "What is the launch date of the GX-200?"
PUMP: Final = "How is the pump mounted?"
_PUMP: Final = "# Pump 2 x 3 -> manual\n\n## Mounting\n\nThe pump is mounted with four bolts.\n"
_ROOMS: Final = "# Quiet rooms\n\nA quiet room is free for an hour.\n"
# In one process: each would spend its time on starting.
_HISTORY: Final = """
from django.contrib.auth.models import Group, User
from django.core.management import call_command
from rag.actions.asking import ask
from rag.actions.governing import reject, today, withdraw
from rag.actions.profiles import configured
from rag.core.retrieval import Options
from rag.core.sources import Selection
from rag.models import Revision
from rag.queries.eligibility import access_of_user

User.objects.create_user("nora").groups.add(Group.objects.get(name="member"))
folder = {folder!r}
for name, *approved in (["expenses-2027.md"], ["rooms.md"], ["pump.md", "--approve"]):
    call_command(
        "import_sources", f"{{folder}}/{{name}}", "--scope", "public", "--actor", "admin", *approved
    )
call_command("rebuild")
answer = ask({pump!r}, access_of_user("erin", today()), Selection(), Options(), configured()).answer
assert answer.status == "accepted"
rooms = Revision.objects.get(title="Quiet rooms")
reject(rooms.document_id, actor="admin", reason="Not agreed yet.")
withdraw("pump", actor="admin", reason="Wrong bolts.")
"""


def bring_about(site: Running, folder: Path) -> None:
    """Somebody without a grant, a changed text of an approved source, and the states below."""
    changed = Path("examples/corpus/public/expenses-2026.md").read_text(encoding="utf-8")
    changed = changed.replace('version: "2026"', 'version: "2027"').replace("EUR 25", "EUR 40")
    for name, text in (("expenses-2027", changed), ("rooms", _ROOMS), ("pump", _PUMP)):
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    site.run("shell", "--command", _HISTORY.format(folder=str(folder), pump=PUMP))


def _asked(question: str, **more: str) -> State:
    """The answer to a question that the address fills in."""

    def reach(page: Page) -> None:
        page.get_by_role("button", name="Ask", exact=True).click()
        page.wait_for_url("**/answers/*/")

    return State("erin", f"/ask/?{urlencode({'q': question, **more})}", reach)


OTHER_DAY: Final = _asked(MEALS, as_of="2025-06-01")
DISAGREEING: Final = _asked(LAUNCH)


def _disagreeing(page: Page) -> None:
    DISAGREEING.reach(page)
    expect(page.locator(".quote-card .notice").first).to_be_visible()


def _compared(page: Page) -> None:
    OTHER_DAY.reach(page)
    page.get_by_role("link", name="Open in source").first.click()
    page.get_by_role("button", name="Compare").click()
    expect(page.locator(".difference")).to_be_visible()


def _superseded(page: Page) -> None:
    OTHER_DAY.reach(page)
    page.get_by_role("link", name="Open in source").first.click()
    expect(page.locator(".chip", has_text="superseded").first).to_be_visible()


def _gone(page: Page) -> None:
    page.get_by_role("link", name=PUMP).click()
    expect(page.locator(".gone")).to_be_visible()
    expect(page.get_by_role("button", name="Ask again")).to_be_visible()


def _as_readers_see_it(title: str) -> Reach:
    def reach(page: Page) -> None:
        revision(title)(page)
        page.get_by_role("link", name="As readers see it").click()
        page.wait_for_url("**/sources/*/")

    return reach


def _open_event(page: Page) -> None:
    page.locator(".events summary").first.click()
    expect(page.locator(".events .facts").first).to_be_visible()


_REJECTED: Final = "/review/rag/revision/?state=rejected"
PAST: Final[Mapping[str, State]] = MappingProxyType(
    {
        "answer-other-day": OTHER_DAY,
        "answer-disagreeing": State("erin", DISAGREEING.path, _disagreeing),
        "answer-gone": State("erin", "/answers/", _gone),
        "search-page-2": State("erin", "/search/?q=the&page=2"),
        "sources-all": State("erin", "/sources/?all=on"),
        "source-superseded": State("erin", OTHER_DAY.path, _superseded),
        "source-compared": State("erin", OTHER_DAY.path, _compared),
        "source-rejected": State("paul", _REJECTED, _as_readers_see_it("Quiet rooms")),
        "review-rejected": State("paul", _REJECTED, revision("Quiet rooms")),
        "record-opened": State("admin", "/review/rag/auditevent/?action=approve", _open_event),
    }
)
