"""Codes of the eligible rows side by side, kept for who asks again with the same rights.

A slice is found by the eligible rows themselves: whatever changes them (a grant, an approval, the
day) asks for another one. It goes with its snapshot.
"""

import threading
from collections import OrderedDict
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rag.core.quantised import Codes

Mask = NDArray[np.bool_]

# All slices of a snapshot together may take as much as the codes of the whole, a quarter of its
# vectors, and this much in any case.
LEAST_BOUND: Final = 64 * 2**20


class Slices:
    """The slices of one snapshot that were asked for last."""

    def __init__(self, codes: Codes, most_bytes: int | None = None) -> None:
        self._whole = codes
        self._most_bytes = max(LEAST_BOUND, codes.nbytes) if most_bytes is None else most_bytes
        self._lock = threading.Lock()  # guards the next one
        self._kept: OrderedDict[bytes, Codes] = OrderedDict()

    def of(self, mask: Mask) -> Codes:
        """The codes of the rows that ``mask`` (n,) marks, ascending; those of all are no copy."""
        if mask.all():
            return self._whole
        key = np.packbits(mask).tobytes()
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
        return found or self._keep(key, self._whole.at(np.flatnonzero(mask)))

    def _keep(self, key: bytes, made: Codes) -> Codes:
        """Kept, unless it is larger than all may be together; the longest unused ones go."""
        with self._lock:
            self._kept[key] = made
            while sum(kept.nbytes for kept in self._kept.values()) > self._most_bytes:
                self._kept.popitem(last=False)
        return made
