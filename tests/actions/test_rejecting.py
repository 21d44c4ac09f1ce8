"""Rejecting a pending revision, and asking for its approval ahead of the index."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User

from rag.actions.checking import check
from rag.actions.governing import approve, reject, request_approval, today, withdraw
from rag.core.errors import NotAllowed, NotFound
from rag.models import AuditEvent, Revision
from rag.queries.reviewing import effect_of_approval, siblings_of
from tests import factories

RULE = "Meals on business trips are reimbursed up to EUR 45 per day."
NEW = "Meals on business trips are reimbursed up to EUR 52 per day."
pytestmark = pytest.mark.django_db


def draft(folder: Path, text: str = RULE, **front: Any) -> Revision:
    """A pending revision that no rebuild has seen."""
    return factories.import_text(folder, "a", text, approve=False, **front)


def ask(revision: Revision, **changed: str) -> Revision:
    """Ask for the approval of the text as it is shown."""
    wish = {"actor": "op", "shown_sha256": revision.text_sha256} | changed
    return request_approval(revision.document_id, **wish)


def events(action: str) -> list[AuditEvent]:
    return list(AuditEvent.objects.filter(action=action))


# Rejecting


def test_a_rejection_keeps_its_reason_and_names_only_its_hash(tmp_path: Path) -> None:
    revision = reject(draft(tmp_path).document_id, actor="op", reason="Names no owner.")
    revision.refresh_from_db()
    assert (revision.state, revision.reason) == ("rejected", "Names no owner.")
    [event] = events("reject")
    assert (event.actor, event.subject) == ("op", str(revision))
    assert event.details["document_id"] == revision.document_id
    assert "owner" not in str(event.details)


def test_a_rejected_text_leaves_the_index_and_is_never_approved(tmp_path: Path) -> None:
    revision = draft(tmp_path)
    factories.rebuild()
    reject(revision.document_id, actor="op", reason="r")
    with pytest.raises(NotAllowed, match="is rejected"):
        approve(revision.document_id, actor="op", shown_sha256=revision.text_sha256)
    factories.rebuild()
    assert not revision.chunks.exists()
    assert check(factories.parts()) == []


def test_a_rejection_takes_back_the_request_for_approval(tmp_path: Path) -> None:
    revision = ask(draft(tmp_path))
    reject(revision.document_id, actor="op", reason="r")
    factories.rebuild()
    revision.refresh_from_db()
    assert (revision.state, revision.approval_requested_by) == ("rejected", "")


def test_only_what_is_pending_is_rejected(tmp_path: Path) -> None:
    revision = factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    with pytest.raises(NotAllowed, match="is approved; only a pending"):
        reject(revision.document_id, actor="op", reason="r")
    withdraw(revision.document_id, actor="op", reason="r")
    with pytest.raises(NotAllowed, match="is withdrawn; only a pending"):
        reject(revision.document_id, actor="op", reason="r")
    assert events("reject") == []


@pytest.mark.parametrize("reason", ["", " \n "])
def test_a_rejection_without_a_reason_is_refused(tmp_path: Path, reason: str) -> None:
    revision = draft(tmp_path)
    with pytest.raises(NotAllowed, match="A reason is needed"):
        reject(revision.document_id, actor="op", reason=reason)
    assert Revision.objects.get().state == "pending"


def test_nobody_rejects_and_nothing_is_rejected_that_is_not_there(tmp_path: Path) -> None:
    revision = draft(tmp_path)
    with pytest.raises(NotFound, match="no user"):
        reject(revision.document_id, actor="nobody", reason="r")
    with pytest.raises(NotFound, match="no revision"):
        reject("0" * 64, actor="op", reason="r")
    assert Revision.objects.get().state == "pending"


# Asking for an approval


def test_a_requested_approval_is_carried_out_by_the_next_rebuild(tmp_path: Path) -> None:
    factories.user("ann")
    revision = ask(draft(tmp_path), actor="ann")
    assert (revision.state, revision.approval_requested_by) == ("pending", "ann")
    factories.rebuild()
    revision.refresh_from_db()
    assert (revision.state, revision.approved_by) == ("approved", "ann")
    [requested], [approved] = events("request_approval"), events("approve")
    assert requested.details == approved.details
    assert requested.actor == approved.actor == "ann"


def test_the_approval_of_another_text_is_not_requested(tmp_path: Path) -> None:
    with pytest.raises(NotAllowed, match="not the text that was shown"):
        ask(draft(tmp_path), shown_sha256="0" * 64)
    assert (Revision.objects.get().approval_requested_by, events("request_approval")) == ("", [])


def test_an_approval_is_requested_once_and_only_ahead_of_the_index(tmp_path: Path) -> None:
    revision = ask(draft(tmp_path))
    with pytest.raises(NotAllowed, match="requested already, by op"):
        ask(revision)
    later = draft(tmp_path, NEW, version="2")
    factories.rebuild()
    with pytest.raises(NotAllowed, match="can be approved at once"):
        ask(later)
    assert len(events("request_approval")) == 1


def test_what_is_decided_cannot_be_requested(tmp_path: Path) -> None:
    revision = draft(tmp_path)
    reject(revision.document_id, actor="op", reason="r")
    with pytest.raises(NotAllowed, match="is rejected; only a pending"):
        ask(revision)


def test_an_approval_that_would_never_be_in_force_is_not_requested(tmp_path: Path) -> None:
    revision = draft(tmp_path, valid_from=None, valid_until="2026-01-31")
    with pytest.raises(NotAllowed, match="would never be in force"):
        ask(revision)


# What an approval does is told before


@pytest.mark.parametrize("start", ["2026-03-01", "2026-01-01", "2025-06-01", "2027-06-01", None])
def test_the_effect_foretold_is_the_effect(tmp_path: Path, start: str | None) -> None:
    factories.import_text(tmp_path, "a", RULE, valid_from="2026-01-01", valid_until="2026-12-31")
    factories.import_text(tmp_path, "a", NEW, valid_from="2027-03-01")
    revision = draft(tmp_path, "Another rule.", valid_from=start)
    factories.rebuild()
    told = effect_of_approval(revision, siblings_of(revision), today())
    before = dict(Revision.objects.values_list("pk", "valid_until"))
    done = approve(revision.document_id, actor="op", shown_sha256=revision.text_sha256)
    after = dict(Revision.objects.exclude(pk=done.pk).values_list("pk", "valid_until"))
    assert (done.valid_from, done.valid_until) == (told.first, told.last)
    closed = {closing.revision.pk: closing.day for closing in told.closings}
    assert closed == {pk: day for pk, day in after.items() if day != before[pk]}


def test_a_window_without_a_day_left_is_told_as_such(tmp_path: Path) -> None:
    first = today() - timedelta(days=3)
    factories.import_text(tmp_path, "a", RULE, valid_from=first)
    factories.rebuild()
    revision = draft(tmp_path, NEW, valid_from=first.isoformat())
    [closing] = effect_of_approval(revision, siblings_of(revision), today()).closings
    assert closing.never


def test_approval_asked_for_by_a_closed_account_is_not_carried_out(
    db: None, tmp_path: Path
) -> None:
    revision = factories.import_text(tmp_path, "a", "Meals are reimbursed up to EUR 52 per day.")
    User.objects.filter(username="op").update(is_active=False)
    report = factories.rebuild()
    assert report.approved == []
    assert "'op', who asked for its approval, has no active account" in report.refused[0]
    revision.refresh_from_db()
    assert (revision.state, revision.indexed) == ("pending", True)
