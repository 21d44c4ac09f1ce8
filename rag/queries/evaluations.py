"""Earlier runs of an evaluation."""

from django.db.models import Q

from rag.models import EvaluationRun


def previous_run(run: EvaluationRun) -> EvaluationRun | None:
    """The run before of the same cases in the same mode, with answers if this one had them."""
    answered = ~Q(gate="") if run.gate else Q(gate="")
    same = EvaluationRun.objects.filter(
        answered, cases_sha256=run.cases_sha256, mode=run.mode, k=run.k
    )
    return same.filter(pk__lt=run.pk).order_by("-pk").first()
