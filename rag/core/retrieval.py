"""From eligible rows to ranked hits. Nothing outside the eligible rows is ever looked at."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import islice
from typing import Final

import numpy as np

from rag.core.errors import InvalidOption
from rag.core.index import Snapshot
from rag.core.lexical import Floats, Ids, Rows, query_stems, query_words
from rag.core.ordering import best, best_of
from rag.core.policies import WEIGHTED, Policy, reciprocal_rank_fusion, scaled
from rag.core.postings import bm25, overlap
from rag.core.quantised import Kernel, Look
from rag.core.rerank import Candidate, rerank
from rag.core.surroundings import bm25_around, nearest_beside
from rag.core.vectors import cosines, is_scanned, top_rows, top_rows_many

# The models read 512 tokens, question and passage together.
LONGEST_QUESTION: Final = 1000


class Mode(StrEnum):
    """Which sides rank: ``lexical`` never touches the embedder."""

    LEXICAL = "lexical"
    DENSE = "dense"
    HYBRID = "hybrid"


@dataclass(frozen=True)
class Options:
    """How to search. Who searches is never part of it; an override is ``replace(options, …)``."""

    mode: Mode = Mode.HYBRID
    policy: Policy = WEIGHTED
    k: int = 10
    min_cosine: float | None = None
    required_terms: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.k <= 1000:
            raise InvalidOption("k", self.k, "it must lie between 1 and 1000")
        check_threshold(self.min_cosine)


@dataclass(frozen=True)
class Ranked:
    """A row with its figures; a figure that the mode does not compute is None."""

    row: int
    cosine: float | None
    lexical: float | None
    rank: float


@dataclass(frozen=True)
class Question:
    """A question ready to be ranked: ``vector`` (d,) float64 is None in lexical mode."""

    text: str
    vector: Floats | None
    languages: tuple[str, ...]


def check_question(text: str) -> None:
    """A question has a word in it and at most ``LONGEST_QUESTION`` characters."""
    if not any(character.isalnum() for character in text):
        raise InvalidOption("question", text, "it needs at least one word")
    if len(text) > LONGEST_QUESTION:
        hint = f"it may have at most {LONGEST_QUESTION} characters"
        raise InvalidOption("question", f"{text[:40]}…", hint)


def check_threshold(value: float | None) -> None:
    """A cosine threshold lies in [-1, 1]; 0 is a real one, NaN is none."""
    if value is not None and (math.isnan(value) or not -1 <= value <= 1):
        raise InvalidOption("min_cosine", value, "it must lie between -1 and 1")


def retrieve(
    snapshot: Snapshot,
    revisions: Iterable[int],
    question: Question,
    options: Options,
    texts: Callable[[Sequence[int]], Sequence[str]],
    kernel: Kernel | None = None,
) -> tuple[Ranked, ...]:
    """The ``options.k`` best admitted rows of ``revisions``, best first.

    ``texts`` gives title and text of rows; it is called only for required terms. ``kernel`` makes
    it quicker and changes nothing.
    """
    return _Figures(snapshot, revisions, question, options, kernel).retrieved(texts)


def retrieve_many(
    snapshot: Snapshot,
    revisions: Iterable[int],
    asked: Sequence[tuple[Question, Options]],
    texts: Callable[[Sequence[int]], Sequence[str]],
) -> list[tuple[Ranked, ...]]:
    """``retrieve`` of each question, to the last bit; their vectors are scanned together.

    The options may differ in mode and threshold alone.
    """
    revisions = list(revisions)
    figures = [_Figures(snapshot, revisions, *each, None) for each in asked]
    _scan_together(figures)
    return [each.retrieved(texts) for each in figures]


def retrieve_scored(
    snapshot: Snapshot,
    revisions: Iterable[int],
    question: Question,
    options: Options,
    texts: Callable[[Sequence[int]], Sequence[str]],
    scores: Mapping[str, float],
) -> tuple[Ranked, ...]:
    """``retrieve``, with ``scores`` by chunk id in the place of the ranking, in lexical mode.

    The gates are the same, and so is the re-ranking by required terms.
    """
    how = replace(options, mode=Mode.LEXICAL)
    return _Scored(snapshot, revisions, question, how, scores).retrieved(texts)


def probe(snapshot: Snapshot, revisions: Iterable[int], vector: Floats) -> tuple[Ranked, ...]:
    """Cosines of all eligible rows, best first, before any threshold and fusion."""
    rows = np.flatnonzero(snapshot.mask(revisions))
    ranked, scores = top_rows(
        snapshot.matrix, snapshot.norms, rows, snapshot.ties, vector, len(rows)
    )
    return tuple(
        Ranked(int(r), float(s), None, float(s)) for r, s in zip(ranked, scores, strict=True)
    )


class _Figures:
    """The figures of one request over its eligible rows."""

    def __init__(
        self,
        snapshot: Snapshot,
        revisions: Iterable[int],
        question: Question,
        options: Options,
        kernel: Kernel | None,
    ) -> None:
        self.snapshot, self.question, self.options = snapshot, question, options
        self.kernel = kernel
        self.policy = options.policy
        self.revisions = snapshot.chosen(revisions)
        self.mask = snapshot.rows_of(self.revisions)
        if not self.policy.repeats:
            self.mask &= ~snapshot.repeats
        self.rows: Rows = np.flatnonzero(self.mask)
        self.dense = options.mode is not Mode.LEXICAL
        self.sparse = options.mode is not Mode.DENSE
        self.lexical = self._lexical()
        self.nearest: Rows | None = None  # known before, where many questions are asked at once

    def retrieved(self, texts: Callable[[Sequence[int]], Sequence[str]]) -> tuple[Ranked, ...]:
        """The best that are admitted."""
        ranked: Iterator[Ranked] = (hit for hit in self.ranking() if self.admits(hit))
        if self.options.required_terms:
            every = list(ranked)
            ranked = _by_required_terms(self.snapshot, self.question, self.options, every, texts)
        return tuple(islice(ranked, self.options.k))

    def ranking(self) -> Iterator[Ranked]:
        """Every candidate, best first."""
        sides = [self._dense_side()] if self.dense else []
        sides += [self._lexical_side()] if self.sparse else []
        candidates = np.unique(np.concatenate(sides))
        cosine = self._cosines(candidates)
        values = self._fused(candidates, cosine, sides)
        order = best(values, self.snapshot.ties[candidates], len(candidates))
        return (self._ranked(candidates, cosine, values, int(at)) for at in order)

    def admits(self, hit: Ranked) -> bool:
        """The policy's gate: near, sharing a word, or both; a mode's missing figure is no bar."""
        threshold = self.options.min_cosine
        near = hit.cosine is None or threshold is None or hit.cosine >= threshold
        shares = hit.lexical is None or hit.lexical > 0
        if self.policy.needs_both or not (self.dense and self.sparse):
            return near and shares
        return near or shares

    def _lexical(self) -> Floats:
        """The policy's lexical figure of every row, shape (n,); zeros where the mode has none."""
        snapshot, question = self.snapshot, self.question
        if not self.sparse:
            return np.zeros(len(snapshot.rows), dtype=np.float64)
        if self.policy.figure == "overlap":
            words = query_words(question.text, question.languages)
            return overlap(snapshot.words, self.mask, words)
        return bm25(snapshot.stems, snapshot.lengths, self.mask, self.stems)

    @cached_property
    def stems(self) -> Ids:
        return query_stems(self.question.text, self.question.languages)

    def depth(self) -> int:
        """How many rows of each side are candidates; all of them where terms are required."""
        depth = self.policy.depth
        if depth is None or self.options.required_terms:
            return len(self.rows)
        return max(depth, self.options.k)

    def _dense_side(self) -> Rows:
        if self.nearest is not None:
            return self.nearest
        index, vector, depth = self.snapshot, self.vector(), self.depth()
        look = self._look(depth)
        return top_rows(index.matrix, index.norms, self.rows, index.ties, vector, depth, look)[0]

    def _look(self, depth: int) -> Look | None:
        """Codes of the eligible rows, where a scan will want them."""
        if self.kernel is None or not is_scanned(len(self.rows), depth):
            return None
        return Look(self.snapshot.slices.of(self.mask), self.kernel)

    def _lexical_side(self) -> Rows:
        found = np.flatnonzero(self.lexical > 0)  # a row that is not eligible has 0
        return best_of(found, self.lexical[found], self.snapshot.ties, self.depth())

    def _cosines(self, candidates: Rows) -> Floats:
        """Exact cosines of the candidates; zeros, never shown, where the mode has none."""
        if not self.dense:
            return np.zeros(len(candidates), dtype=np.float64)
        return cosines(self.snapshot.matrix, self.snapshot.norms, candidates, self.vector())

    def vector(self) -> Floats:
        if self.question.vector is None:
            raise InvalidOption("mode", self.options.mode.value, "it needs the question's vector")
        return self.question.vector

    def _fused(self, candidates: Rows, cosine: Floats, sides: list[Rows]) -> Floats:
        weight = self.policy.dense_weight
        if weight is None:
            rankings = [side.tolist() for side in sides]
            fused = reciprocal_rank_fusion(rankings, self.policy.rank_constant)
            return np.array([fused[row] for row in candidates.tolist()], dtype=np.float64)
        if not (self.dense and self.sparse):
            return cosine if self.dense else self.lexical[candidates]
        near, words = cosine, self.lexical[candidates]
        if self.policy.reach is not None:
            near, words = self._joined(candidates, near, words, self.policy.reach)
        mixed: Floats = weight * scaled(near) + (1 - weight) * scaled(words)
        return mixed

    def _joined(
        self, candidates: Rows, near: Floats, words: Floats, reach: int
    ) -> tuple[Floats, Floats]:
        """The candidates' figures and those of what stands around them, see ``Policy``."""
        index, reaches = self.snapshot, (reach, None)
        near = near + nearest_beside(index, candidates, near, reach)
        beside, whole = bm25_around(index, self.revisions, self.stems, candidates, reaches)
        return near, words + beside + self.policy.source * whole

    def _ranked(self, candidates: Rows, cosine: Floats, values: Floats, at: int) -> Ranked:
        row = int(candidates[at])
        return Ranked(
            row=row,
            cosine=float(cosine[at]) if self.dense else None,
            lexical=float(self.lexical[row]) if self.sparse else None,
            rank=float(values[at]),
        )


