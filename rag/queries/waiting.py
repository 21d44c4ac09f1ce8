"""A person's questions that wait for a chat model, or that never got their answer."""

from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import QuerySet

from rag.models import PendingAnswer

INTERRUPTED: Final = "interrupted"
# The process that waits for the model gives a sign of life every few seconds, and one that finds
# the database busy gives it up to 20 seconds later.
SILENT: Final = timedelta(seconds=60)


def own_pending(person: User) -> QuerySet[PendingAnswer]:
    """The person's questions without an answer, newest first."""
    return PendingAnswer.objects.filter(person=person).order_by("-asked_at", "-pk")


def own_waiting(person: User, now: datetime) -> QuerySet[PendingAnswer]:
    """Those whose answer may still come."""
    alive = {"state": PendingAnswer.State.RUNNING, "heartbeat__gte": now - SILENT}
    return own_pending(person).filter(**alive)


def pending_answer(person: User, answer_id: UUID) -> PendingAnswer | None:
    """One of them; somebody else's is as unknown as one that never was."""
    return own_pending(person).filter(pk=answer_id).first()


def state_now(pending: PendingAnswer, now: datetime) -> str:
    """Its state; a process that died left a row that says "running" and gives no sign of life."""
    running = pending.state == PendingAnswer.State.RUNNING
    return INTERRUPTED if running and now - pending.heartbeat > SILENT else pending.state
