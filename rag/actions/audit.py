"""The append-only record of governed changes, chained by hashes from the first event on."""

import hashlib
import json
from typing import Any, Final

from django.db import connection
from django.utils import timezone

from rag.models import AuditEvent

FIRST: Final = "0" * 64
OPERATOR: Final = "operator"
SINGLE_SIGN_ON: Final = "single-sign-on"
# Actors that are nobody's account.
RESERVED: Final = (OPERATOR, SINGLE_SIGN_ON)


def record(actor: str, action: str, subject: str, **details: Any) -> AuditEvent:
    """Append one event. It must be called inside the transaction of the change it records.

    ``details`` hold ids, hashes and dates, never texts. The previous event is read inside the
    same writing transaction, so two writers cannot both follow one event.
    """
    if not connection.in_atomic_block:
        raise RuntimeError("an audit event must be written in the transaction of its change")
    last = AuditEvent.objects.order_by("-pk").first()
    event = AuditEvent(
        at=timezone.now(),
        actor=actor,
        action=action,
        subject=subject,
        details=details,
        previous_sha256=last.sha256 if last else FIRST,
    )
    event.sha256 = event_sha256(event)
    event.save(force_insert=True)
    return event


def event_sha256(event: AuditEvent) -> str:
    """SHA-256 of the event's canonical JSON, which includes the hash of the one before."""
    content = {
        "at": event.at.isoformat(),
        "actor": event.actor,
        "action": event.action,
        "subject": event.subject,
        "details": event.details,
        "previous_sha256": event.previous_sha256,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def first_broken_event() -> int | None:
    """The key of the first event that does not follow from the one before, or None."""
    previous = FIRST
    for event in AuditEvent.objects.order_by("pk").iterator():
        if event.previous_sha256 != previous or event_sha256(event) != event.sha256:
            return event.pk
        previous = event.sha256
    return None
