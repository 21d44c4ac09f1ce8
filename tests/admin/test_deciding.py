"""Approve, reject and withdraw from the page of a revision."""

import html
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.db import connection
from django.http import HttpRequest
from django.test import Client
from django.test.utils import CaptureQueriesContext

from rag.core.retrieval import Mode
from rag.core.sources import Access
from rag.models import AuditEvent, Revision
from rag.web.access import access_of
from tests import factories
from tests.admin.site import NEW, RULE, address, approved, draft, shown, signed_in, words

pytestmark = pytest.mark.django_db
QUEUE = "/review/rag/revision/"
ACTIONS = ("approve", "request_approval", "reject", "withdraw")


def post(client: Client, revision: Revision, action: str, **form: str) -> Any:
    """Decide as the page's own form does, with fields changed by ``form``."""
    fields = {"shown_sha256": revision.text_sha256, "reason": "Because."} | form
    return client.post(address(revision, action), fields)


def decided(actor: str = "paul") -> list[tuple[str, str]]:
    """What is on record of that person."""
    events = AuditEvent.objects.filter(actor=actor).order_by("pk")
    return [(event.action, event.subject) for event in events]


def state_of(revision: Revision) -> str:
    return Revision.objects.get(pk=revision.pk).state


def served() -> list[str]:
    found = factories.search("meals", factories.access("public"), mode=Mode.LEXICAL)
    return [hit.text for hit in found.hits]


def put_out_meanwhile(request: HttpRequest) -> Access:
    """The access of somebody who loses every role just before it is read."""
    User.objects.get(username="paul").groups.clear()
    return access_of(request)


# Each decision


def test_an_approval_serves_the_text_and_leads_back_to_the_queue(tmp_path: Path) -> None:
    old, new = approved(tmp_path, version="1"), draft(tmp_path, NEW, version="2",
                                                      valid_from="2026-03-01")  # fmt: skip
    client = signed_in("paul", "approver")
    response = post(client, new, "approve")
    assert (response.status_code, response.headers["Location"]) == (302, QUEUE)
    assert "meals version 2 is approved." in words(client.get(QUEUE))
    assert served() == [NEW]
    old.refresh_from_db()
    assert old.valid_until == date(2026, 2, 28)
    assert decided() == [("approve", "meals version 2"), ("supersede", "meals version 1")]


def test_a_rejection_keeps_its_reason(tmp_path: Path) -> None:
    revision = draft(tmp_path, version="1")
    client = signed_in("paul", "approver")
    assert post(client, revision, "reject", reason="No owner.").headers["Location"] == QUEUE
    assert state_of(revision) == "rejected"
    assert decided() == [("reject", "meals version 1")]
    assert "No owner." in words(client.get(address(revision)))


def test_a_withdrawal_says_what_stays_closed(tmp_path: Path) -> None:
    approved(tmp_path, version="1")
    new = approved(tmp_path, NEW, version="2", valid_from="2026-03-01")
    client = signed_in("paul", "approver")
    post(client, new, "withdraw", reason="Wrong.")
    assert (state_of(new), served()) == ("withdrawn", [])
    assert decided() == [("withdraw", "meals version 2")]
    page = words(client.get(QUEUE))
    assert (
        "meals version 2 is withdrawn. What it had replaced stays closed: meals version 1" in page
    )


def test_an_approval_asked_for_ahead_is_carried_out_by_the_rebuild(tmp_path: Path) -> None:
    revision = factories.import_text(tmp_path, "meals", RULE, approve=False, version="1")
    client = signed_in("paul", "approver")
    assert post(client, revision, "request_approval").headers["Location"] == QUEUE
    assert state_of(revision) == "pending"
    assert "as paul has requested" in words(client.get(address(revision)))
    factories.rebuild()
    assert state_of(revision) == "approved"
    assert decided() == [("request_approval", "meals version 1"), ("approve", "meals version 1")]


def test_django_s_own_log_stays_empty(tmp_path: Path) -> None:
    post(signed_in("paul", "approver"), draft(tmp_path), "approve")
    assert not LogEntry.objects.exists()


