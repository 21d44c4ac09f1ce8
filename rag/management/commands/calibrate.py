"""manage.py calibrate"""

import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from rag.actions.calibrating import Proposed, propose_gate, save
from rag.actions.evaluating import read_cases
from rag.actions.profiles import configured
from rag.core.calibration import FOLDS, Calibration, Point
from rag.core.text import visible
from rag.management.base import EvidenceCommand
from rag.management.progress import reporter
from rag.management.requests import path, text_of


def share(text: str) -> float:
    """A share from 0 to 1."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:  # NaN fails here as well
        raise ArgumentTypeError(f"{text!r} is no share from 0 to 1")
    return value


class Command(EvidenceCommand):
    help = "Fit an answer gate to labelled cases, and show what each threshold would cost."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("cases", type=path, help="a file of cases, one JSON object a line")
        parser.add_argument(
            "--most-refused",
            type=share,
            default=1.0,
            help="largest share of answerable cases that the threshold may refuse",
        )
        parser.add_argument("--save", action="store_true", help="keep it for EVIDENCE_GATE")

    def run(self, options: dict[str, Any]) -> int:
        cases = read_cases(text_of(options["cases"]))
        with reporter(sys.stderr) as report:
            found = propose_gate(
                cases,
                configured(),
                most_refused=options["most_refused"],
                report=partial(report, "calibrate"),
            )
        kept = save(found.calibration.gate) if options["save"] else None
        if options["json"]:
            self.print_json(_json(found, kept))
        else:
            self.stdout.write("\n".join(_lines(options["cases"].name, found, kept)))
        return 0


def _json(found: Proposed, kept: Path | None) -> dict[str, Any]:
    calibration = found.calibration
    return {
        "gate": calibration.gate.to_dict(),
        "cases": len(found.examples),
        "answerable": sum(example.answerable for example in found.examples),
        "auroc": calibration.auroc,
        "held_out": asdict(calibration.held_out),
        "least_score_alone": asdict(found.least_score_alone),
        "curve": [asdict(point) for point in calibration.curve],
        "saved": str(kept) if kept else None,
    }


def _lines(name: str, found: Proposed, kept: Path | None) -> Iterator[str]:
    calibration, gate = found.calibration, found.calibration.gate
    answerable = sum(example.answerable for example in found.examples)
    rest = len(found.examples) - answerable
    yield visible(f"{name}: {answerable} answerable and {rest} unanswerable cases")
    yield f"{gate.name}, fitted to {gate.judge}; passes from {gate.least:g} on"
    yield f"  {'bias':12} {gate.bias:9.4f}"
    yield from (f"  {figure:12} {weight:9.4f}" for figure, weight in gate.weights)
    yield f"AUROC of held-out cases ({FOLDS} folds): {calibration.auroc:.3f}"
    yield f"{'':28} wrongly answered  wrongly refused"
    yield _row("this gate, held-out cases", calibration.held_out)
    yield _row("the least score alone", found.least_score_alone)
    yield "trade-off, held-out cases:"
    yield from (_row(f"  passes from {point.least:.2f}", point) for point in _steps(calibration))
    if kept:
        yield visible(f"Kept in {kept}. It is used with EVIDENCE_GATE=calibrated after a restart.")
    else:
        yield "Nothing was changed. --save keeps it for EVIDENCE_GATE=calibrated."


def _steps(calibration: Calibration) -> tuple[Point, ...]:
    """Every fifth point: .05 to .95."""
    return calibration.curve[4::5]


def _row(what: str, point: Point) -> str:
    return f"{what:28} {point.wrongly_answered:16.3f} {point.wrongly_refused:16.3f}"
