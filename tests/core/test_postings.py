"""Inverted term lists, BM25 and overlap."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.lexical import (
    Floats,
    Gathered,
    Listed,
    content_tokens,
    query_stems,
    query_words,
    stem,
    term_counts,
    tokens,
)
from rag.core.postings import Mask, Postings, bm25, overlap

# Terms that are alike in all but the last digits, and some that are not.
TERMS = st.one_of(st.integers(0, 9), st.integers(2**63, 2**63 + 3), st.integers(0, 2**64 - 1))


def words(text: str) -> list[str]:
    return [token.word for token in tokens(text)]


@given(st.lists(st.sets(TERMS, max_size=8), max_size=12))
def test_each_term_has_its_rows_in_order_with_their_counts(held: list[set[int]]) -> None:
    flat = np.array([term for row in held for term in sorted(row)], dtype=np.uint64)
    each = np.array([len(row) for row in held], dtype=np.int64)
    counts = [10 * at + place for at, row in enumerate(held) for place in range(len(row))]
    postings = Postings.build(Listed(flat, each, np.array(counts, dtype=np.uint32)))
    for term in set().union(*held) | {5}:
        found = postings.list_of(np.uint64(term))
        rows = found.rows.tolist()
        assert rows == [at for at, row in enumerate(held) if term in row]
        assert found.counts.tolist() == [10 * at + sorted(held[at]).index(term) for at in rows]


@given(st.lists(st.sets(TERMS, max_size=8), max_size=12))
def test_rows_with_a_term_are_found_without_inverted_lists(held: list[set[int]]) -> None:
    flat = np.array([term for row in held for term in row], dtype=np.uint64)
    listed = Listed(flat, np.array([len(row) for row in held], dtype=np.int64))
    for term in set().union(*held) | {5}:
        rows = [at for at, row in enumerate(held) if term in row]
        assert listed.rows_with(np.uint64(term)).tolist() == rows


def index(
    texts: Sequence[str],
) -> tuple[Postings, Postings, "np.ndarray[tuple[int], np.dtype[np.int64]]"]:
    terms = Gathered.of([term_counts("", "", text, "en").to_bytes() for text in texts])
    return Postings.build(terms.stems), Postings.build(terms.words), terms.lengths


def slow_bm25(texts: Sequence[str], question: str) -> list[float]:
    """The formula of Robertson and Zaragoza, word by word over these texts alone."""
    bags = [Counter(stem(word, "en") for word in words(text)) for text in texts]
    mean = sum(bag.total() for bag in bags) / len(bags) or 1.0
    asked = {stem(token.word, "en") for token in content_tokens(question, ["en"])}
    scores = []
    for bag in bags:
        score = 0.0
        for term in asked:
            holding = sum(term in other for other in bags)
            idf = math.log(1 + (len(bags) - holding + 0.5) / (holding + 0.5))
            norm = 1.2 * (1 - 0.75 + 0.75 * bag.total() / mean)
            score += idf * bag[term] * 2.2 / (bag[term] + norm)
        scores.append(score)
    return scores


VOCABULARY = ["leave", "leaves", "pay", "paying", "rule", "trip", "hotel", "gx", "meal"]
TEXTS = st.lists(
    st.lists(st.sampled_from(VOCABULARY), max_size=12).map(" ".join), min_size=1, max_size=12
)
QUESTION = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=5).map(" ".join)


def fast(texts: Sequence[str], mask: Sequence[bool], question: str) -> Floats:
    stems, _, lengths = index(texts)
    return bm25(stems, lengths, np.array(mask, dtype=np.bool_), query_stems(question, ["en"]))


@settings(deadline=None)
@given(TEXTS, QUESTION, st.data())
def test_bm25_equals_the_obvious_one_over_the_eligible_rows(
    texts: list[str], question: str, data: st.DataObject
) -> None:
    mask = data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    eligible = [text for text, allowed in zip(texts, mask, strict=True) if allowed]
    scores = fast(texts, mask, question)
    expected = slow_bm25(eligible, question) if eligible else []
    assert scores[np.array(mask)].tolist() == pytest.approx(expected)
    assert not scores[~np.array(mask)].any()


@settings(deadline=None)
@given(TEXTS, TEXTS, QUESTION)
def test_hidden_rows_change_no_bit_of_bm25(
    visible: list[str], hidden: list[str], question: str
) -> None:
    alone = fast(visible, [True] * len(visible), question)
    mask = [False] * len(hidden) + [True] * len(visible)
    assert fast([*hidden, *visible], mask, question)[len(hidden) :].tobytes() == alone.tobytes()


@given(TEXTS, QUESTION, st.data())
def test_overlap_counts_the_distinct_words_shared(
    texts: list[str], question: str, data: st.DataObject
) -> None:
    mask: Mask = np.array(
        data.draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    )
    _, plain, _ = index(texts)
    asked = set(question.split())
    expected = [
        float(len(asked & set(text.split()))) if allowed else 0.0
        for text, allowed in zip(texts, mask, strict=True)
    ]
    assert overlap(plain, mask, query_words(question, ["en"])).tolist() == expected


def test_overlap_compares_unstemmed_words() -> None:
    _, plain, _ = index(["leaves"])
    assert overlap(plain, np.array([True]), query_words("leave", ["en"])).tolist() == [0.0]


def test_an_index_without_rows_scores_nothing() -> None:
    stems, _, lengths = index([])
    assert bm25(stems, lengths, np.zeros(0, np.bool_), query_stems("leave", ["en"])).size == 0
