"""Inverted term lists; BM25 and overlap over the eligible rows alone."""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rag.core.lexical import Counts, Floats, Ids, Listed, Rows

K1: Final = 1.2
B: Final = 0.75

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Postings:
    """Inverted lists: rows of term ``ids[i]``, ascending, are ``rows[starts[i]:starts[i + 1]]``.

    ``running[j]`` is how often all terms stand in the rows before ``rows[j]``; None where each
    stands there once.
    """

    ids: Ids
    starts: Rows
    rows: Rows
    running: Counts | None

    @classmethod
    def build(cls, listed: Listed) -> "Postings":
        """From the terms of all rows, row by row."""
        order, in_order = _by_term(listed.ids)
        changes = np.flatnonzero(in_order[1:] != in_order[:-1]) + 1
        starts = np.r_[:1, changes, len(order)] if len(order) else np.zeros(1, dtype=np.int64)
        ids = in_order[starts[:-1]]
        del in_order  # as large as what follows, and there are millions of terms
        rows = listed.row_of_each()[order]
        running = None
        if listed.counts is not None:
            running = np.zeros(len(order) + 1, dtype=np.uint32)
            np.cumsum(listed.counts[order], out=running[1:])
        return cls(ids, starts, rows, running)

    def list_of(self, term: np.uint64) -> "PostingList":
        """That of one term; empty where no row holds it."""
        at = int(np.searchsorted(self.ids, term))
        known = at < len(self.ids) and self.ids[at] == term
        start, end = (int(self.starts[at]), int(self.starts[at + 1])) if known else (0, 0)
        running = None if self.running is None else self.running[start : end + 1]
        return PostingList(self.rows[start:end], running)


@dataclass(frozen=True)
class PostingList:
    """The ``rows`` (r,) that hold a term, ascending; ``running`` (r + 1,) as in ``Postings``."""

    rows: Rows
    running: Counts | None

    @property
    def counts(self) -> Counts:
        """How often each row holds it."""
        if self.running is None:
            return np.broadcast_to(np.uint32(1), self.rows.shape)
        return np.diff(self.running)

    def within(self, starts: Rows, ends: Rows) -> Rows:
        """How often the term stands in the rows from each of ``starts`` up to that of ``ends``."""
        first, last = np.searchsorted(self.rows, starts), np.searchsorted(self.rows, ends)
        if self.running is None:
            return last - first
        return self.running[last].astype(np.int64) - self.running[first]


def _by_term(flat: Ids) -> tuple[Rows, Ids]:
    """``argsort(kind="stable")`` of the terms, and the terms in that order.

    Sorting plain integers is several times as quick. Each is the head of a term with its position
    behind it; were two terms of a million alike that far, they would not come out in order.
    """
    bits = np.uint64(len(flat).bit_length())
    packed = flat >> bits
    packed <<= bits
    packed |= np.arange(len(flat), dtype=np.uint64)
    packed.sort()
    packed &= (np.uint64(1) << bits) - np.uint64(1)
    order = packed.view(np.int64)
    in_order = flat[order]
    if np.any(in_order[1:] < in_order[:-1]):
        order = np.argsort(flat, kind="stable")
        in_order = flat[order]
    return order, in_order


def bm25(postings: Postings, lengths: Rows, eligible: Mask, terms: Ids) -> Floats:
    """BM25 of every row, shape (n,), with N, df and mean length of the eligible rows alone.

    Rows that are not eligible score 0. idf = ln(1 + (N − df + 0.5)/(df + 0.5)), Robertson and
    Zaragoza 2009, k1 1.2, b 0.75; terms are summed in ascending order of their ids.
    """
    scores = np.zeros(len(eligible), dtype=np.float64)
    total = int(np.count_nonzero(eligible))
    if not total:
        return scores
    mean = max(int(lengths[eligible].sum()) / total, 1e-9)
    for term in np.sort(terms):
        held = postings.list_of(term)
        rows, counts = held.rows, held.counts
        if total < len(eligible):
            kept = eligible[rows]
            rows, counts = rows[kept], counts[kept]
        tf = counts.astype(np.float64)
        idf = np.log1p((total - len(rows) + 0.5) / (len(rows) + 0.5))
        longer = lengths[rows] / mean  # in place from here: a term may stand in every row
        longer *= B
        longer += 1 - B
        longer *= K1
        longer += tf
        tf *= idf
        tf *= K1 + 1
        tf /= longer
        scores[rows] += tf
    return scores


def overlap(postings: Postings, eligible: Mask, words: Ids) -> Floats:
    """For every row, shape (n,), how many of ``words`` it holds; 0 where it is not eligible."""
    shared = np.zeros(len(eligible), dtype=np.float64)
    for word in words:
        rows = postings.list_of(word).rows
        shared[rows[eligible[rows]]] += 1
    return shared
