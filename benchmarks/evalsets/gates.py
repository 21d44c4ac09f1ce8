"""Questions with a few passages each, some of which answer nothing, or say different things."""

import gzip
from pathlib import Path

from benchmarks.evalsets.base import Batch, Entry, EvalSet, json_lines, span

LANGUAGES = ("en", "fr", "ar")


def nomiracl(folder: Path) -> EvalSet:
    """Ten passages a question; which one is relevant is not known, only whether any is."""
    batches, cases = [], {}
    for language in LANGUAGES:
        packed = (folder / f"{language}_dev.jsonl.gz").read_bytes()
        entries = json_lines(gzip.decompress(packed).decode())
        named = [(f"{language}-{number:03}", entry) for number, entry in enumerate(entries)]
        batches += [
            Batch(_passages(entry, language), scope, {"prefix": scope}) for scope, entry in named
        ]
        cases[f"nomiracl-{language}"] = [
            {
                "case_id": scope,
                "question": entry["question"],
                "scopes": [scope],
                "answerable": entry["answerable"],
            }
            for scope, entry in named
        ]
    return EvalSet(tuple(batches), cases)


def _passages(entry: Entry, language: str) -> dict[str, str]:
    head = f"---\nlanguage: {language}\n---\n"
    return {
        f"{number}.md": f"{head}# {passage['title']}\n\n{passage['text']}\n"
        for number, passage in enumerate(entry["passages"])
        if passage["text"].strip()
    }


def ramdocs(folder: Path) -> EvalSet:
    """Documents that answer for different bearers of one name, planted wrong ones, and noise."""
    entries = json_lines((folder / "ramdocs_dev.jsonl").read_text(encoding="utf-8"))
    named = [(f"q-{entry['id']:03}", entry) for entry in entries]
    batches = tuple(
        Batch(
            {f"{number}.txt": document["text"] for number, document in enumerate(e["documents"])},
            scope,
            {"prefix": scope},
        )
        for scope, e in named
    )
    return EvalSet(batches, {"ramdocs": [_ramdocs_case(scope, e) for scope, e in named]})


def _ramdocs_case(scope: str, entry: Entry) -> Entry:
    """Relevant is the first place of the answer in each right document that has it verbatim."""
    relevant = []
    for number, document in enumerate(entry["documents"]):
        at = document["text"].find(document["answer"])
        if document["type"] == "correct" and at >= 0:
            relevant.append(span(f"{scope}/{number}", at, at + len(document["answer"])))
    return {
        "case_id": scope,
        "question": entry["question"],
        "scopes": [scope],
        "relevant": relevant,
    }
