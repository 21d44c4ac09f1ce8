"""Measures answer gates on sets that they were not fitted to.

    .venv/bin/python -m benchmarks.answerability --homes FOLDER [--sets internal,scifact]
        [--shared ../shared] [--most-refused 1.0] [--json]

Builds the sites that are missing below --homes, puts every case through search and ask with every
gate open, keeps the figures beside each site (examples-NAME.jsonl, used again where it stands),
and then fits without models: on all sets but one, measured on that one; and on one half of a set,
measured on the other. Prints one table.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.evalsets.unanswerable import GATE_SETS, GateSet
from benchmarks.evaluation import PROJECT, build
from rag.core.answerability import GATES, Gate, Support
from rag.core.calibration import Example, Point, auroc, calibrate, costs

MINIMUM = 2.75  # the proposer's least score without a gate
# Sets whose languages the models read; the others are measured and never fitted to.
FITTED_TO = ("strange", "nomiracl-en", "ramdocs", "scifact", "xquad-half")


@dataclass(frozen=True)
class Asked:
    """An example, and whether a quotation of its open-gate answer covers half of a gold span."""

    example: Example
    right: bool


def asked(home: Path, name: str, entries: Sequence[Mapping[str, Any]]) -> list[Asked]:
    """What each case of a built site has to be answered from; made once."""
    file = home / f"examples-{name}.jsonl"
    if not file.exists():
        cases = home / f"{name}-gate.jsonl"
        cases.write_text("".join(json.dumps(e) + "\n" for e in entries), encoding="utf-8")
        command = [sys.executable, "-m", "benchmarks.answerability", "--collect", str(cases)]
        environment = os.environ | {"EVIDENCE_HOME": str(home)}
        done = subprocess.run(
            command, cwd=PROJECT, env=environment, stdout=subprocess.PIPE, text=True, check=True
        )
        file.write_text(done.stdout, encoding="utf-8")
    return [_asked(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]


def _asked(entry: dict[str, Any]) -> Asked:
    support = Support(**entry["support"]) if entry["support"] else None
    example = Example(entry["case_id"], entry["answerable"], support, entry["answered"])
    return Asked(example, entry["right"])


def collect(file: Path) -> None:
    """Print an example for each case, asked in this process's site."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evidencesite.settings")
    import evidencesite  # noqa: F401, I001  the process's SQLite, before Django
    import django

    django.setup()
    from rag.actions.calibrating import decided, opened
    from rag.actions.evaluating import read_cases
    from rag.actions.profiles import configured

    parts = opened(configured())
    for case in read_cases(file.read_text(encoding="utf-8")):
        decision = decided(case, parts)
        quotations = decision.verdict.quotations
        entry = {
            "case_id": case.case_id,
            "answerable": case.answerable,
            "support": asdict(decision.support) if decision.support else None,
            "answered": decision.verdict.accepted,
            "right": any(
                _covers(q.supplied.source_id, q.start_char, q.end_char, span)
                for q in quotations
                for span in case.relevant
            ),
        }
        print(json.dumps(entry), flush=True)


def _covers(source_id: str, start: int, end: int, span: Any) -> bool:
    """Whether the slice covers half of a gold span; any slice does where the source is gold."""
    if source_id != span.source_id:
        return False
    if span.start_char is None:
        return True
    shared = min(end, span.end_char) - max(start, span.start_char)
    return bool(2 * shared >= span.end_char - span.start_char)


def row(
    name: str, found: Sequence[Asked], chances: Sequence[float], least: float
) -> dict[str, Any]:
    """The figures of one rule on one set."""
    examples = [each.example for each in found]
    point: Point = costs(examples, chances, least)
    passed = [e.answered and c >= least for e, c in zip(examples, chances, strict=True)]
    correct = sum(p and each.right for p, each in zip(passed, found, strict=True))
    return {
        "rule": name,
        "cases": len(found),
        "auroc": auroc(examples, chances),
        "wrongly_answered": point.wrongly_answered,
        "wrongly_refused": point.wrongly_refused,
        "correct": correct,
        "wrong": sum(passed) - correct,
    }


