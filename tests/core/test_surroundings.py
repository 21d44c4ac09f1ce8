"""What stands around a passage: its neighbours and its source, beside the slow and obvious."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.lexical import query_stems
from rag.core.policies import ALONE, WEIGHTED
from rag.core.retrieval import Options
from rag.core.surroundings import Spans, bm25_around, nearest_beside
from tests.core.test_postings import slow_bm25
from tests.handmade import Text, found, labels, question, snapshot

WORDS = ["seller", "discount", "travel", "meal", "permit"]
# Sources, each with its passages.
SOURCES = st.lists(
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), min_size=1, max_size=6),
    min_size=1,
    max_size=5,
)
REACH = st.sampled_from([0, 1, 3, None])


def spans_of(parts: Sequence[Sequence[str]], reach: int | None) -> list[list[str]]:
    """The words around each passage of one source."""
    far = len(parts) if reach is None else reach
    return [
        [word for part in parts[max(at - far, 0) : at + far + 1] for word in part]
        for at in range(len(parts))
    ]


@settings(deadline=None)
@given(SOURCES, st.lists(st.sampled_from(WORDS), min_size=1, unique=True), REACH, st.data())
def test_spans_score_as_texts_of_their_own_among_the_eligible(
    sources: list[list[list[str]]], asked: list[str], reach: int | None, data: st.DataObject
) -> None:
    hidden = data.draw(st.lists(st.booleans(), min_size=len(sources), max_size=len(sources)))
    hidden[data.draw(st.integers(0, len(sources) - 1))] = False
    texts = [
        Text(f"s{number}", " ".join(part), part=at)
        for number, parts in enumerate(sources)
        for at, part in enumerate(parts)
    ]
    index, chosen = snapshot(*texts), ~np.array(hidden)
    rows = np.flatnonzero(index.rows_of(chosen))
    [scores] = bm25_around(index, chosen, query_stems(" ".join(asked), ["en"]), rows, [reach])
    texts_around = [
        " ".join(span)
        for parts, none in zip(sources, hidden, strict=True)
        for span in spans_of(parts, reach)
        if not none
    ]
    assert scores.tolist() == pytest.approx(slow_bm25(texts_around, " ".join(asked)))


@given(st.sets(st.integers(0, 30), min_size=1), st.integers(0, 4))
def test_rows_in_overlapping_spans_count_once(rows: set[int], reach: int) -> None:
    held = np.array(sorted(rows))
    bounds = held // 10 * 10, held // 10 * 10 + 10  # three revisions of ten rows, and one more
    spans = Spans.around(held, bounds, reach)
    near = {
        other
        for row in rows
        for other in range(row - reach, row + reach + 1)
        if other >= 0 and other // 10 == row // 10
    }
    assert spans.count() == len(near)


@given(SOURCES, st.integers(0, 4), st.data())
def test_the_nearest_beside_is_of_the_same_source_and_asked_for(
    sources: list[list[list[str]]], reach: int, data: st.DataObject
) -> None:
    places = [(n, at) for n, parts in enumerate(sources) for at in range(len(parts))]
    index = snapshot(*(Text(f"s{number}", part=at) for number, at in places))
    rows = sorted(data.draw(st.sets(st.integers(0, len(places) - 1), min_size=1)))
    own = data.draw(st.lists(st.floats(-1, 1), min_size=len(rows), max_size=len(rows)))
    best = nearest_beside(index, np.array(rows), np.array(own), reach)
    for row, value in zip(rows, best.tolist(), strict=True):
        beside = [
            cosine
            for other, cosine in zip(rows, own, strict=True)
            if abs(other - row) <= reach and places[other][0] == places[row][0]
        ]
        assert value == max(beside)


FIRST = Text("permits", "parking permits of the town", (0.8, 0.6))
NEXT = Text("permits", "they cost ten euros", (0.6, 0.8), part=1)
ELSEWHERE = Text("swimming", "they cost ten euros", (0.65, 0.76))


def test_a_passage_is_found_by_what_stands_beside_it() -> None:
    """What a permit costs, not what swimming does; by itself it says neither."""
    texts, asked = [FIRST, NEXT, ELSEWHERE], question("parking permits cost euros")
    around, alone = (labels(texts, asked, Options(policy=each)) for each in (WEIGHTED, ALONE))
    assert around.index("permits#1") < around.index("swimming#0")
    assert alone.index("permits#1") > alone.index("swimming#0")


def test_surroundings_move_the_rank_and_no_figure() -> None:
    texts, asked = [FIRST, NEXT, ELSEWHERE], question("parking permits cost euros")
    around, alone = (dict(found(texts, asked, Options(policy=p))) for p in (WEIGHTED, ALONE))
    assert {name: replace(hit, rank=0) for name, hit in around.items()} == {
        name: replace(hit, rank=0) for name, hit in alone.items()
    }
