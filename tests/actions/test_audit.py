"""The audit trail: chained, append-only, and written in the transaction of each change."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from rag.actions import audit
from rag.actions.audit import FIRST, event_sha256, first_broken_event, record
from rag.actions.governing import approve, erase, withdraw
from rag.actions.people import grant, revoke
from rag.models import AuditEvent, Grant, Manifest, Revision, Scope
from tests import factories

RULE = "Meals on business trips are reimbursed up to EUR 52 per day."


def events() -> list[tuple[str, str, str]]:
    return list(AuditEvent.objects.order_by("pk").values_list("actor", "action", "subject"))


def execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


# The chain


def test_each_event_carries_the_hash_of_the_one_before(db: None) -> None:
    made = [record("ann", "test", str(number), at=number) for number in range(3)]
    stored = list(AuditEvent.objects.order_by("pk"))
    assert [event.previous_sha256 for event in stored] == [FIRST, made[0].sha256, made[1].sha256]
    assert [event_sha256(event) for event in stored] == [event.sha256 for event in made]
    assert first_broken_event() is None


def test_an_event_outside_a_transaction_is_refused(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(audit, "connection", SimpleNamespace(in_atomic_block=False))
    with pytest.raises(RuntimeError, match="in the transaction of its change"):
        record("ann", "test", "a")
    assert not AuditEvent.objects.exists()


REPLACE = (
    "INSERT OR REPLACE INTO rag_auditevent SELECT id, at, 'eve', action, subject, details,"
    " previous_sha256, sha256 FROM rag_auditevent"
)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE rag_auditevent SET actor = 'eve'",
        "DELETE FROM rag_auditevent",
        REPLACE,
    ],
)
def test_the_database_refuses_to_change_an_event(db: None, statement: str) -> None:
    record("ann", "test", "a")
    before = list(AuditEvent.objects.values())
    with pytest.raises(DatabaseError), transaction.atomic():
        execute(statement)
    assert list(AuditEvent.objects.values()) == before


@pytest.mark.parametrize(
    "tampering",
    [
        f"UPDATE rag_auditevent SET {name} = 'eve' WHERE subject = '1'"
        for name in ("actor", "action", "subject", "previous_sha256", "sha256")
    ]
    + [
        """UPDATE rag_auditevent SET details = '{"at": 9}' WHERE subject = '1'""",
        "UPDATE rag_auditevent SET at = '2020-01-01 00:00:00' WHERE subject = '1'",
    ],
)
def test_a_changed_event_is_the_first_broken_one(db: None, tampering: str) -> None:
    made = [record("ann", "test", str(number), at=number) for number in range(3)]
    execute("DROP TRIGGER audit_no_UPDATE")
    execute(tampering)
    assert first_broken_event() == made[1].pk


def test_a_removed_event_breaks_the_next_one(db: None) -> None:
    made = [record("ann", "test", str(number)) for number in range(3)]
    execute("DROP TRIGGER audit_no_DELETE")
    execute("DELETE FROM rag_auditevent WHERE subject = '1'")
    assert first_broken_event() == made[2].pk


def test_events_hold_no_texts(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE, title="Secret title")
    factories.rebuild()
    erase("a", actor="op", reason="request")
    told = str(list(AuditEvent.objects.values()))
    assert "Meals" not in told
    assert "Secret title" not in told


# Each governed action


def test_a_life_of_a_source_is_on_record(db: None, tmp_path: Path) -> None:
    first = factories.import_text(tmp_path, "a", RULE, version="1")
    factories.rebuild()
    second = factories.import_text(
        tmp_path, "a", "Another rule.", version="2", approve=False, valid_from="2026-02-01"
    )
    factories.rebuild()
    approve(second.document_id, actor="op", shown_sha256=second.text_sha256)
    withdraw(second.document_id, actor="op", reason="wrong")
    erase(first.document_id, actor="op", reason="request")
    assert events() == [
        ("operator", "create_scope", "public"),
        ("op", "import", "a version 1"),
        ("op", "request_approval", "a version 1"),
        ("operator", "rebuild", "index"),
        ("op", "approve", "a version 1"),
        ("op", "import", "a version 2"),
        ("operator", "rebuild", "index"),
        ("op", "approve", "a version 2"),
        ("op", "supersede", "a version 1"),
        ("op", "withdraw", "a version 2"),
        ("op", "erase", "a version 1"),
    ]
    assert first_broken_event() is None


def test_grants_are_on_record_once(db: None) -> None:
    factories.user("ann")
    assert grant("hr", user="ann", create_scope=True)
    assert not grant("hr", user="ann")
    assert revoke("hr", user="ann")
    assert not revoke("hr", user="ann")
    actions = [(action, subject) for _, action, subject in events()]
    assert actions == [("create_scope", "hr"), ("grant", "hr"), ("revoke", "hr")]


def test_events_name_what_was_changed(db: None, tmp_path: Path) -> None:
    revision = factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    withdraw("a", actor="op", reason="out of date")
    event = AuditEvent.objects.get(action="withdraw")
    assert event.details == {
        "reason_sha256": hashlib.sha256(b"out of date").hexdigest(),
        "document_id": revision.document_id,
        "source_sha256": revision.source_sha256,
        "text_sha256": revision.text_sha256,
    }


# No change without its event


def state() -> tuple[Any, ...]:
    """Everything that a governed action may change."""
    fields = ("document_id", "state", "status", "valid_until", "text", "approval_requested_by")
    return (
        sorted(Revision.objects.values_list(*fields, "indexed"), key=str),
        sorted(Grant.objects.values_list("scope__name", "user", "group"), key=str),
        sorted(Scope.objects.values_list("name", flat=True)),
        list(Manifest.objects.values_list("generation", flat=True)),
        AuditEvent.objects.count(),
    )


def approve_draft(folder: Path) -> None:
    draft = Revision.objects.get(source__source_id="draft")
    approve(draft.document_id, actor="op", shown_sha256=draft.text_sha256)


ACTIONS: dict[str, Callable[[Path], object]] = {
    "import": lambda folder: factories.import_text(folder, "new", "A new rule."),
    "request": lambda folder: factories.import_text(folder, "draft", "A draft."),
    "approve": approve_draft,
    "withdraw": lambda folder: withdraw("a", actor="op", reason="r"),
    "erase": lambda folder: erase("a", actor="op", reason="r"),
    "grant": lambda folder: grant("public", user="ann"),
    "create scope": lambda folder: grant("new", user="ann", create_scope=True),
    "revoke": lambda folder: revoke("public", group="staff"),
    "rebuild": lambda folder: factories.rebuild(),
}


@pytest.mark.parametrize("name", ACTIONS)
def test_a_change_without_its_event_is_rolled_back(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    factories.user("ann", groups=["staff"])
    grant("public", group="staff", create_scope=True)
    factories.import_text(tmp_path, "a", RULE)
    factories.import_text(tmp_path, "draft", "A draft.", approve=False)
    factories.rebuild()

    def refuse(event: AuditEvent, **options: Any) -> None:
        raise RuntimeError("the record cannot be written")

    before = state()
    monkeypatch.setattr(AuditEvent, "save", refuse)
    with pytest.raises(RuntimeError, match="cannot be written"):
        ACTIONS[name](tmp_path)
    assert state() == before


def test_a_supersession_without_its_event_is_rolled_back_with_the_approval(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    factories.import_text(tmp_path, "draft", RULE)
    factories.rebuild()
    factories.import_text(tmp_path, "draft", "New.", approve=False, valid_from="2026-02-01")
    factories.rebuild()

    def refuse(event: AuditEvent, **options: Any) -> None:
        if event.action == "supersede":
            raise RuntimeError("the record cannot be written")

    before = state()
    monkeypatch.setattr(AuditEvent, "save", refuse)
    draft = Revision.objects.get(state="pending")
    with pytest.raises(RuntimeError, match="cannot be written"):
        approve(draft.document_id, actor="op", shown_sha256=draft.text_sha256)
    assert state() == before
