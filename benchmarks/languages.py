"""Lexical ranking beside SQLite's FTS5 with its default tokenizer, on XQuAD and NoMIRACL.

    .venv/bin/python -m benchmarks.languages --homes FOLDER [--shared ../shared]

The site is built as ``benchmarks.evaluation`` builds it and ranks through its own command; FTS5
ranks the same paragraphs by ``bm25()``, a scope at a time, for any word of the question. For
NoMIRACL no site is built: the analyser and BM25 rank alone.
"""

import argparse
import gzip
import json
import math
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.evalsets import SETS
from benchmarks.evalsets.base import Entry, EvalSet
from benchmarks.evaluation import FOLDERS, PROJECT, build, manage
from rag.core.lexical import Gathered, query_stems, term_counts
from rag.core.postings import Postings, bm25

K = 10


def ours(home: Path, name: str, cases: Sequence[Entry]) -> float:
    """nDCG@10 of the site's lexical mode."""
    file = home / f"{name}.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    found = manage(home, "evaluate", str(file), "--mode", "lexical", "--k", str(K), "--json")
    return float(json.loads(found)["modes"]["lexical"]["ndcg"])


def fts5(texts: dict[str, str], cases: Sequence[Entry]) -> float:
    """nDCG@10 of FTS5."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE passages USING fts5(source UNINDEXED, text)")
    database.executemany("INSERT INTO passages VALUES (?, ?)", texts.items())
    total = 0.0
    for case in cases:
        words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", case["question"]))
        rows = database.execute(
            "SELECT source FROM passages WHERE text MATCH ? ORDER BY bm25(passages), rowid LIMIT ?",
            (words, K),
        )
        total += ndcg([source for (source,) in rows], case)
    return total / len(cases)


def ndcg(ranked: Sequence[str], case: Entry) -> float:
    """nDCG of the sources found, all relevant ones worth the same."""
    wanted = {entry["source_id"] for entry in case["relevant"]}
    gains = [1 / math.log2(place + 2) for place in range(K)]
    found = sum(gain for gain, source in zip(gains, ranked, strict=False) if source in wanted)
    return found / sum(gains[: len(wanted)])


def bare(texts: dict[str, str], cases: Sequence[Entry], language: str) -> float:
    """nDCG@10 of the analyser and BM25 alone, without a site."""
    sources, rows = list(texts), [term_counts("", "", text, language) for text in texts.values()]
    gathered = Gathered.of([row.to_bytes() for row in rows])
    postings = Postings.build(gathered.stems)
    total = 0.0
    for case in cases:
        terms = query_stems(case["question"], [language])
        scores = bm25(postings, gathered.lengths, np.ones(len(rows), np.bool_), terms)
        best = np.argsort(-scores, kind="stable")[:K]
        total += ndcg([sources[row] for row in best if scores[row] > 0], case)
    return total / len(cases)


def pooled(file: Path) -> tuple[dict[str, str], list[Entry]]:
    """All passages of a NoMIRACL file, and its questions, each with its own ten as relevant.

    Which of the ten answers the question is not in the set, so this tells topics, not answers.
    """
    texts: dict[str, str] = {}
    cases = []
    for line in gzip.decompress(file.read_bytes()).decode().splitlines():
        entry = json.loads(line)
        own = {p["docid"]: f"{p['title']}\n{p['text']}" for p in entry["passages"]}
        texts |= own
        relevant = [{"source_id": source} for source in own]
        cases.append({"question": entry["question"], "relevant": relevant})
    return texts, cases


def paragraphs(evalset: EvalSet, scope: str) -> dict[str, str]:
    """The texts of a scope by source id, without their front matter."""
    batch = next(batch for batch in evalset.batches if batch.scope == scope)
    return {
        f"{scope}/{path.removesuffix('.md')}": text.split("---\n", 2)[2]
        for path, text in batch.files.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--homes", type=Path, required=True, help="a folder for the site")
    options = parser.parse_args()
    evalset = SETS["xquad"](options.shared / "eval" / FOLDERS["xquad"])
    home = options.homes.resolve() / "xquad"
    if not (home / "built").exists():
        build(home, evalset)
        (home / "built").touch()
    print(f"{'':11} {'cases':>5} {'lexical':>7} {'FTS5':>5}")
    for language in ("en", "fr", "ar"):
        texts, cases = pooled(options.shared / "eval" / "nomiracl" / f"{language}_dev.jsonl.gz")
        _line(f"nomiracl-{language}", cases, bare(texts, cases, language), fts5(texts, cases))
    for name, cases in evalset.cases.items():
        rival = fts5(paragraphs(evalset, name.removeprefix("xquad-")), cases)
        _line(name, cases, ours(home, name, cases), rival)


def _line(name: str, cases: Sequence[Entry], own: float, rival: float) -> None:
    print(f"{name:11} {len(cases):>5} {own:>7.3f} {rival:>5.3f}", flush=True)


if __name__ == "__main__":
    main()
