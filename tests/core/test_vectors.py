"""Exact cosines, and the certified float32 scan against exhaustive double precision."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core import vectors
from rag.core.errors import InvalidVector
from rag.core.quantised import Bytes, Codes, Look, Products
from rag.core.vectors import (
    Floats,
    Matrix,
    Rows,
    cosine,
    cosines,
    row_norms,
    scan_error,
    top_rows,
    top_rows_many,
)

Maker = Callable[[np.random.Generator, int, int], Floats]


def plain(random: np.random.Generator, count: int, dimension: int) -> Floats:
    return random.standard_normal((count, dimension))


def duplicated(random: np.random.Generator, count: int, dimension: int) -> Floats:
    return plain(random, 5, dimension)[random.integers(0, 5, count)]


def near_duplicates(random: np.random.Generator, count: int, dimension: int) -> Floats:
    return plain(random, 1, dimension) + 1e-7 * plain(random, count, dimension)


def tiny(random: np.random.Generator, count: int, dimension: int) -> Floats:
    return plain(random, count, dimension) * 10.0 ** random.uniform(-36, -10, (count, 1))


def huge(random: np.random.Generator, count: int, dimension: int) -> Floats:
    return plain(random, count, dimension) * 10.0 ** random.uniform(10, 34, (count, 1))


def mixed_norms(random: np.random.Generator, count: int, dimension: int) -> Floats:
    return plain(random, count, dimension) * 10.0 ** random.uniform(-30, 30, (count, 1))


def clustered(random: np.random.Generator, count: int, dimension: int) -> Floats:
    centres = plain(random, 3, dimension)
    return centres[random.integers(0, 3, count)] + 1e-3 * plain(random, count, dimension)


def signs(random: np.random.Generator, count: int, dimension: int) -> Floats:
    return random.choice([-1.0, 1.0], (count, dimension))


def outlying(random: np.random.Generator, count: int, dimension: int) -> Floats:
    """One dimension outweighs all others, as in some models: little is left for their bytes."""
    made = plain(random, count, dimension)
    made[:, 0] *= 1e4
    return made


MAKERS: tuple[Maker, ...] = (
    plain, duplicated, near_duplicates, tiny, huge, mixed_norms, clustered, signs, outlying,
)  # fmt: skip


def exhaustive(
    matrix: Matrix, norms: Floats, rows: Rows, ties: Rows, query: Floats, k: int
) -> list[tuple[int, float]]:
    """Every row in double, one by one, sorted: slow and obvious."""
    scored = []
    for row in rows:
        one = np.array([row])
        scored.append((-float(cosines(matrix, norms, one, query)[0]), int(ties[row]), int(row)))
    return [(row, -score) for score, _, row in sorted(scored)[:k]]


def case(
    maker: Maker, seed: int, count: int, dimension: int
) -> tuple[Matrix, Floats, Rows, Floats]:
    """Matrix, norms, ties and a question that lies near some of the rows."""
    random = np.random.default_rng(seed)
    matrix = maker(random, count, dimension).astype(np.float32)
    near = matrix[random.integers(count)].astype(np.float64)
    query = near / np.abs(near).max() + 1e-6 * random.standard_normal(dimension)
    return matrix, row_norms(matrix), random.permutation(count), query


def pairs(rows: Rows, scores: Floats) -> list[tuple[int, float]]:
    return list(zip(rows.tolist(), scores.tolist(), strict=True))


def whole(codes: Bytes, code: Bytes) -> Products:
    """The products of codes, slow and obvious."""
    products: Products = codes.astype(np.int32) @ code.astype(np.int32)
    return products


def look_at(matrix: Matrix, norms: Floats, rows: Rows) -> Look:
    return Look(Codes.of(matrix, norms).at(rows), whole)


@pytest.fixture
def scanning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vectors, "SCAN_FROM", 8)


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.usefixtures("scanning")
def test_top_rows_equal_exhaustive_double_precision(maker: Maker) -> None:
    @settings(deadline=None, max_examples=25)
    @given(
        seed=st.integers(0, 2**32), count=st.integers(9, 90), dimension=st.integers(1, 70),
        k=st.integers(1, 12), keep=st.floats(0.1, 1),
    )  # fmt: skip
    def agree(seed: int, count: int, dimension: int, k: int, keep: float) -> None:
        matrix, norms, ties, query = case(maker, seed, count, dimension)
        rows = np.flatnonzero(np.random.default_rng(seed).random(count) <= keep)
        expected = exhaustive(matrix, norms, rows, ties, query, k)
        assert pairs(*top_rows(matrix, norms, rows, ties, query, k)) == expected
        look = look_at(matrix, norms, rows)
        assert pairs(*top_rows(matrix, norms, rows, ties, query, k, look)) == expected
        among = np.array([-query, query, matrix[0]])
        assert pairs(*top_rows_many(matrix, norms, rows, ties, among, k)[1]) == expected

    agree()


def test_more_questions_than_are_scanned_at_once_are_answered_in_their_order() -> None:
    matrix, norms, ties, _ = case(plain, 1, 5000, 8)
    rows, asked = np.arange(5000), matrix[:70].astype(np.float64)
    first = [int(found[0]) for found, _ in top_rows_many(matrix, norms, rows, ties, asked, 3)]
    assert first == list(range(70))


@pytest.mark.parametrize("maker", MAKERS)
def test_top_rows_of_more_rows_than_are_scored_at_once(maker: Maker) -> None:
    matrix, norms, ties, query = case(maker, 7, 9000, 24)
    rows = np.delete(np.arange(9000), [5, 8200])
    expected = exhaustive(matrix, norms, rows, ties, query, 10)
    assert pairs(*top_rows(matrix, norms, rows, ties, query, 10)) == expected
    look = look_at(matrix, norms, rows)
    assert pairs(*top_rows(matrix, norms, rows, ties, query, 10, look)) == expected


@pytest.mark.parametrize("maker", MAKERS)
def test_no_cosine_lies_further_from_its_estimate_than_the_bound(maker: Maker) -> None:
    matrix, norms, _, query = case(maker, 3, 500, 40)
    norm = float(np.linalg.norm(query))
    estimates = Codes.of(matrix, norms).estimates(query, norm, whole)
    exact, rows = cosines(matrix, norms, np.arange(500), query), np.arange(500)
    assert (np.abs(exact - estimates.values) <= estimates.bounds(rows)).all()
    for least in np.sort(exact)[::50]:
        assert set(np.flatnonzero(exact >= least)) <= set(estimates.reaching(float(least)))


@settings(deadline=None)
@given(seed=st.integers(0, 2**32), before=st.integers(0, 20), after=st.integers(0, 20))
def test_other_rows_change_no_bit_of_a_cosine(seed: int, before: int, after: int) -> None:
    matrix, norms, _, query = case(plain, seed, 10, 33)
    random = np.random.default_rng(seed)
    more: list[Floats] = [
        plain(random, before, 33),
        matrix.astype(np.float64),
        plain(random, after, 33),
    ]
    larger = np.concatenate(more).astype(np.float32)
    alone = cosines(matrix, norms, np.arange(10), query)
    among = cosines(larger, row_norms(larger), np.arange(before, before + 10), query)
    assert among.tobytes() == alone.tobytes()


def near_tie() -> tuple[Matrix, Floats, Rows, Floats]:
    """Rows whose cosines differ by less than float32 can tell."""
    random = np.random.default_rng(11)
    matrix = (plain(random, 1, 384) + 3e-7 * plain(random, 400, 384)).astype(np.float32)
    return matrix, row_norms(matrix), np.arange(400), plain(random, 1, 384)[0]


@pytest.mark.usefixtures("scanning")
def test_a_scan_without_its_error_bound_would_be_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix, norms, ties, query = near_tie()
    expected = exhaustive(matrix, norms, ties, ties, query, 5)
    assert pairs(*top_rows(matrix, norms, ties, ties, query, 5)) == expected
    monkeypatch.setattr(vectors, "scan_error", lambda dimension: 0.0)
    assert pairs(*top_rows(matrix, norms, ties, ties, query, 5)) != expected


@pytest.mark.usefixtures("scanning")
def test_a_look_at_bytes_without_its_error_bound_would_be_wrong() -> None:
    matrix, norms, ties, query = near_tie()
    expected = exhaustive(matrix, norms, ties, ties, query, 5)
    codes = Codes.of(matrix, norms)
    assert pairs(*top_rows(matrix, norms, ties, ties, query, 5, Look(codes, whole))) == expected
    certain = Look(Codes(codes.codes, codes.scales, np.full(400, -1.0, np.float32)), whole)
    assert pairs(*top_rows(matrix, norms, ties, ties, query, 5, certain)) != expected


@pytest.mark.parametrize("dimension", [2, 64, 384, 1024])
def test_the_float32_estimate_stays_within_its_bound(dimension: int) -> None:
    random = np.random.default_rng(dimension)
    matrix = plain(random, 500, dimension).astype(np.float32)
    query = plain(random, 1, dimension)[0]
    norms, rows = row_norms(matrix), np.arange(500)
    unit = (query / np.linalg.norm(query)).astype(np.float32)
    estimates = (matrix @ unit).astype(np.float64) / norms
    errors = np.abs(estimates - cosines(matrix, norms, rows, query))
    assert 0 < errors.max() < scan_error(dimension)


def test_equal_rows_are_ordered_by_ties_alone() -> None:
    matrix = np.ones((5000, 3), dtype=np.float32)
    ties = np.arange(5000)[::-1].copy()
    rows, scores = top_rows(matrix, row_norms(matrix), np.arange(5000), ties, np.ones(3), 3)
    assert rows.tolist() == [4999, 4998, 4997]
    assert scores.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("k", [0, 3, 20])
def test_as_many_rows_as_there_are_or_fewer(k: int) -> None:
    matrix, norms, ties, query = case(plain, 1, 10, 4)
    rows, scores = top_rows(matrix, norms, np.arange(10), ties, query, k)
    assert len(rows) == len(scores) == min(k, 10)


@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_a_row_without_a_norm_is_named(bad: float) -> None:
    matrix = np.ones((4, 2), dtype=np.float32)
    matrix[2] = bad
    with pytest.raises(InvalidVector, match="vector 2 is zero or not finite"):
        row_norms(matrix)


@pytest.mark.parametrize(
    "query", [[0.0, 0.0], [np.nan, 1.0], [np.inf, 1.0], [1.0], [1.0, 1.0, 1.0]]
)
def test_a_question_without_a_cosine_is_refused(query: list[float]) -> None:
    matrix, rows = np.ones((2, 2), dtype=np.float32), np.arange(2)
    for search in (
        lambda: cosines(matrix, row_norms(matrix), rows, np.array(query)),
        lambda: top_rows(matrix, row_norms(matrix), rows, rows, np.array(query), 1),
    ):
        with pytest.raises(InvalidVector):
            search()


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [([3, 4], [1, 0], 0.6), ([1, 0], [0, 1], 0.0), ([2, 0], [5, 0], 1.0), ([1, 0], [-3, 0], -1.0)],
)
def test_cosine_of_simple_vectors(left: list[int], right: list[int], expected: float) -> None:
    assert cosine(np.array(left, np.float64), np.array(right, np.float64)) == expected
