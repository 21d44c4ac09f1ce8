"""Measures chunking policies by what is found with them: size against recall and IoU.

    .venv/bin/python -m benchmarks.chunking [--chunking sections-v1,sections-v2,…]
        [--sets chroma,contracts] [--ranking weighted-60-40-v2,…] [--mode hybrid,dense,lexical]
        [--vectors FILE] [--shared ../shared]

Everything happens in memory, with the product's own import of titles, chunkers, embedder, analyser
and ranking; no site is built. Vectors are kept by text in --vectors (an SQLite file), so that a
text is embedded once however often it is measured. *whole* is the share of gold spans that lie
inside one of the hits; sets of whole sources have no figures by characters.
"""

import argparse
import hashlib
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.evalsets import SETS
from benchmarks.evalsets.base import Batch
from benchmarks.evaluation import FOLDERS, PROJECT
from rag.adapters.bundled import embedder
from rag.adapters.files import find_files, load, source_id
from rag.core.cases import Case, Relevant, Slice, case_of
from rag.core.chunks import Chunk, chunker
from rag.core.errors import RagError
from rag.core.evaluation import Outcome, figures_of, summary
from rag.core.index import Manifest, Snapshot, build_snapshot
from rag.core.lexical import ANALYSER, term_counts
from rag.core.metadata import Overrides, described
from rag.core.policies import POLICIES, WEIGHTED
from rag.core.retrieval import Mode, Options, Question, retrieve
from rag.core.rows import ChunkRow, ChunkRows, chunk_digests
from rag.core.rows import embedding_input as input_of

CHUNKING = (
    "sections-v1", "sections-600-v2", "sections-800-v2", "sections-v2", "sections-1000-v2",
    "sections-1200-v2", "chars-600-overlap-80-v1", "chars-400-overlap-0-v1",
    "chars-800-overlap-0-v1", "chars-1600-overlap-0-v1",
)  # fmt: skip
FIGURES = ("recall", "reciprocal_rank", "ndcg", "char_recall", "char_precision", "char_iou")
# Where whole sources are relevant a source has several hits, and counts once.
HITS_OF_A_SOURCE = 5


@dataclass(frozen=True)
class Document:
    """A source as the import sees it."""

    source: str
    scope: str
    title: str
    language: str
    text: str


