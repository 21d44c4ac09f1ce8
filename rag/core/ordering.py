"""The best of many: highest first, equal ones by their tie key."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def best(scores: NDArray[np.float64], ties: NDArray[Any], k: int) -> NDArray[np.int64]:
    """Positions of the ``k`` best ``scores``, best first, equal ones by ascending ``ties``."""
    return best_of(np.arange(len(scores), dtype=np.int64), scores, ties, k)


def best_of(
    rows: NDArray[np.int64], scores: NDArray[np.float64], ties: NDArray[Any], k: int
) -> NDArray[np.int64]:
    """The ``k`` best of ``rows`` (m,) by their ``scores`` (m,), equal ones by ``ties[row]``.

    Only those that reach the k-th best score are sorted; all that equal it are among them.
    """
    if k <= 0:
        return rows[:0]
    if k < len(scores):
        leading = scores >= np.partition(scores, len(scores) - k)[len(scores) - k]
        rows, scores = rows[leading], scores[leading]
    return rows[np.lexsort((ties[rows], -scores))[:k]]
