"""Lexical ranking beside SQLite's FTS5 with its default tokenizer, on XQuAD in three languages.

    .venv/bin/python -m benchmarks.languages --homes FOLDER [--shared ../shared]

The site is built as ``benchmarks.evaluation`` builds it and ranks through its own command; FTS5
ranks the same paragraphs by ``bm25()``, a scope at a time, for any word of the question.
"""

import argparse
import json
import math
import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

from benchmarks.evalsets import SETS
from benchmarks.evalsets.base import Entry, EvalSet
from benchmarks.evaluation import FOLDERS, PROJECT, build, manage

K = 10


def ours(home: Path, name: str, cases: Sequence[Entry]) -> float:
    """nDCG@10 of the site's lexical mode."""
    file = home / f"{name}.jsonl"
    file.write_text("".join(json.dumps(case) + "\n" for case in cases), encoding="utf-8")
    found = manage(home, "evaluate", str(file), "--mode", "lexical", "--k", str(K), "--json")
    return float(json.loads(found)["modes"]["lexical"]["ndcg"])


def fts5(texts: dict[str, str], cases: Sequence[Entry]) -> float:
    """nDCG@10 of FTS5; each case has one relevant source."""
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
        sources = [source for (source,) in rows]
        wanted = case["relevant"][0]["source_id"]
        if wanted in sources:
            total += 1 / math.log2(sources.index(wanted) + 2)
    return total / len(cases)


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
    print(f"{'':9} {'cases':>5} {'lexical':>7} {'FTS5':>5}")
    for name, cases in evalset.cases.items():
        rival = fts5(paragraphs(evalset, name.removeprefix("xquad-")), cases)
        print(f"{name:9} {len(cases):>5} {ours(home, name, cases):>7.3f} {rival:>5.3f}")


if __name__ == "__main__":
    main()
