"""Four handbooks, each a scope of its own; some questions have no answer in theirs."""

from pathlib import Path

from benchmarks.evalsets.base import Batch, Entry, EvalSet, files_below, json_lines, source_of, span

SCOPES = ("18f", "gds_way", "github_policy", "gc_cloud_guardrails")


def load(folder: Path) -> EvalSet:
    batches = tuple(
        Batch(files_below(folder / scope), scope, {"prefix": scope}) for scope in SCOPES
    )
    lines = (folder / "questions_dev.jsonl").read_text(encoding="utf-8")
    return EvalSet(batches, {"handbooks": [_case(entry) for entry in json_lines(lines)]}, k=3)


def _case(entry: Entry) -> Entry:
    relevant = [
        span(source_of(gold["path"]), gold["start"], gold["end"])
        for gold in entry["gold"]
        if gold["path"].startswith(entry["scope"] + "/")
    ]
    return {
        "case_id": entry["id"],
        "question": entry["question"],
        "scopes": [entry["scope"]],
        "answerable": bool(relevant),
        "relevant": relevant,
    }
