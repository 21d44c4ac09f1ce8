"""Vectors of one byte a coordinate: a first look at many rows, with a bound on its error.

A unit row is a = s·c + r with an integer code c, its scale s and a remainder of norm ρ; the unit
question likewise is u = t·p + w with ‖w‖ = ω. So cos = s·t·(c·p) + r·u + s·c·w, and the estimate
s·t·(c·p) errs by at most ρ + (1 + ρ)·ω (Cauchy and Schwarz, ‖s·c‖ ≤ 1 + ρ).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.int8]
Floats = NDArray[np.float64]
Matrix = NDArray[np.float32]
Singles = NDArray[np.float32]
Rows = NDArray[np.int64]

Products = NDArray[np.int32]
Number = TypeVar("Number", float, Floats)

# Products (n,) of codes (n, d) with one code (d,), each exact.
Kernel = Callable[[Bytes, Bytes], Products]

LARGEST: Final = 127
LINE: Final = 64
# Rows at a time: their doubles fit into a core's own cache.
BLOCK: Final = 256
# Covers the rounding of scales, remainders, products and estimates to single precision: a dozen
# units of 2⁻²⁴ of what is at most 1.
ROUNDING: Final = 1e-6


@dataclass(frozen=True)
class Codes:
    """``codes`` (n, d) with their ``scales`` (n,) and the norms ``rests`` (n,) of what is left."""

    codes: Bytes
    scales: Singles
    rests: Singles

    @classmethod
    def of(cls, matrix: Matrix, norms: Floats) -> "Codes":
        """The rows of ``matrix`` (n, d), whose ``norms`` (n,) are positive and finite."""
        made = cls(
            _aligned(matrix.shape),
            np.empty(len(matrix), dtype=np.float32),
            np.empty(len(matrix), dtype=np.float32),
        )
        for start in range(0, len(matrix), BLOCK):
            part = slice(start, start + BLOCK)
            units = matrix[part].astype(np.float64) / norms[part, np.newaxis]
            made.codes[part], made.scales[part], made.rests[part] = _coded(units)
        return made

    def at(self, rows: Rows) -> "Codes":
        """Those of some rows, side by side."""
        codes = _aligned((len(rows), self.codes.shape[1]))
        np.take(self.codes, rows, axis=0, out=codes, mode="clip")  # what "raise" fills is a copy
        return Codes(codes, self.scales[rows], self.rests[rows])

    @property
    def nbytes(self) -> int:
        return self.codes.nbytes + self.scales.nbytes + self.rests.nbytes

    @cached_property
    def widest(self) -> float:
        """The largest of the remainders."""
        return float(self.rests.max(initial=0.0))

    def estimates(self, query: Floats, norm: float, kernel: Kernel) -> "Estimates":
        """An estimate of every row's cosine with ``query`` (d,)."""
        codes, scales, rests = _coded(query[np.newaxis] / norm)
        products = kernel(self.codes, codes[0]).astype(np.float32)
        products *= self.scales
        products *= np.float32(scales[0])
        return Estimates(products, self.rests, self.widest, float(rests[0]))


@dataclass(frozen=True)
class Estimates:
    """Cosines (n,) that may be wrong by a little; remainders of the rows and of the question."""

    values: Singles
    rests: Singles
    widest: float
    asked: float

    def bounds(self, at: Rows) -> Floats:
        """By how much the values at these positions may err."""
        return self._bound(self.rests[at].astype(np.float64))

    def _bound(self, rests: Number) -> Number:
        return rests + (1 + rests) * self.asked + ROUNDING

    def reaching(self, least: float) -> Rows:
        """Positions, ascending, whose cosine may be ``least`` or more."""
        bound = self._bound(self.widest)
        near = np.flatnonzero(self.values >= np.float32(least - bound - ROUNDING))
        return near[self.values[near] + self.bounds(near) >= least]


def _aligned(shape: tuple[int, ...]) -> Bytes:
    """Codes to be filled that begin with a line of the cache: a tenth quicker to read."""
    raw = np.empty(math.prod(shape) + LINE, dtype=np.int8)
    first = -raw.ctypes.data % LINE
    return raw[first : first + math.prod(shape)].reshape(shape)


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
