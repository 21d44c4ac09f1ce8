"""The best of many: highest first, equal ones by their tie key."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def best(scores: NDArray[np.float64], ties: NDArray[Any], k: int) -> NDArray[np.int64]:
    """Positions of the ``k`` best ``scores``, best first, equal ones by ascending ``ties``.

    Only those that reach the k-th best score are sorted; all that equal it are among them.
    """
    if k <= 0:
        return np.empty(0, dtype=np.int64)
    candidates = np.arange(len(scores), dtype=np.int64)
    if k < len(scores):
        least = np.partition(scores, len(scores) - k)[len(scores) - k]
        candidates = np.flatnonzero(scores >= least)
    order = np.lexsort((ties[candidates], -scores[candidates]))[:k]
    return candidates[order]