class _Scored(_Figures):
    """The figures of a request whose ranking is given. A row that is not eligible has no place."""

    def __init__(
        self,
        snapshot: Snapshot,
        revisions: Iterable[int],
        question: Question,
        options: Options,
        scores: Mapping[str, float],
    ) -> None:
        super().__init__(snapshot, revisions, question, options, None)
        self.scores = scores

    def ranking(self) -> Iterator[Ranked]:
        """The eligible rows that have a score, best first."""
        names = ((int(row), self.snapshot.rows[row].chunk_id) for row in self.rows)
        scored = [(row, self.scores[name]) for row, name in names if name in self.scores]
        rows = np.array([row for row, _ in scored], dtype=np.int64)
        values = np.array([value for _, value in scored], dtype=np.float64)
        order = best(values, self.snapshot.ties[rows], len(rows))
        return (
            Ranked(int(rows[at]), None, float(self.lexical[rows[at]]), float(values[at]))
            for at in order
        )


def _scan_together(figures: Sequence[_Figures]) -> None:
    """Find the dense candidates of questions that are asked of the same rows with one policy."""
    dense = [each for each in figures if each.dense]
    if dense:
        index, rows, depth = dense[0].snapshot, dense[0].rows, dense[0].depth()
        vectors = np.array([each.vector() for each in dense])
        found = top_rows_many(index.matrix, index.norms, rows, index.ties, vectors, depth)
        for each, (nearest, _) in zip(dense, found, strict=True):
            each.nearest = nearest


def _by_required_terms(
    snapshot: Snapshot,
    question: Question,
    options: Options,
    ranked: list[Ranked],
    texts: Callable[[Sequence[int]], Sequence[str]],
) -> Iterator[Ranked]:
    by_id = {snapshot.rows[hit.row].chunk_id: hit for hit in ranked}
    candidates = [
        Candidate(chunk_id, text, hit.cosine or 0.0)
        for (chunk_id, hit), text in zip(by_id.items(), texts([h.row for h in ranked]), strict=True)
    ]
    ordered = rerank(question.text, candidates, options.required_terms, question.languages)
    return (by_id[candidate.chunk_id] for candidate in ordered)
