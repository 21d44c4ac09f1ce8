"""How the index stands: what is in it, what waits, and how the last rebuilds went."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q

from rag import models
from rag.core.index import Manifest
from rag.core.sources import State
from rag.models import AuditEvent, RebuildRun, Revision

LAST: Final = 10
# The newest start stands among the newest events, or it is old. Looking through all of them would
# take the longer the less was ever started.
RECENT_EVENTS: Final = 1000
START: Final = "start_rebuild"
_INDEXABLE: Final = (State.PENDING.value, State.APPROVED.value)


@dataclass(frozen=True)
class Counts:
    """Revisions by what they wait for. ``leaving`` are no longer served but still indexed."""

    indexed: int
    pending: int
    unindexed: int
    leaving: int


def counts() -> Counts:
    """How many revisions are indexed, wait for approval, or wait for a rebuild."""
    indexed, rows = Q(indexed=True), Revision.objects
    return Counts(
        indexed=rows.filter(indexed).count(),
        pending=rows.filter(indexed, state=State.PENDING.value).count(),
        unindexed=rows.filter(~indexed, state__in=_INDEXABLE).count(),
        leaving=rows.filter(indexed).exclude(state__in=_INDEXABLE).count(),
    )


def manifest_row() -> tuple[Manifest, datetime] | None:
    """The manifest and when it was written; None without an index. Raises ``IndexDamaged``."""
    row = models.Manifest.objects.filter(pk=1).first()
    return (Manifest.from_dict(row.content), row.written_at) if row else None


def last_runs() -> list[RebuildRun]:
    """The last rebuilds, the newest first."""
    return list(RebuildRun.objects.order_by("-pk")[:LAST])


def running_runs() -> frozenset[int]:
    """The keys of the runs that have not said how they ended: at most one of them goes on."""
    rows = RebuildRun.objects.filter(outcome=RebuildRun.Outcome.RUNNING)
    return frozenset(rows.values_list("pk", flat=True))


def failed_approvals() -> Sequence[str]:
    """Why the last rebuild could not approve what still waits for it, a sentence each."""
    done = RebuildRun.objects.filter(outcome=RebuildRun.Outcome.DONE).order_by("-pk").first()
    waiting = Revision.objects.filter(state=State.PENDING.value).exclude(approval_requested_by="")
    names = [f"{revision} " for revision in waiting.defer("text").select_related("source")]
    sentences = done.report.get("refused", []) if done else []
    return [sentence for sentence in sentences if sentence.startswith(tuple(names))]


def unanswered_start() -> datetime | None:
    """When a rebuild was asked for that has not begun yet, or None."""
    newest = AuditEvent.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    recent = AuditEvent.objects.filter(pk__gt=newest - RECENT_EVENTS, action=START)
    asked = recent.order_by("-pk").values_list("at", flat=True).first()
    begun = RebuildRun.objects.order_by("-pk").values_list("started_at", flat=True).first()
    return asked if asked and (begun is None or begun < asked) else None
