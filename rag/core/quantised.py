"""Vectors of one byte a coordinate: a first look at many rows, with a bound on its error.

A unit row is a = s·c + r with an integer code c, its scale s and a remainder of norm ρ; the unit
question likewise is u = t·p + w with ‖w‖ = ω. So cos = s·t·(c·p) + r·u + s·c·w, and the estimate
s·t·(c·p) errs by at most ρ + (1 + ρ)·ω (Cauchy and Schwarz, ‖s·c‖ ≤ 1 + ρ).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.int8]
Floats = NDArray[np.float64]
Matrix = NDArray[np.float32]
Rows = NDArray[np.int64]

# Products (n,) of codes (n, d) with one code (d,), each exact.
Kernel = Callable[[Bytes, Bytes], Floats]

LARGEST: Final = 127
# Rows at a time: their doubles fit into a core's own cache.
BLOCK: Final = 256
# Covers the rounding of norms, scales and products in double: a few hundred units of 2⁻⁵³.
ROUNDING: Final = 1e-12


@dataclass(frozen=True)
class Codes:
    """``codes`` (n, d) with their ``scales`` (n,) and the norms ``rests`` (n,) of what is left."""

    codes: Bytes
    scales: Floats
    rests: Floats

    @classmethod
    def of(cls, matrix: Matrix, norms: Floats) -> "Codes":
        """The rows of ``matrix`` (n, d), whose ``norms`` (n,) are positive and finite."""
        made = cls(
            np.empty(matrix.shape, dtype=np.int8), np.empty(len(matrix)), np.empty(len(matrix))
        )
        for start in range(0, len(matrix), BLOCK):
            part = slice(start, start + BLOCK)
            units = matrix[part].astype(np.float64) / norms[part, np.newaxis]
            made.codes[part], made.scales[part], made.rests[part] = _coded(units)
        return made

    def at(self, rows: Rows) -> "Codes":
        """Those of some rows, side by side."""
        return Codes(self.codes[rows], self.scales[rows], self.rests[rows])

    @property
    def nbytes(self) -> int:
        return self.codes.nbytes + self.scales.nbytes + self.rests.nbytes

    def estimates(self, query: Floats, norm: float, kernel: Kernel) -> tuple[Floats, Floats]:
        """An estimate of every row's cosine with ``query`` (d,), and the bound of its error."""
        codes, scales, rests = _coded(query[np.newaxis] / norm)
        products = kernel(self.codes, codes[0])
        estimates: Floats = self.scales * float(scales[0]) * products
        bounds: Floats = self.rests + (1 + self.rests) * float(rests[0]) + ROUNDING
        return estimates, bounds


def _coded(units: Floats) -> tuple[Bytes, Floats, Floats]:
    scales = np.abs(units).max(axis=1) / LARGEST
    whole = np.rint(units / scales[:, np.newaxis])
    left = units - whole * scales[:, np.newaxis]
    return whole.astype(np.int8), scales, np.sqrt(np.einsum("ij,ij->i", left, left))


@dataclass(frozen=True)
class Look:
    """Codes of exactly the rows that are ranked, in their order, and the kernel for them."""

    codes: Codes
    kernel: Kernel
