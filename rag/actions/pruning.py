"""What a rebuild clears away: questions that never got an answer, and runs of long ago."""

from datetime import datetime, timedelta
from typing import Final

from rag.models import PendingAnswer, RebuildRun

UNANSWERED: Final = timedelta(days=30)
RUNS: Final = 200


def prune(now: datetime) -> None:
    """Delete questions without an answer 30 days after their last sign of life, and all rebuild
    runs but the last 200. Recorded answers and audit events are not touched.

    One that still waits gives a sign of life every few seconds, so that whatever the row says of
    its state, one that is silent for so long was cancelled, failed or interrupted.
    """
    PendingAnswer.objects.filter(heartbeat__lt=now - UNANSWERED).delete()
    kept = RebuildRun.objects.order_by("-pk").values("pk")[:RUNS]
    RebuildRun.objects.exclude(pk__in=kept).delete()
