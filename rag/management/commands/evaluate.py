"""manage.py evaluate"""

import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from rag.actions.answering import in_mode
from rag.actions.evaluating import Evaluation, changed, evaluate, keep, read_cases
from rag.actions.profiles import Parts, configured, default_policy
from rag.core.cases import Case
from rag.core.errors import InvalidFile
from rag.core.policies import POLICIES, policy
from rag.core.retrieval import Mode, Options
from rag.core.text import visible
from rag.management.base import EvidenceCommand
from rag.management.evaluation_report import html_report
from rag.management.printing import decision_json
from rag.management.progress import reporter
from rag.management.requests import add_answer_mode, answer_mode_of, path, text_of
from rag.models import EvaluationRun

MODES = [mode.value for mode in Mode]


class Command(EvidenceCommand):
    help = "Put cases through search, and with --answers through ask; keep and print the figures."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("cases", type=path, help="a file of cases, one JSON object a line")
        parser.add_argument("--mode", choices=[*MODES, "all"], default="hybrid")
        parser.add_argument("--policy", choices=list(POLICIES), help="ranking policy")
        parser.add_argument("--k", type=int, default=10, help="hits that count")
        parser.add_argument("--answers", action="store_true", help="ask for answers, too")
        add_answer_mode(parser)
        parser.add_argument("--report", type=path, help="write a report to this HTML file")

    def run(self, options: dict[str, Any]) -> int:
        file: Path = options["cases"]
        text = text_of(file)
        cases, parts = read_cases(text), configured()
        parts = replace(parts, answering=in_mode(parts.answering, answer_mode_of(options)))
        found = [self._evaluate(cases, how, parts, options["answers"]) for how in _options(options)]
        kept = [keep(evaluation, file.name, text, parts) for evaluation in found]
        if options["report"]:
            _write(options["report"], html_report(found, kept))
        if options["json"]:
            self.print_json(_json(found, options["answers"]))
        else:
            self.stdout.write("\n".join(_lines(kept)))
        return 0

    def _evaluate(
        self, cases: Sequence[Case], options: Options, parts: Parts, answers: bool
    ) -> Evaluation:
        with reporter(sys.stderr) as report:
            told = partial(report, options.mode.value)
            return evaluate(cases, options, parts, answers=answers, report=told)


def _options(options: dict[str, Any]) -> list[Options]:
    ranking = policy(options["policy"]) if options["policy"] else default_policy()
    modes = MODES if options["mode"] == "all" else [options["mode"]]
    return [Options(Mode(mode), ranking, options["k"]) for mode in modes]


def _write(file: Path, report: str) -> None:
    try:
        file.write_text(report, encoding="utf-8")
    except OSError as error:
        raise InvalidFile(str(file), f"it cannot be written ({error})") from None


def _json(found: Sequence[Evaluation], answers: bool) -> dict[str, Any]:
    """The figures and cases of the first mode, and the figures of each."""
    first = found[0]
    return {
        "figures": first.figures,
        "generation_evaluated": answers,
        "modes": {e.options.mode.value: e.figures for e in found},
        "cases": [
            {
                "case_id": judged.case.case_id,
                "hits": [hit.to_dict() for hit in judged.hits],
                "answer": decision_json(judged.decision) if judged.decision else None,
            }
            for judged in first.judged
        ],
    }


def _lines(runs: Sequence[EvaluationRun]) -> Iterator[str]:
    """A table with a line for each figure and a column for each mode, and what changed."""
    first = runs[0]
    yield f"{first.name}: {first.figures['cases']} cases, {first.policy}, k {first.k}"
    yield " ".join([f"{'':20}", *(f"{run.mode:>9}" for run in runs)])
    for name in first.figures:
        if name not in ("cases", "failed_case_ids"):
            shown = (_figure(run.figures[name]) for run in runs)
            yield " ".join([f"{name.replace('_', ' '):20}", *(f"{value:>9}" for value in shown)])
    for run in runs:
        failed = run.figures["failed_case_ids"]
        yield visible(f"failed in {run.mode}: {', '.join(failed) or 'none'}")
        for case_id, how in changed(run).items():
            yield visible(f"  {case_id}: {how}")


def _figure(value: float | int | None) -> str:
    if value is None:
        return "-"
    return str(value) if isinstance(value, int) else f"{value:.3f}"
