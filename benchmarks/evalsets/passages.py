"""Questions whose answers are whole passages: abstracts, and paragraphs in three languages."""

import gzip
import json
from collections import defaultdict
from pathlib import Path

from benchmarks.evalsets.base import Batch, Entry, EvalSet, json_lines

LANGUAGES = ("en", "ar", "zh")


def scifact(folder: Path) -> EvalSet:
    """Claims and abstracts in the layout of BEIR: title, blank, sentences."""
    texts = gzip.decompress((folder / "corpus.jsonl.gz").read_bytes()).decode()
    files = {f"{entry['doc_id']}.txt": _abstract(entry) for entry in json_lines(texts)}
    judged = defaultdict(list)
    for line in (folder / "qrels_dev.txt").read_text(encoding="utf-8").splitlines():
        query, _, document, grade = line.split()
        if int(grade) > 0:
            judged[query].append({"source_id": f"scifact/{document}"})
    queries = (folder / "queries_dev.tsv").read_text(encoding="utf-8").splitlines()
    pairs = [line.split("\t", 1) for line in queries]
    claims = [_case(f"scifact-{q}", text, "scifact", judged[q]) for q, text in pairs if judged[q]]
    return EvalSet((Batch(files, "scifact", {"prefix": "scifact"}),), {"scifact": claims})


def _abstract(entry: Entry) -> str:
    return f"{entry['title']}\n\n{' '.join(entry['sentences'])}\n"


def xquad(folder: Path) -> EvalSet:
    """The same paragraphs and questions in English, Arabic and Chinese, a scope for each."""
    batches, cases = [], {}
    for language in LANGUAGES:
        data = json.loads((folder / f"xquad.{language}.json").read_text(encoding="utf-8"))["data"]
        paragraphs = [p for article in data for p in article["paragraphs"]]
        files = {f"{n:03}.md": _tagged(p["context"], language) for n, p in enumerate(paragraphs)}
        batches.append(Batch(files, language, {"prefix": language}))
        cases[f"xquad-{language}"] = [
            _case(q["id"], q["question"], language, [{"source_id": f"{language}/{n:03}"}])
            for n, paragraph in enumerate(paragraphs)
            for q in paragraph["qas"]
        ]
    return EvalSet(tuple(batches), cases)


def _tagged(text: str, language: str) -> str:
    return f"---\nlanguage: {language}\n---\n{text.strip()}\n"


def _case(case_id: str, question: str, scope: str, relevant: list[Entry]) -> Entry:
    return {"case_id": case_id, "question": question, "scopes": [scope], "relevant": relevant}
