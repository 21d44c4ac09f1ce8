"""The extractive proposer: whole sentences of the excerpts that best match the question."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from rag.core.answers import MIN_QUOTE, Piece, Proposal, Supplied
from rag.core.blocks import Kind, blocks
from rag.core.lexical import Floats, content_tokens, stem
from rag.core.text import block_sentences, starts_exception

LONGEST: Final = 600
# The best sentence of a source that is not quoted yet may lie so many margins below the best of
# all: where sources answer differently, all of them must be seen (docs/decisions/0003).
APART: Final = 2
SILENT: Final = frozenset(
    {Kind.HEADING, Kind.TABLE_HEAD, Kind.DELIMITER, Kind.RULE, Kind.FENCE, Kind.TAG}
)


@dataclass(frozen=True)
class Scorer:
    """Judges how well passages answer a question; higher is better, on the scorer's own scale.

    ``minimum`` is the least score of a sentence that answers (−∞: any, a gate decides), ``margin``
    how far below the best another quotation may lie, twice as far if it is of another source.
    ``score(question, passages)`` gives float64 (n,).
    """

    name: str
    minimum: float
    margin: float
    score: Callable[[str, Sequence[str]], Floats]


def lexical_coverage(question: str, passages: Sequence[str]) -> Floats:
    """Share of the question's content words that each passage holds, 0 to 1. Needs no model."""
    asked = _stems(question)
    held = (len(asked & _stems(passage)) for passage in passages)
    return np.array([count / max(len(asked), 1) for count in held], dtype=np.float64)


def _stems(text: str) -> set[str]:
    return {stem(token.word, "en") for token in content_tokens(text, ("en",))}


LEXICAL: Final = Scorer("lexical-coverage-v1", 0.6, 0.2, lexical_coverage)


@dataclass(frozen=True)
class Candidate:
    """A quotable run of whole sentences of one excerpt; offsets are those of the excerpt."""

    supplied: Supplied
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.supplied.text[self.start : self.end]

    @property
    def read_as(self) -> str:
        """The sentence under its heading, as it is judged: a table cell alone says little."""
        heading = self.supplied.section.rpartition(" › ")[2]
        return f"{heading}: {self.text}" if heading else self.text


@dataclass(frozen=True)
class Extractive:
    """Deterministic: the same excerpts give the same proposal."""

    scorer: Scorer
    pieces: int = 3

    @property
    def name(self) -> str:
        scorer = self.scorer
        least = f"least {scorer.minimum:g}, " if math.isfinite(scorer.minimum) else ""
        return f"extractive-v2/{scorer.name}/{least}margin {scorer.margin:g}"

    def relevance(self, question: str, excerpts: Sequence[str]) -> Floats:
        """How well whole excerpts, each with its context, fit the question: shape (n,)."""
        return self.scorer.score(question, excerpts)

    def propose(self, question: str, supplied: Sequence[Supplied]) -> Proposal:
        """The best sentence, and up to two more that score nearly as well, of other sources first.

        A sentence's score is the mean of its own and its excerpt's: alone, a sentence that names
        the subject beats one that answers (docs/decisions/0003).
        """
        candidates = [c for excerpt in supplied for c in quotable(excerpt)]
        scores = self._scores(question, candidates)
        order = np.argsort(-scores, kind="stable")
        ranked = [(float(scores[at]), candidates[at]) for at in order]
        chosen = _distinct(list(self._near(ranked)))
        pieces = tuple(Piece(c.supplied.alias, c.text) for c in chosen[: self.pieces])
        score = ranked[0][0] if ranked else None
        return Proposal(can_answer=bool(pieces), pieces=pieces, score=score)

    def _near(self, ranked: Sequence[tuple[float, Candidate]]) -> Iterator[Candidate]:
        """Those near enough to the best: the best of each source, then the others."""
        minimum, margin, sources = self.scorer.minimum, self.scorer.margin, set[str]()
        others = []
        for score, candidate in ranked:
            source, gap = candidate.supplied.source_id, ranked[0][0] - score
            if score < minimum:
                break
            if source not in sources and gap <= APART * margin:
                yield candidate
            elif gap <= margin:
                others.append(candidate)
            sources.add(source)
        yield from others

    def _scores(self, question: str, candidates: Sequence[Candidate]) -> Floats:
        own = self.scorer.score(question, [candidate.read_as for candidate in candidates])
        whole = np.array([candidate.supplied.relevance for candidate in candidates])
        mean: Floats = (own + whole) / 2
        return mean


def quotable(excerpt: Supplied) -> Iterator[Candidate]:
    """Sentences of at least 20 characters, each with the exception that follows it.

    One that is shorter takes the next along. Headings and table heads say nothing themselves.
    """
    spans = [
        span
        for block in blocks(excerpt.text)
        if block.kind not in SILENT
        for span in block_sentences(excerpt.text, block)
    ]
    for at, (start, end) in enumerate(spans):
        for next_start, next_end in spans[at + 1 :]:
            apart = excerpt.text[end:next_start].strip()  # a heading stands between
            goes_on = starts_exception(excerpt.text[next_start:next_end])
            enough = end - start >= MIN_QUOTE and not goes_on
            if apart or enough or next_end - start > LONGEST:
                break
            end = next_end
        if end - start >= MIN_QUOTE:
            yield Candidate(excerpt, start, end)


def _distinct(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Without those that overlap or repeat a better one."""
    kept: list[Candidate] = []
    for candidate in candidates:
        if not any(_same(candidate, other) for other in kept):
            kept.append(candidate)
    return kept


def _same(left: Candidate, right: Candidate) -> bool:
    if left.text == right.text:
        return True
    if left.supplied.document_id != right.supplied.document_id:
        return False
    offset = left.supplied.start_char - right.supplied.start_char
    return left.start + offset < right.end and right.start < left.end + offset
