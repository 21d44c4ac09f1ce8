"""Measures the lexical top 50 against FTS5 and tantivy, all filtered to the same rows.

    .venv/bin/python -m benchmarks.lexical [--rows 100000] [--queries 100]

Rows of about a hundred made-up words in natural proportions, questions of five words; all rows
eligible, and one in a hundred. FTS5 joins a table of what is eligible and orders by bm25();
tantivy filters by a term. Both keep their statistics over all rows, so their scores differ from
ours where not all are eligible: that is what they cost, not what they find. One thread, the
contestants in turns, prints JSON, times in milliseconds. tantivy (``pip install tantivy``) is left
out where it is not installed.
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final

from benchmarks.timing import Contestant, in_turns, one_thread

one_thread()  # before numpy is imported, and so what follows stands below a call (E402)

import numpy as np  # noqa: E402
import pysqlite3 as sqlite3  # noqa: E402

from benchmarks.serving import WORDS_EACH, frequencies, questions, vocabulary  # noqa: E402
from rag.core.lexical import Listed, query_stems  # noqa: E402
from rag.core.ordering import best  # noqa: E402
from rag.core.postings import Postings, bm25  # noqa: E402

Array = Any
BEST: Final = 50
SHARES: Final = {"all": 1, "hundredth": 100}


class Index:
    """Made-up texts, and the postings of the product over them."""

    def __init__(self, rows: int) -> None:
        rng, self.words, weights = np.random.default_rng(3), vocabulary(), frequencies()
        self.drawn = rng.choice(len(self.words), (rows, WORDS_EACH), p=weights)
        self.ties = rng.permutation(rows).astype(np.int64)
        self.masks = {name: np.arange(rows) % each == 0 for name, each in SHARES.items()}
        self.stems, self.lengths = self._postings()

    def _postings(self) -> tuple[Postings, Array]:
        ids = np.concatenate([query_stems(word, ["en"]) for word in self.words])
        counted = [np.unique(ids[row], return_counts=True) for row in self.drawn]
        terms, counts = (np.concatenate(column) for column in zip(*counted, strict=True))
        each = np.array([len(found) for found, _ in counted])
        lengths = np.full(len(self.drawn), WORDS_EACH)
        return Postings.build(Listed(terms, each, counts.astype(np.uint32))), lengths

    def text(self, row: int) -> str:
        return " ".join(self.words[at] for at in self.drawn[row])

    def ours(self, name: str, question: str) -> Array:
        stems = query_stems(question, ["en"])
        scores = bm25(self.stems, self.lengths, self.masks[name], stems)
        found = np.flatnonzero(scores)
        return found[best(scores[found], self.ties[found], BEST)]


def contestants(index: Index, name: str) -> dict[str, Contestant]:
    found: dict[str, Contestant] = {
        "ours": lambda question: index.ours(name, question),
        "FTS5": of_fts5(index, name),
    }
    if find_spec("tantivy"):
        found["tantivy"] = of_tantivy(index, name)
    return found


def of_fts5(index: Index, name: str) -> Contestant:
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61')")
    database.execute("CREATE TABLE eligible(id INTEGER PRIMARY KEY)")
    rows = range(len(index.drawn))
    database.executemany(
        "INSERT INTO texts(rowid, text) VALUES (?, ?)", ((row, index.text(row)) for row in rows)
    )
    database.execute("INSERT INTO texts(texts) VALUES ('optimize')")
    chosen = np.flatnonzero(index.masks[name]).tolist()
    database.executemany("INSERT INTO eligible VALUES (?)", ((row,) for row in chosen))
    asked = (
        "SELECT texts.rowid, bm25(texts) AS score FROM texts JOIN eligible ON id = texts.rowid "
        f"WHERE texts MATCH ? ORDER BY score LIMIT {BEST}"
    )
    return lambda question: database.execute(asked, (" OR ".join(words_of(question)),)).fetchall()


def of_tantivy(index: Index, name: str) -> Contestant:
    import tantivy

    schema = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="en_stem")
    built = tantivy.Index(schema.add_text_field("scope", tokenizer_name="raw").build())
    writer = built.writer(num_threads=1)
    for row, eligible in enumerate(index.masks[name]):
        scope = "open" if eligible else "closed"
        writer.add_document(tantivy.Document(text=index.text(row), scope=scope))
    writer.commit()
    writer.wait_merging_threads()
    built.reload()
    searcher = built.searcher()

    def answer(question: str) -> object:
        query = f"+scope:open +({' '.join(words_of(question))})"
        return searcher.search(built.parse_query(query, ["text"]), BEST).hits

    return answer


def words_of(question: str) -> Sequence[str]:
    """The made-up words: the others are stop words."""
    return question.removeprefix("How is the ").rstrip("?").split()


def measure(rows: int, queries: int) -> Mapping[str, Any]:
    index, asked = Index(rows), questions(queries + 1)
    timed = {name: in_turns(contestants(index, name), asked) for name in SHARES}
    return {"rows": rows, **timed}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000])
    parser.add_argument("--queries", type=int, default=100)
    options = parser.parse_args()
    for rows in options.rows:
        print(json.dumps(measure(rows, options.queries), indent=1))


if __name__ == "__main__":
    main()
