"""Calibrate: put labelled cases through search and ask with every gate open, and fit a gate."""

import json
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from rag.actions.asking import decide
from rag.actions.evaluating import access_of_case
from rag.actions.profiles import Parts, default_policy, gate_file
from rag.actions.recording import Decision
from rag.core.answerability import CALIBRATED, Gate, named
from rag.core.calibration import Calibration, Example, Point, calibrate, costs
from rag.core.cases import Case
from rag.core.chat import EXTRACTIVE_ALONE
from rag.core.errors import InvalidFile
from rag.core.retrieval import Options
from rag.core.sources import Selection

# Lets everything pass and, since it weighs sentences, no least score refuses any.
ALL: Final = Gate("all", (("sentence", 0.0),), least=0.0)


@dataclass(frozen=True)
class Proposed:
    """A fitted gate beside what the same cases cost with the proposer's least score alone."""

    calibration: Calibration
    examples: tuple[Example, ...]
    least_score_alone: Point


def propose_gate(
    cases: Sequence[Case],
    parts: Parts,
    *,
    most_refused: float,
    report: Callable[[int, int], None],
) -> Proposed:
    """A gate for this site's judge, fitted to these cases. Nothing is recorded or changed.

    Raises OneSided unless both kinds are among them. ``report`` gets (done, total).
    """
    examples = examples_of(cases, parts, report)
    found = calibrate(examples, CALIBRATED, parts.scorer.name, most_refused)
    scores = [example.support.sentence if example.support else None for example in examples]
    reached = [float(s is not None and s >= parts.scorer.minimum) for s in scores]
    return Proposed(
        replace(found, gate=named(found.gate)), tuple(examples), costs(examples, reached, 1.0)
    )


def examples_of(
    cases: Sequence[Case], parts: Parts, report: Callable[[int, int], None]
) -> list[Example]:
    """What each case has to be answered from, asked as a person asks."""
    everything = opened(parts)
    examples = []
    for done, case in enumerate(cases):
        report(done, len(cases))
        found = decided(case, everything)
        examples.append(
            Example(case.case_id, case.answerable, found.support, bool(found.verdict.quotations))
        )
    report(len(cases), len(cases))
    return examples


def opened(parts: Parts) -> Parts:
    """The same parts with a gate that refuses nothing; what is fitted is the extractive answer."""
    return replace(parts, gate=ALL, answering=EXTRACTIVE_ALONE)


def decided(case: Case, parts: Parts) -> Decision:
    """What the case's question would be answered, asked as a person asks."""
    selection = Selection(statuses=case.statuses)
    options = Options(policy=default_policy())
    return decide(case.question, access_of_case(case), selection, options, parts)


def save(gate: Gate) -> Path:
    """Keep the gate for EVIDENCE_GATE=calibrated; the whole file or none of it."""
    file = gate_file()
    try:
        descriptor, draft = tempfile.mkstemp(prefix="gate.", dir=file.parent)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(gate.to_dict(), stream, indent=1)
        Path(draft).replace(file)
    except OSError as error:
        raise InvalidFile(str(file), f"it cannot be written ({error})") from None
    return file