# What is refused


@pytest.mark.parametrize("action", ACTIONS)
def test_the_grant_is_looked_at_in_the_transaction_of_the_decision(
    tmp_path: Path, action: str
) -> None:
    if action == "request_approval":
        revision = factories.import_text(tmp_path, "meals", RULE, approve=False)
    else:
        revision = (approved if action == "withdraw" else draft)(tmp_path)
    client = signed_in("paul", "approver")
    with CaptureQueriesContext(connection) as queries:
        assert post(client, revision, action).status_code == 302
    statements = [query["sql"] for query in queries.captured_queries]
    change = next(n for n, sql in enumerate(statements) if sql.startswith('UPDATE "rag_revision"'))
    check = max(n for n, sql in enumerate(statements[:change]) if '"rag_grant"' in sql)
    opening = [sql.startswith("SAVEPOINT") for sql in statements[:check]]
    closing = [sql.startswith(("RELEASE", "ROLLBACK")) for sql in statements[:change]]
    assert any(opening) and not any(closing)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_role_that_was_taken_meanwhile_decides_nothing(
    tmp_path: Path, action: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As while the decision waits for another writer: the page was let through before."""
    revision = draft(tmp_path)
    client = signed_in("paul", "approver")
    monkeypatch.setattr("rag.admin.revisions.access_of", put_out_meanwhile)
    assert post(client, revision, action).status_code == 404
    assert (state_of(revision), decided()) == ("pending", [])


@pytest.mark.parametrize("sha256", ["0" * 64, "", "x"])
@pytest.mark.parametrize("action", ["approve", "request_approval"])
def test_another_text_than_the_one_shown_is_not_approved(
    tmp_path: Path, action: str, sha256: str
) -> None:
    revision = factories.import_text(tmp_path, "meals", RULE, approve=False)
    if action == "approve":
        factories.rebuild()
    response = post(signed_in("paul", "approver"), revision, action, shown_sha256=sha256)
    assert response.status_code == 409
    assert "is not the text that was shown" in words(response)
    assert "Nothing was changed." in words(response)
    row = Revision.objects.get()
    assert (row.state, row.approval_requested_by, decided()) == ("pending", "", [])


def test_an_approval_needs_the_sha256_of_the_page(tmp_path: Path) -> None:
    revision = draft(tmp_path)
    client = signed_in("paul", "approver")
    assert client.post(address(revision, "approve")).status_code == 409
    assert state_of(revision) == "pending"
    assert revision.text_sha256 in client.get(address(revision)).content.decode()


@pytest.mark.parametrize("first", ["approve", "reject"])
def test_the_second_of_two_approvers_is_told(tmp_path: Path, first: str) -> None:
    revision = draft(tmp_path)
    post(signed_in("ann", "approver"), revision, first)
    for action, part in (("approve", "can be approved"), ("reject", "is rejected")):
        response = post(signed_in("paul", "approver"), revision, action)
        assert response.status_code == 409
        assert f"only a pending revision {part}" in words(response)
    assert decided() == []


@pytest.mark.parametrize("action", ["reject", "withdraw"])
@pytest.mark.parametrize("reason", ["", "  \n ", "x" * 2001])
def test_a_decision_without_a_fair_reason_changes_nothing(
    tmp_path: Path, action: str, reason: str
) -> None:
    make = draft if action == "reject" else approved
    revision = make(tmp_path)
    before = state_of(revision)
    response = post(signed_in("paul", "approver"), revision, action, reason=reason)
    assert response.status_code == 400
    assert 'class="error"' in response.content.decode()
    assert (state_of(revision), decided()) == (before, [])


@pytest.mark.parametrize("reason", ["Too long", " "], ids=["fair", "empty"])
def test_a_reason_for_one_decision_stands_in_no_other_form(tmp_path: Path, reason: str) -> None:
    revision = approved(tmp_path)
    response = post(signed_in("paul", "approver"), revision, "reject", reason=reason)
    page = response.content.decode()
    assert 'action="' + address(revision, "withdraw") in page
    assert "Too long" not in page
    assert 'class="card act" open' not in page and 'aria-invalid="true"' not in page


@pytest.mark.parametrize("reason", [" ", "x" * 2001], ids=["empty", "long"])
@pytest.mark.parametrize(
    ("action", "before", "sentence"),
    [
        ("reject", "approve", "It is approved by now. Nothing was changed."),
        ("reject", "reject", "It is rejected by now. Nothing was changed."),
        ("withdraw", "withdraw", "It is withdrawn by now. Nothing was changed."),
    ],
)
def test_a_reason_that_comes_too_late_is_told_what_happened(
    tmp_path: Path, action: str, before: str, sentence: str, reason: str
) -> None:
    revision = (draft if action == "reject" else approved)(tmp_path)
    post(signed_in("ann", "approver"), revision, before)
    response = post(signed_in("paul", "approver"), revision, action, reason=reason)
    assert response.status_code == 409
    assert sentence in words(response)


def test_a_refused_rejection_says_what_happened(tmp_path: Path) -> None:
    revision = approved(tmp_path, version="1")
    response = post(signed_in("paul", "approver"), revision, "reject")
    assert response.status_code == 409
    sentence = "meals version 1 is approved; only a pending revision is rejected."
    assert f"{sentence} Nothing was changed." in words(response)


@pytest.mark.parametrize("action", ["reject", "withdraw"])
def test_a_reason_that_is_too_long_is_not_lost(tmp_path: Path, action: str) -> None:
    revision = (draft if action == "reject" else approved)(tmp_path)
    response = post(signed_in("paul", "approver"), revision, action, reason="<b>" + "x" * 2001)
    page = response.content.decode()
    assert page.count(">\n&lt;b&gt;xxx") == 1
    assert f'id="{action}_reason"' in page.split("xxx")[0].rpartition("<textarea")[2]
    assert "<details" in page and " open>" in page


def test_what_is_not_indexed_is_not_approved(tmp_path: Path) -> None:
    revision = factories.import_text(tmp_path, "meals", RULE, approve=False)
    response = post(signed_in("paul", "approver"), revision, "approve")
    assert (response.status_code, state_of(revision)) == (409, "pending")
    assert "is not indexed yet" in words(response)


@pytest.mark.parametrize("action", ACTIONS)
def test_a_reviewer_decides_nothing(tmp_path: Path, action: str) -> None:
    revision = draft(tmp_path)
    client = signed_in("rita", "reviewer")
    fields = {"shown_sha256": revision.text_sha256, "reason": "Because."}
    nothing = shown(client.post("/review/nothing/", fields))
    assert shown(client.post(address(revision, action), fields)) == nothing
    assert (state_of(revision), decided("rita")) == ("pending", [])


@pytest.mark.parametrize("action", ACTIONS)
def test_looking_at_the_address_of_a_decision_decides_nothing(tmp_path: Path, action: str) -> None:
    revision = draft(tmp_path)
    client = signed_in("paul", "approver")
    fields = {"shown_sha256": revision.text_sha256, "reason": "Because."}
    response = client.get(address(revision, action), fields, follow=True)
    assert response.redirect_chain == [("../change/", 302)]
    assert response.request["PATH_INFO"] == address(revision)
    assert state_of(revision) == "pending"


@pytest.mark.parametrize("action", ACTIONS)
def test_a_decision_from_elsewhere_is_refused(tmp_path: Path, action: str) -> None:
    revision = draft(tmp_path)
    client = Client(enforce_csrf_checks=True)
    client.cookies = signed_in("paul", "approver").cookies
    assert post(client, revision, action).status_code == 403
    assert state_of(revision) == "pending"


def test_the_page_of_a_refusal_is_escaped(tmp_path: Path) -> None:
    revision = approved(tmp_path, source="<b>meals", version="<i>1")
    response = post(signed_in("paul", "approver"), revision, "approve")
    assert response.status_code == 409
    assert "<b>meals" not in response.content.decode()
    assert "<b>meals version <i>1 is approved" in html.unescape(response.content.decode())
