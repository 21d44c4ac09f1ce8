"""Cosine similarity in double precision, and its exact top k by a certified scan.

A row's cosine never depends on which other rows are scored: ``einsum`` sums each row on its own
in a fixed order, which a float64 matrix product does not (it flips equal rows when a row is
inserted in front of them).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from rag.core.errors import InvalidVector
from rag.core.ordering import best
from rag.core.quantised import Look

Matrix = NDArray[np.float32]
Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

# Below this a float32 scan saves nothing over scoring every row in double.
SCAN_FROM: Final = 4096
# Rows whose norm lies outside could under- or overflow in float32; they are always scored exactly.
SAFE_NORMS: Final = (1e-12, 1e12)
FLOAT32_UNIT: Final = 2.0**-24
# Rows scored at a time: their doubles fit into a core's own cache.
BLOCK: Final = 512
# Questions scanned at once: their estimates for 100,000 rows take 26 MB.
MANY: Final = 32


def row_norms(matrix: Matrix) -> Floats:
    """Euclidean norms (n,) in double. Raises ``InvalidVector`` on a zero or infinite row."""
    norms = np.empty(len(matrix), dtype=np.float64)
    for start in range(0, len(matrix), BLOCK):
        block = matrix[start : start + BLOCK].astype(np.float64)
        norms[start : start + BLOCK] = np.sqrt(np.einsum("ij,ij->i", block, block))
    if not np.all(np.isfinite(norms) & (norms > 0)):
        bad = int(np.flatnonzero(~(np.isfinite(norms) & (norms > 0)))[0])
        raise InvalidVector(f"vector {bad} is zero or not finite, so it has no cosine.")
    return norms


def cosine(left: Floats | Matrix, right: Floats | Matrix) -> float:
    """Cosine in [-1, 1]. Different dimension, zero, not finite: ``InvalidVector``."""
    query = _query(right)
    matrix = np.asarray(left, dtype=np.float64).reshape(1, -1)
    _check_dimension(matrix.shape[1], query)
    norm = _norm(matrix[0])
    return float(_exact(matrix, np.array([norm]), query, _norm(query))[0])


def cosines(matrix: Matrix, norms: Floats, rows: Rows, query: Floats) -> Floats:
    """Exact cosines of ``rows`` of ``matrix`` (n, d) with ``query`` (d,), in that order."""
    query = _query(query)
    _check_dimension(matrix.shape[1], query)
    norm = _norm(query)
    result = np.empty(len(rows), dtype=np.float64)
    for start in range(0, len(rows), BLOCK):
        part = rows[start : start + BLOCK]
        block = matrix[part].astype(np.float64)
        result[start : start + BLOCK] = _exact(block, norms[part], query, norm)
    return result


def top_rows(
    matrix: Matrix,
    norms: Floats,
    rows: Rows,
    ties: Rows,
    query: Floats,
    k: int,
    look: Look | None = None,
) -> tuple[Rows, Floats]:
    """The ``k`` best of ``rows`` with their exact cosines, best first, equal ones by ``ties``.

    Ids, order and bits equal scoring every row in double: rows that an estimate and its error
    bound cannot exclude are all rescored. The estimate is made in float32, or from the codes of
    ``look``, which must be those of ``rows``.
    """
    if not is_scanned(len(rows), k):
        return _best(matrix, norms, rows, ties, query, k)
    if look is not None:
        candidates, scores = _scored_by(look, matrix, norms, rows, query, k)
        order = best(scores, ties[candidates], k)
        return candidates[order], scores[order]
    [candidates] = _not_excluded(matrix, norms, rows, query[np.newaxis], k)
    return _best(matrix, norms, candidates, ties, query, k)


def top_rows_many(
    matrix: Matrix, norms: Floats, rows: Rows, ties: Rows, queries: Floats, k: int
) -> list[tuple[Rows, Floats]]:
    """``top_rows`` of each of ``queries`` (m, d), bit for bit; one product of matrices for many."""
    found: list[tuple[Rows, Floats]] = []
    for start in range(0, len(queries), MANY):
        part = queries[start : start + MANY]
        candidates = [rows] * len(part)
        if is_scanned(len(rows), k):
            candidates = _not_excluded(matrix, norms, rows, part, k)
        for query, kept in zip(part, candidates, strict=True):
            found.append(_best(matrix, norms, kept, ties, query, k))
    return found


def _best(
    matrix: Matrix, norms: Floats, candidates: Rows, ties: Rows, query: Floats, k: int
) -> tuple[Rows, Floats]:
    scores = cosines(matrix, norms, candidates, query)
    order = best(scores, ties[candidates], k)
    return candidates[order], scores[order]


def is_scanned(rows: int, k: int) -> bool:
    """Whether so many rows are worth an estimate before the ``k`` best are scored."""
    return rows > max(SCAN_FROM, 4 * k) and k > 0


def _not_excluded(matrix: Matrix, norms: Floats, rows: Rows, queries: Floats, k: int) -> list[Rows]:
    """For each of ``queries`` (m, d) the rows that may be among the ``k`` best.

    Those with estimate ≥ (k-th best exact lower bound) − bound.
    """
    units = np.array([_unit(matrix, query) for query in queries])
    safe = (norms[rows] > SAFE_NORMS[0]) & (norms[rows] < SAFE_NORMS[1])
    odd, scanned = rows[~safe], rows[safe]
    if len(scanned) <= k:
        return [rows] * len(queries)
    bound = scan_error(matrix.shape[1])
    kept = []
    for estimates in _estimates(matrix, scanned, units):
        estimates /= norms[scanned]
        threshold = np.partition(estimates, len(estimates) - k)[len(estimates) - k]
        kept.append(np.sort(np.concatenate([odd, scanned[estimates >= threshold - 2 * bound]])))
    return kept


def _unit(matrix: Matrix, query: Floats) -> Matrix:
    double = _query(query)
    _check_dimension(matrix.shape[1], double)
    return (double / _norm(double)).astype(np.float32)


def _scored_by(
    look: Look, matrix: Matrix, norms: Floats, rows: Rows, query: Floats, k: int
) -> tuple[Rows, Floats]:
    """The ``k`` rows that look best, and those whose estimate and bound reach the worst of them.

    In no order, each with its exact cosine.
    """
    double = _query(query)
    _check_dimension(matrix.shape[1], double)
    estimates = look.codes.estimates(double, _norm(double), look.kernel)
    first = np.argpartition(estimates.values, len(rows) - k)[len(rows) - k :]
    scores = cosines(matrix, norms, rows[first], double)
    estimates.values[first] = -np.inf  # they are scored
    others = estimates.reaching(float(scores.min()))
    rest = cosines(matrix, norms, rows[others], double)
    return rows[np.concatenate([first, others])], np.concatenate([scores, rest])


def _estimates(matrix: Matrix, rows: Rows, units: Matrix) -> Floats:
    """Float32 dot products (m, n) with ``units`` (m, d), by contiguous runs: no row is copied."""
    result = np.empty((len(units), len(rows)), dtype=np.float64)
    breaks = np.flatnonzero(np.diff(rows) != 1) + 1
    for start, stop in zip(np.r_[0, breaks], np.r_[breaks, len(rows)], strict=True):
        result[:, start:stop] = units @ matrix[rows[start] : rows[stop - 1] + 1].T
    return result


def scan_error(dimension: int) -> float:
    """Bound on |estimate − cosine|.

    A float32 dot product of n terms errs by at most γ_n·‖a‖·‖q‖ in any summation order, with
    γ_n = n·u/(1 − n·u), u = 2⁻²⁴ (Higham, Accuracy and Stability, section 3.1); rounding the unit
    query adds u, and three more cover the norms, the division and the rounding of the double.
    """
    terms = dimension + 4
    return terms * FLOAT32_UNIT / (1 - terms * FLOAT32_UNIT)


def _exact(block: Floats, norms: Floats, query: Floats, norm: float) -> Floats:
    # A norm product can overflow or vanish only outside float32's range, which BLOBs cannot leave.
    dots: Floats = np.einsum("ij,j->i", block, query)
    dots /= norms * norm
    np.maximum(dots, -1.0, out=dots)  # ``np.clip`` takes longer than all of this for a few rows
    return np.minimum(dots, 1.0, out=dots)


def _query(vector: Floats | Matrix) -> Floats:
    return np.ascontiguousarray(vector, dtype=np.float64).reshape(-1)


def _norm(vector: Floats) -> float:
    norm = float(np.sqrt(np.einsum("i,i->", vector, vector)))
    if not np.isfinite(norm) or norm == 0:
        raise InvalidVector("a vector is zero or not finite, so it has no cosine.")
    return norm


def _check_dimension(dimension: int, query: Floats) -> None:
    if len(query) != dimension:
        raise InvalidVector(f"dimension {len(query)} does not match the index's {dimension}.")
