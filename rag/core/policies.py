"""Ranking policies: named, frozen values that say how two figures become one order.

A rank value is neither a cosine nor a probability, and is not shown as one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from rag.core.errors import InvalidOption

Floats = NDArray[np.float64]
LexicalFigure = Literal["overlap", "bm25"]


@dataclass(frozen=True)
class Policy:
    """How candidates are ranked and which of them are admitted.

    ``depth`` candidates come from each side (None: every eligible row, uncut). With
    ``dense_weight`` None the two rankings are fused by reciprocal rank, else the two figures,
    scaled to [0, 1] over the candidates, are mixed. A hit must be near (cosine ≥ threshold)
    and share a word if ``needs_both``, else one of the two suffices. Unless it ``repeats``, of
    passages that stand in a text several times, word for word, only the first is looked at. With a
    ``reach``, where both sides rank, what so many rows on either side have joins a candidate's own
    figures: their best cosine and their BM25, and ``source`` times that of its whole source.
    """

    name: str
    figure: LexicalFigure
    depth: int | None
    dense_weight: float | None
    rank_constant: int = 60
    needs_both: bool = False
    repeats: bool = True
    reach: int | None = None
    source: float = 0.0


RRF: Final = Policy("rrf-60-v1", "overlap", None, None, needs_both=True)
# Best or close to it on every set that was measured (docs/decisions/0013-surroundings.md).
WEIGHTED: Final = Policy(
    "weighted-65-35-around-3-v1", "bm25", 100, 0.65, repeats=False, reach=3, source=2.0
)
# The defaults before; recorded answers name them.
ALONE: Final = Policy("weighted-60-40-v2", "bm25", 100, 0.6, repeats=False)
REPEATING: Final = Policy("weighted-60-40-v1", "bm25", 100, 0.6)
DENSER: Final = Policy("weighted-80-20-v1", "bm25", 100, 0.8)

POLICIES: Final[Mapping[str, Policy]] = MappingProxyType(
    {known.name: known for known in (WEIGHTED, ALONE, REPEATING, DENSER, RRF)}
)


def policy(name: str) -> Policy:
    """The policy of that name; an unknown one is refused with the known ones named."""
    found = POLICIES.get(name)
    if found is None:
        raise InvalidOption("policy", name, f"known are {', '.join(POLICIES)}")
    return found


def reciprocal_rank_fusion(rankings: list[list[int]], constant: int = 60) -> dict[int, float]:
    """Σ 1/(constant + rank) over the rankings, ranks from 1 (Cormack, Clarke, Büttcher 2009)."""
    fused: dict[int, float] = {}
    for ranking in rankings:
        for rank, row in enumerate(ranking, start=1):
            fused[row] = fused.get(row, 0.0) + 1.0 / (constant + rank)
    return fused


def scaled(values: Floats) -> Floats:
    """Values mapped linearly to [0, 1] over themselves; all equal gives 1 (0 if they are 0)."""
    if not len(values):
        return values
    low, high = float(values.min()), float(values.max())
    if high == low:
        return np.full(len(values), 1.0 if high > 0 else 0.0)
    return (values - low) / (high - low)
