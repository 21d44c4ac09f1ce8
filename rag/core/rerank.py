"""Deterministic re-ranking by the words that a hit is required to contain."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rag.core.lexical import content_tokens, tokens

QUESTION_WEIGHT: Final = 0.25


@dataclass(frozen=True)
class Candidate:
    """What the re-rank key is made of. ``similarity`` is the cosine, 0 where none was computed."""

    chunk_id: str
    text: str
    similarity: float


def rerank(
    question: str,
    candidates: Sequence[Candidate],
    required: Sequence[str],
    languages: Sequence[str],
) -> list[Candidate]:
    """By (coverage of required, similarity + 0.25 · coverage of question, id), descending.

    A coverage is the share, 0 to 1, of distinct words that the text contains; without required
    terms it counts 1. The id descends too: the one exception to ascending ties.
    """
    wanted = {token.word for term in required for token in tokens(term)}
    asked = {token.word for token in content_tokens(question, languages)}
    return sorted(candidates, key=lambda c: _key(c, wanted, asked), reverse=True)


def _key(candidate: Candidate, wanted: set[str], asked: set[str]) -> tuple[float, float, str]:
    present = {token.word for token in tokens(candidate.text)}
    closeness = candidate.similarity + QUESTION_WEIGHT * coverage(asked, present)
    return coverage(wanted, present), closeness, candidate.chunk_id


def coverage(wanted: set[str], present: set[str]) -> float:
    """Share of ``wanted`` in ``present``; 1 when nothing is wanted."""
    return len(wanted & present) / len(wanted) if wanted else 1.0