class Vectors:
    """The embedder's vectors, float32 (384,), kept by the SHA-256 of their text."""

    def __init__(self, file: str) -> None:
        self.store = sqlite3.connect(file)
        self.store.execute("CREATE TABLE IF NOT EXISTS v (k BLOB PRIMARY KEY, v BLOB)")

    def of(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (n, 384)."""
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        missing = {k: t for k, t in zip(keys, texts, strict=True) if self._stored(k) is None}
        waiting = list(missing.items())
        for at in range(0, len(waiting), 200):
            self._add(dict(waiting[at : at + 200]))
        return np.array([np.frombuffer(self._stored(k) or b"", "<f4") for k in keys])

    def _add(self, texts: dict[bytes, str]) -> None:
        made = embedder().embed_batch(
            list(texts.values()), cancelled=lambda: False, progress=lambda done: None
        )
        pairs = [(k, v.astype("<f4").tobytes()) for k, v in zip(texts, made, strict=True)]
        self.store.executemany("INSERT OR IGNORE INTO v VALUES (?, ?)", pairs)
        self.store.commit()

    def _stored(self, key: bytes) -> bytes | None:
        row = self.store.execute("SELECT v FROM v WHERE k = ?", (key,)).fetchone()
        return row[0] if row else None


def documents(batch: Batch) -> Iterator[Document]:
    """The files of a batch with the ids and titles that an import gives them."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in batch.files.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        for found in find_files([Path(folder)], str(batch.options.get("prefix", ""))).files:
            try:
                loaded = load(found)
                stem = Path(found.relative).stem
                about = described(loaded.front, Overrides(), loaded.text, stem)
            except RagError:  # an import refuses it, too
                continue
            language = about.language or "en"
            yield Document(source_id(found), batch.scope, about.title, language, loaded.text)


class Index:
    """Documents under a chunking policy, and where the rows of each scope are."""

    def __init__(self, found: Sequence[Document], chunking: str, vectors: Vectors) -> None:
        self.documents = sorted(found, key=lambda document: document.source)
        split = chunker(chunking).split
        cut = [(key, d, c) for key, d in enumerate(self.documents) for c in split(d.text, d.title)]
        self.rows = [_row(key, document, chunk) for key, document, chunk in cut]
        matrix = vectors.of([input_of(chunk.context, chunk.text) for _, _, chunk in cut])
        terms = [_terms(document, chunk) for _, document, chunk in cut]
        manifest = _manifest(self.rows, chunking)
        rows = ChunkRows.of(self.rows)
        self.snapshot: Snapshot = build_snapshot(manifest, "", rows, matrix, terms)

    @property
    def mean_size(self) -> float:
        return float(np.mean([row.end_char - row.start_char for row in self.rows]))

    def hits(self, case: Case, options: Options, vectors: Vectors) -> tuple[Slice, ...]:
        mine = {k: d for k, d in enumerate(self.documents) if d.scope in case.scopes}
        languages = tuple(sorted({document.language for document in mine.values()}))
        vector = vectors.of([case.question])[0].astype(np.float64)
        asked = Question(case.question, vector, languages)
        ranked = retrieve(self.snapshot, mine, asked, options, lambda rows: [])
        return tuple(_place(self.rows[hit.row]) for hit in ranked)

    def relevant(self, case: Case) -> int:
        """How many chunks overlap a relevant span."""
        places = map(_place, self.rows)
        return sum(any(span.meets(place) for span in case.relevant) for place in places)


def _row(key: int, document: Document, chunk: Chunk) -> ChunkRow:
    passage = hashlib.sha256(input_of(chunk.context, chunk.text).encode()).hexdigest()
    return ChunkRow(
        revision=key,
        document_id=hashlib.sha256(document.source.encode()).hexdigest(),
        source_id=document.source,
        part=chunk.part,
        start_char=chunk.start_char,
        end_char=chunk.end_char,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        section=chunk.section,
        context=chunk.context,
        passage=passage,
    )


def _terms(document: Document, chunk: Chunk) -> bytes:
    counts = term_counts(document.title, chunk.context, chunk.text, document.language)
    return counts.to_bytes()


def _place(row: ChunkRow) -> Slice:
    return Slice(row.source_id, "", row.start_char, row.end_char)


def _manifest(rows: Sequence[ChunkRow], chunking: str) -> Manifest:
    made = {"corpus_sha256": "", "chunks": len(rows), "chunks_sha256": chunk_digests(rows).whole}
    return Manifest.of(embedder().profile, chunking, ANALYSER, **made, epoch="", canaries=())


def measured(
    index: Index, cases: Sequence[Case], k: int, options: Options, vectors: Vectors
) -> dict[str, float | None]:
    """The means of the figures over the cases, and the share of gold spans that are whole."""
    figures, whole = [], []
    for case in cases:
        depth = k * HITS_OF_A_SOURCE if case.by_source else k
        hits = index.hits(case, replace(options, k=depth), vectors)
        figures.append(figures_of(Outcome(case, hits, 0, index.relevant(case)), k))
        whole += [_is_whole(span, hits) for span in case.relevant if span.start_char is not None]
    means = summary(figures, [case.case_id for case in cases])
    share = float(np.mean(whole)) if whole else None
    return {name: means[name] for name in FIGURES} | {"whole": share}


def _is_whole(span: Relevant, hits: Sequence[Slice]) -> bool:
    start, end = span.start_char or 0, span.end_char or 0
    return any(
        hit.source_id == span.source_id and hit.start_char <= start and end <= hit.end_char
        for hit in hits
    )


def lines(name: str, folder: Path, options: argparse.Namespace) -> Iterator[str]:
    """A line for each chunking policy, ranking policy and mode."""
    evalset, vectors = SETS[name](folder), Vectors(options.vectors)
    found = [document for batch in evalset.batches for document in documents(batch)]
    for chunking in options.chunking.split(","):
        index = Index(found, chunking, vectors)
        size = f"{len(index.rows):>6} {index.mean_size:>5.0f}"
        for file, entries in evalset.cases.items():
            cases = [case for case in map(case_of, entries) if case.relevant]
            for how in _rankings(options):
                means = measured(index, cases, evalset.k, how, vectors)
                shown = " ".join(f"{_percent(value):>8}" for value in means.values())
                what = f"{chunking:24} {file:12} {how.policy.name:18} {how.mode.value:8}"
                yield f"{what} {size} {shown}"


def _rankings(options: argparse.Namespace) -> Iterator[Options]:
    least = embedder().profile.min_cosine
    for policy in options.ranking.split(","):
        for mode in options.mode.split(","):
            yield Options(Mode(mode), POLICIES[policy], min_cosine=least)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--sets", default="chroma,contracts")
    parser.add_argument("--chunking", default=",".join(CHUNKING))
    parser.add_argument("--ranking", default=WEIGHTED.name)
    parser.add_argument("--mode", default="hybrid")
    parser.add_argument("--vectors", default=":memory:")
    options = parser.parse_args()
    names = ("recall", "mrr", "ndcg", "char rec", "char pre", "iou", "whole")
    head = f"{'chunking':24} {'set':12} {'ranking':18} {'mode':8} {'chunks':>6} {'mean':>5}"
    print(head, " ".join(f"{name:>8}" for name in names), flush=True)
    for name in options.sets.split(","):
        folder = options.shared / "eval" / FOLDERS.get(name, name)
        for line in lines(name, folder, options):
            print(line, flush=True)


if __name__ == "__main__":
    main()
