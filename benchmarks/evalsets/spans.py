"""Questions whose answers are spans of long texts."""

import hashlib
from pathlib import Path

from benchmarks.evalsets.base import Batch, Entry, EvalSet, files_below, json_lines, source_of, span


def chroma(folder: Path) -> EvalSet:
    """Five corpora in one pool, as in the published figures; the first five hits count."""
    entries = json_lines((folder / "questions_dev.jsonl").read_text(encoding="utf-8"))
    files = files_below(folder, (".md",))
    del files["SOURCE.md"]
    cases = [_question(entry) for entry in entries]
    return EvalSet((Batch(files, "chroma", {"prefix": "chroma"}),), {"chroma": cases}, k=5)


def _question(entry: Entry) -> Entry:
    return {
        "case_id": f"chroma-{entry['id']}",
        "question": entry["question"],
        "scopes": ["chroma"],
        "relevant": [
            span(f"chroma/{entry['corpus']}", reference["start_index"], reference["end_index"])
            for reference in entry["references"]
        ],
    }


def contracts(folder: Path) -> EvalSet:
    """ContractNLI: every contract a scope of its own, and asked within it; eight hits count."""
    entries = json_lines((folder / "contractnli_dev.jsonl").read_text(encoding="utf-8"))
    files = files_below(folder / "corpus", (".txt",))
    batches = tuple(
        Batch({path: text}, _scope(path), {"prefix": "contracts"}) for path, text in files.items()
    )
    return EvalSet(batches, {"contracts": [_asked(n, e) for n, e in enumerate(entries)]}, k=8)


def _asked(number: int, entry: Entry) -> Entry:
    paths = {snippet["file_path"] for snippet in entry["snippets"]}
    return {
        "case_id": f"contract-{number}",
        "question": entry["query"],
        "scopes": sorted(map(_scope, paths)),
        "relevant": [
            span(f"contracts/{source_of(snippet['file_path'])}", *snippet["span"])
            for snippet in entry["snippets"]
        ],
    }


def _scope(path: str) -> str:
    """Short: some files' names are longer than a scope's may be."""
    return hashlib.sha256(path.encode()).hexdigest()[:12]
