"""What stands around a passage: the rows beside it, and the whole of its source.

The words that say what a passage is about often stand in the one before it. So a row's figures may
be joined by those of its surroundings, which are rows of the same revision: as eligible as it is.
Measured in docs/decisions/0013.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from rag.core.index import Snapshot
from rag.core.lexical import Floats, Ids, Rows
from rag.core.postings import K1, B, Mask, PostingList


@dataclass(frozen=True)
class Spans:
    """Runs of rows: from ``starts`` up to ``ends``, one around each row asked for."""

    starts: Rows
    ends: Rows

    @classmethod
    def around(cls, rows: Rows, bounds: tuple[Rows, Rows], reach: int | None) -> "Spans":
        """Each row with ``reach`` rows on either side, within ``bounds``; None: all there are."""
        first, end = bounds
        if reach is None:
            return cls(first, end)
        return cls(np.maximum(rows - reach, first), np.minimum(rows + reach + 1, end))

    def count(self) -> int:
        """How many rows lie in one of them; starts and ends must be in order."""
        if not len(self.starts):
            return 0
        gaps = np.maximum(self.starts[1:] - self.ends[:-1], 0)
        return int(self.ends[-1] - self.starts[0] - gaps.sum())

    def totals(self, running: Rows) -> Rows:
        """What each holds of that which ``running`` adds up."""
        totals: Rows = running[self.ends] - running[self.starts]
        return totals


def nearest_beside(index: Snapshot, rows: Rows, cosines: Floats, reach: int) -> Floats:
    """The best of ``cosines`` (c,) within ``reach`` of each of ``rows`` (c,), which are in order.

    Its own is among them. What else stands beside a row and is not in ``rows`` does not count.
    """
    found, sources = cosines.copy(), index.bounds_of(rows)[0]
    for step in range(1, min(reach, len(rows) - 1) + 1):
        beside = (rows[step:] - rows[:-step] <= reach) & (sources[step:] == sources[:-step])
        for mine, other in ((slice(step, None), slice(-step)), (slice(-step), slice(step, None))):
            np.maximum(found[mine], cosines[other], out=found[mine], where=beside)
    return found


def bm25_around(
    index: Snapshot, revisions: Mask, terms: Ids, rows: Rows, reaches: Sequence[int | None]
) -> list[Floats]:
    """BM25 of the spans around ``rows``, as if each were one text, for each of ``reaches``.

    N, df and mean length are those of the spans around all rows of ``revisions`` (m,), which are
    eligible. Terms are summed in ascending order, see ``postings.bm25``.
    """
    eligible, total = index.rows_of(revisions), int(index.sizes[revisions].sum())
    levels = [_Level.of(index, revisions, total, rows, reach) for reach in reaches]
    for term in np.sort(terms):
        found = index.stems.list_of(term)
        held = found.rows if total == len(eligible) else found.rows[eligible[found.rows]]
        bounds = index.bounds_of(held)
        for level in levels:
            level.add(found, Spans.around(held, bounds, level.reach).count())
    return [level.scores for level in levels]


@dataclass(frozen=True)
class _Level:
    """Spans of one reach around the rows asked for, and what they score so far."""

    reach: int | None
    spans: Spans
    total: int
    norm: Floats
    scores: Floats

    @classmethod
    def of(
        cls, index: Snapshot, revisions: Mask, total: int, rows: Rows, reach: int | None
    ) -> "_Level":
        spans = Spans.around(rows, index.bounds_of(rows), reach)
        mean = max(int(index.tokens_around(reach)[revisions].sum()) / max(total, 1), 1e-9)
        norm = np.asarray(K1 * (1 - B + B * spans.totals(index.running) / mean))
        return cls(reach, spans, total, norm, np.zeros(len(rows)))

    def add(self, found: PostingList, df: int) -> None:
        """What a term adds that ``df`` of the spans hold; what is beside an eligible row is."""
        tf = found.within(self.spans.starts, self.spans.ends)
        idf = np.log1p((self.total - df + 0.5) / (df + 0.5))
        self.scores[:] += idf * tf * (K1 + 1) / (tf + self.norm)