def chances_of(gate: Gate, found: Sequence[Asked]) -> list[float]:
    return [gate.chance(each.example.support) if each.example.support else 0.0 for each in found]


def sentences(found: Sequence[Asked]) -> list[float]:
    """The best sentence's score: what decides without a gate."""
    supports = [each.example.support for each in found]
    return [s.sentence if s and s.sentence is not None else -99.0 for s in supports]


def merged(sets: Mapping[str, Sequence[Asked]], names: Sequence[str]) -> list[Example]:
    """The examples of several sets, under ids that cannot meet."""
    return [
        Example(f"{name}/{e.example.case_id}", e.example.answerable, e.example.support,
                e.example.answered)
        for name in names
        for e in sets[name]
    ]  # fmt: skip


def measured(sets: Mapping[str, Sequence[Asked]], most_refused: float) -> dict[str, Any]:
    """Figures by set: without a gate, with the named gates, and with gates fitted elsewhere."""
    found: dict[str, Any] = {}
    for name, cases in sets.items():
        others = [n for n in FITTED_TO if n in sets and n != name and not _same(n, name)]
        gate = calibrate(merged(sets, others), "others", "", most_refused).gate
        rows = [row("answer all", cases, [1.0] * len(cases), 0.5)]
        rows.append(row(f"least score {MINIMUM:g}", cases, sentences(cases), MINIMUM))
        for known in GATES.values():
            if known.weights:
                rows.append(row(known.name, cases, chances_of(known, cases), known.least))
        rows.append(row("fitted elsewhere", cases, chances_of(gate, cases), gate.least))
        found[name] = [*rows, *_halves(cases, most_refused)]
    return found


def _same(left: str, right: str) -> bool:
    """Whether one set holds the other's cases."""
    return {left, right} == {"strange", "handbooks"}


def _halves(cases: Sequence[Asked], most_refused: float) -> list[dict[str, Any]]:
    """A gate fitted to one half of the set, measured on the other half."""
    halves = cases[::2], cases[1::2]
    if min(len(half) for half in halves) < 20:
        return []
    rows = []
    for number, (fit, test) in enumerate((halves, halves[::-1]), start=1):
        gate = calibrate([each.example for each in fit], "half", "", most_refused).gate
        rows.append(row(f"fitted to half {number}", test, chances_of(gate, test), gate.least))
    return rows


def lines(found: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    names = ("cases", "auroc", "wrongly_answered", "wrongly_refused", "correct", "wrong")
    table = [f"{'':14} {'':22} " + " ".join(f"{name:>16}" for name in names)]
    for name, rows in found.items():
        for each in rows:
            shown = (
                f"{each[n]:16.3f}" if isinstance(each[n], float) else f"{each[n]:>16}"
                for n in names
            )
            table.append(f"{name:14} {each['rule']:22} " + " ".join(shown))
    return table


def examples(homes: Path, gateset: GateSet) -> dict[str, list[Asked]]:
    home = homes / gateset.home
    home.mkdir(parents=True, exist_ok=True)
    if not (home / "built").exists():
        build(home, gateset.site)
        (home / "built").touch()
    return {name: asked(home, name, entries) for name, entries in gateset.cases.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--homes", type=Path, help="a folder for the sites")
    parser.add_argument("--sets", default=",".join(GATE_SETS))
    parser.add_argument("--most-refused", type=float, default=1.0)
    parser.add_argument("--collect", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.collect:
        collect(options.collect)
        return
    if not options.homes:
        parser.error("--homes is needed")
    sets: dict[str, list[Asked]] = {}
    for name in options.sets.split(","):
        sets |= examples(options.homes, GATE_SETS[name](options.shared / "eval"))
    found = measured(sets, options.most_refused)
    print(json.dumps(found, indent=1) if options.json else "\n".join(lines(found)))


if __name__ == "__main__":
    main()
