"""Measures the exact dense top 50 against numpy, faiss and sqlite-vec, and proves it exact.

    .venv/bin/python -m benchmarks.dense [--rows 100000] [--queries 100] [--check 1000]

Vectors of 384 coordinates in clusters, some of them twice; all rows eligible, and a tenth of them
(the slice of codes is kept, as for somebody who asks again). Everything runs on one thread, the
contestants in turns. ``--check`` compares ids, order and scores with scoring every row in double
precision, for so many questions with three filters each. Prints JSON, times in milliseconds. faiss
(``pip install faiss-cpu``) and sqlite-vec are left out where they are not installed.
"""

import argparse
import json
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any, Final

from benchmarks.timing import Contestant, in_turns, one_thread

one_thread()  # before numpy is imported, and so what follows stands below a call (E402)

import numpy as np  # noqa: E402
import pysqlite3 as sqlite3  # noqa: E402

from rag.adapters.kernels import byte_kernel  # noqa: E402
from rag.core.ordering import best  # noqa: E402
from rag.core.quantised import Codes, Look  # noqa: E402
from rag.core.slices import Slices  # noqa: E402
from rag.core.vectors import cosines, row_norms, top_rows  # noqa: E402

Array = Any
DIMENSION: Final = 384
BEST: Final = 50
FILTERS: Final = {"all": 1.0, "half": 0.5, "tenth": 0.1}


class Index:
    """Vectors, and what the product keeps beside them."""

    def __init__(self, rows: int) -> None:
        rng = np.random.default_rng(1)
        centres = rng.standard_normal((200, DIMENSION))
        found = centres[rng.integers(0, 200, rows)] + rng.standard_normal((rows, DIMENSION))
        found[rows - rows // 100 :] = found[: rows // 100]
        self.matrix = (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)
        self.norms = row_norms(self.matrix)
        self.ties = rng.permutation(rows).astype(np.int64)
        self.slices = Slices(Codes.of(self.matrix, self.norms))
        self.kernel = byte_kernel()
        self.masks = {name: rng.random(rows) < share for name, share in FILTERS.items()}
        self.eligible = {name: np.flatnonzero(mask) for name, mask in self.masks.items()}

    def questions(self, count: int) -> list[Array]:
        """Near some row, as questions are."""
        rng = np.random.default_rng(2)
        near = self.matrix[rng.integers(0, len(self.matrix), count)].astype(np.float64)
        found = near + 0.05 * rng.standard_normal(near.shape)
        return list(found / np.linalg.norm(found, axis=1, keepdims=True))

    def ours(self, name: str, query: Array) -> Any:
        rows = self.eligible[name]
        look = Look(self.slices.of(self.masks[name]), self.kernel) if self.kernel else None
        return top_rows(self.matrix, self.norms, rows, self.ties, query, BEST, look)

    def obvious(self, name: str, query: Array) -> Any:
        """Every eligible row in double precision."""
        rows = self.eligible[name]
        scores = cosines(self.matrix, self.norms, rows, query)
        order = best(scores, self.ties[rows], BEST)
        return rows[order], scores[order]

    def numpy(self, name: str, query: Array) -> Any:
        """Float32 as one writes it: not exact."""
        rows = self.eligible[name]
        part = self.matrix if len(rows) == len(self.matrix) else self.matrix[rows]
        scores = part @ query.astype(np.float32)
        first = np.argpartition(scores, -BEST)[-BEST:]
        return rows[first[np.argsort(-scores[first])]]


def contestants(index: Index, name: str) -> dict[str, Contestant]:
    """All are given the eligible rows, each in the form that it takes."""
    found: dict[str, Contestant] = {
        "ours": lambda query: index.ours(name, query),
        "numpy float32": lambda query: index.numpy(name, query),
    }
    if find_spec("faiss"):
        found["faiss flat"] = of_faiss(index, index.masks[name])
    if find_spec("sqlite_vec") and name == "all":
        found["sqlite-vec"] = of_sqlite_vec(index)
    return found


def of_faiss(index: Index, mask: Array) -> Contestant:
    import faiss

    faiss.omp_set_num_threads(1)
    flat = faiss.IndexFlatIP(DIMENSION)
    flat.add(index.matrix)
    chosen = faiss.IDSelectorBitmap(np.packbits(mask, bitorder="little"))
    how = None if mask.all() else faiss.SearchParameters(sel=chosen)
    return lambda query: flat.search(query.astype(np.float32)[np.newaxis], BEST, params=how)


def of_sqlite_vec(index: Index) -> Contestant:
    import sqlite_vec

    database = sqlite3.connect(":memory:")
    database.enable_load_extension(True)
    sqlite_vec.load(database)
    database.execute(
        f"CREATE VIRTUAL TABLE v USING vec0(e float[{DIMENSION}] distance_metric=cosine)"
    )
    rows = ((number, row.tobytes()) for number, row in enumerate(index.matrix))
    database.executemany("INSERT INTO v(rowid, e) VALUES (?, ?)", rows)
    asked = "SELECT rowid, distance FROM v WHERE e MATCH ? AND k = ?"
    return lambda query: database.execute(asked, (query.astype("<f4").tobytes(), BEST)).fetchall()


def check(index: Index, count: int) -> dict[str, int]:
    """How many questions were answered otherwise than by scoring every row: 0 each."""
    differing = dict.fromkeys(FILTERS, 0)
    for query in index.questions(count):
        for name in FILTERS:
            ours, all_rows = index.ours(name, query), index.obvious(name, query)
            same = (
                left.tobytes() == right.tobytes()
                for left, right in zip(ours, all_rows, strict=True)
            )
            differing[name] += not all(same)
    return differing


def measure(rows: int, queries: int, checked: int) -> Mapping[str, Any]:
    index = Index(rows)
    asked = index.questions(queries + 1)
    timed = {name: in_turns(contestants(index, name), asked) for name in FILTERS}
    return {
        "rows": rows,
        "kernel": "bytes" if index.kernel else "float32",
        **timed,
        f"otherwise than exhaustive in {checked}": check(index, checked),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000])
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--check", type=int, default=0)
    options = parser.parse_args()
    for rows in options.rows:
        print(json.dumps(measure(rows, options.queries, options.check), indent=1))


if __name__ == "__main__":
    main()
