"""The report of an evaluation: one HTML file that needs nothing else, with its charts as SVG."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.template.loader import render_to_string

from rag.actions.evaluating import Evaluation, Judged, changed
from rag.models import EvaluationRun
from rag.queries.evaluations import previous_run

# Figures that lie in [0, 1] and are shown as bars; the others are counts.
SHARES: Final = (
    "recall", "reciprocal_rank", "ndcg", "char_recall", "char_precision", "char_iou",
    "quote_recall", "quote_precision", "quote_iou", "citation_precision",
)  # fmt: skip
COUNTS: Final = (
    "citations", "valid_citations", "wrongly_answered", "wrongly_refused", "out_of_scope"
)  # fmt: skip
BAR: Final = 320  # width of a bar that means 1
HEIGHT: Final = 120  # of the histogram's highest bar


@dataclass(frozen=True)
class Figure:
    """A figure of one mode, how long its bar is, and what it was in the run before."""

    mode: str
    value: str
    width: float
    before: str


@dataclass(frozen=True)
class Bar:
    """A bar of a histogram: so many cases have their first relevant hit at this rank."""

    label: str
    count: int
    x: int
    height: float

    @property
    def y(self) -> float:
        return HEIGHT - self.height

    @property
    def above(self) -> float:
        return self.y - 5

    @property
    def middle(self) -> int:
        return self.x + 14


@dataclass(frozen=True)
class CaseRow:
    """A case in every mode."""

    case_id: str
    question: str
    verdicts: tuple[str, ...]
    changes: tuple[str, ...]
    failed: bool


def html_report(found: Sequence[Evaluation], runs: Sequence[EvaluationRun]) -> str:
    """The report of all modes of one file of cases, beside the runs before."""
    earlier = [previous_run(run) for run in runs]
    context = {
        "runs": runs,
        "first": runs[0],
        "shares": [(_words(name), list(_figures(name, runs, earlier))) for name in SHARES],
        "counts": [(_words(name), list(_figures(name, runs, earlier))) for name in COUNTS],
        "ranks": [(e.options.mode.value, list(_ranks(e))) for e in found],
        "cases": list(_rows(found, runs)),
        "bar": BAR,
        "height": HEIGHT,
    }
    return render_to_string("evaluation_report.html", context)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _figures(
    name: str, runs: Sequence[EvaluationRun], earlier: Sequence[EvaluationRun | None]
) -> Iterator[Figure]:
    for run, before in zip(runs, earlier, strict=True):
        value = run.figures[name]
        was = _shown(before.figures[name]) if before else ""
        yield Figure(run.mode, _shown(value), BAR * float(value or 0), was)


def _shown(value: float | int | None) -> str:
    if value is None:
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.3f}"


def _ranks(evaluation: Evaluation) -> Iterator[Bar]:
    """How many answerable cases have their first relevant hit at each rank, and how many none."""
    ranks = [_first(judged) for judged in evaluation.judged if judged.case.answerable]
    labels = [*range(1, evaluation.options.k + 1), 0]
    most = max([ranks.count(label) for label in labels], default=0) or 1
    for at, label in enumerate(labels):
        count = ranks.count(label)
        yield Bar(str(label) if label else "none", count, 34 * at, HEIGHT * count / most)


def _first(judged: Judged) -> int:
    """The rank of the first relevant hit; 0 without one."""
    reciprocal = judged.figures.reciprocal_rank
    return round(1 / reciprocal) if reciprocal else 0


def _rows(found: Sequence[Evaluation], runs: Sequence[EvaluationRun]) -> Iterator[CaseRow]:
    """Every case, those that fail in some mode first."""
    changes: list[dict[str, str]] = [changed(run) for run in runs]
    together = list(zip(*(evaluation.judged for evaluation in found), strict=True))
    for judged in sorted(together, key=lambda modes: not any(j.figures.failed for j in modes)):
        case = judged[0].case
        yield CaseRow(
            case_id=case.case_id,
            question=case.question,
            verdicts=tuple(_verdict(each) for each in judged),
            changes=tuple(change.get(case.case_id, "") for change in changes),
            failed=any(each.figures.failed for each in judged),
        )


def _verdict(judged: Judged) -> str:
    """What the case brought, in a few words."""
    return ", ".join(_said(judged)) or "nothing to find"


def _said(judged: Judged) -> Iterator[str]:
    figures = judged.figures
    if figures.recall is not None:
        yield f"recall {figures.recall:.2f}"
        yield f"first at {_first(judged)}" if figures.reciprocal_rank else "none found"
    if judged.decision:
        yield _answer(figures.__dict__)
    if figures.out_of_scope:
        yield f"{figures.out_of_scope} out of scope"


def _answer(figures: dict[str, Any]) -> str:
    if figures["wrongly_answered"] or figures["wrongly_refused"]:
        return "wrongly answered" if figures["wrongly_answered"] else "wrongly refused"
    cited = figures["citations"]
    return f"{figures['valid_citations']} of {cited} quotations" if cited else "refused"
