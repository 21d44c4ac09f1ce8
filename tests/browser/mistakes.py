"""States after a mistake: what makes no sense, what finds nothing, and forms to make one in."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from playwright.sync_api import Page, expect

from tests.browser.states import Reach, State, opened, revision

# The browser's own checks come first otherwise, and the site never sees the mistake.
_UNCHECKED: Final = "for (const form of document.forms) form.noValidate = true"


def _sent(button: str, **fields: str) -> Reach:
    """Fill the fields in, each by its label, and send them unchecked."""

    def reach(page: Page) -> None:
        page.evaluate(_UNCHECKED)
        for label, value in fields.items():
            page.get_by_label(label.replace("_", " "), exact=True).fill(value)
        page.get_by_role("button", name=button, exact=True).click()
        expect(page.locator("[aria-invalid='true']").first).to_be_visible()

    return reach


def _wrong_window(page: Page) -> None:
    page.locator("details summary").click()
    _sent("Upload", In_force_from="2027-01-01", In_force_until="2026-01-01")(page)


def _without_reason(title: str, button: str) -> Reach:
    def reach(page: Page) -> None:
        revision(title)(page)
        page.locator("details.act summary").click()
        _sent(button)(page)

    return reach


def _password_of(page: Page) -> None:
    opened("erin")(page)
    page.get_by_role("link", name="Set a password").click()
    _sent("Save")(page)


MISTAKES: Final[Mapping[str, State]] = MappingProxyType(
    {
        "ask-error": State("erin", "/ask/", _sent("Ask", Your_question="?!"), ("422",)),
        "search-page-99": State("erin", "/search/?q=the&page=99", expected=("400",)),
        "sources-error": State("erin", f"/sources/?q={'x' * 201}", expected=("400",)),
        "sources-left-out": State("erin", "/sources/?scope=secret"),
        "upload-error": State("rita", "/upload/", _wrong_window, ("422",)),
        "password-change-error": State(
            "erin", "/accounts/password_change/", _sent("Change password", Old_password="x")
        ),
        "password-changed": State("erin", "/accounts/password_change/done/"),
        "reject-error": State(
            "paul", "/review/", _without_reason("Parking", "Reject this text"), ("400",)
        ),
        "withdraw-error": State(
            "paul",
            "/review/rag/revision/?state=approved&q=travel",
            _without_reason("travel", "Withdraw this text"),
            ("400",),
        ),
        "queue-nothing": State("paul", "/review/rag/revision/?q=xylophone"),
        "people-nothing": State("admin", "/review/auth/user/?q=xylophone"),
        "person-new-error": State("admin", "/review/auth/user/add/", _sent("Add"), ("400",)),
        "person-password": State("admin", "/review/auth/user/", _password_of, ("400",)),
        "group-new": State("admin", "/review/auth/group/add/"),
        "scope-new": State("admin", "/review/rag/scope/add/"),
        "grant-new": State("admin", "/review/rag/grant/add/"),
    }
)
