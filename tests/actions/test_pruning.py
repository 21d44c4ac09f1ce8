"""A rebuild clears away what never got an answer, and runs of long ago; records stay."""

from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from rag.actions import pruning
from rag.models import Answer, AuditEvent, PendingAnswer, RebuildRun
from tests import factories, fakes

pytestmark = pytest.mark.django_db


def test_questions_without_an_answer_go_a_month_after_their_last_sign_of_life() -> None:
    person, now = factories.user("erin", groups=["member"]), timezone.now()
    for state in PendingAnswer.State:
        for days in (29, 31):
            factories.pending_answer(
                person, state=state, heartbeat=now - timedelta(days=days), question=f"{days} days?"
            )
    factories.rebuild()
    assert set(PendingAnswer.objects.values_list("question", flat=True)) == {"29 days?"}
    assert PendingAnswer.objects.count() == len(PendingAnswer.State)


def test_recorded_answers_stay_however_old(tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", "Meals are reimbursed up to EUR 52 per day.")
    factories.rebuild()
    factories.ask("meals", using=fakes.FakeParts())
    Answer.objects.update(asked_at=timezone.now() - timedelta(days=4000))
    events = set(AuditEvent.objects.values_list("pk", flat=True))
    factories.rebuild()
    assert Answer.objects.count() == 1
    assert events <= set(AuditEvent.objects.values_list("pk", flat=True))


def test_the_last_runs_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "RUNS", 3)
    for _ in range(5):
        factories.rebuild()
    kept = list(RebuildRun.objects.order_by("pk"))
    assert len(kept) == 3
    assert kept[-1].outcome == RebuildRun.Outcome.DONE
