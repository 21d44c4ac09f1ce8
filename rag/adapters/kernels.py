"""A compiled kernel for products of bytes, where there is one that is right and worth it."""

import time
from collections.abc import Callable
from functools import lru_cache
from typing import Final

import numpy as np

from rag.core.quantised import LARGEST, Bytes, Kernel, Products

DIMENSION: Final = 384
ROWS: Final = 16384  # in float32 more than a processor keeps at hand


@lru_cache(maxsize=1)
def byte_kernel() -> Kernel | None:
    """NumKong's, if it is installed, exact, and faster than float32 here; found out once."""
    try:
        import numkong
    except ImportError:
        return None

    def kernel(codes: Bytes, code: Bytes) -> Products:
        products = numkong.dots_packed(codes, numkong.dots_pack(code[np.newaxis]))
        return np.asarray(products, dtype=np.int32).reshape(-1)

    return kernel if is_exact(kernel) and is_faster(kernel) else None


def is_exact(kernel: Kernel) -> bool:
    """Whether the products are those of whole numbers, for the largest codes as well."""
    rng = np.random.default_rng(1)
    for dimension in (1, 31, DIMENSION, 1027):
        codes = rng.integers(-LARGEST, LARGEST, (257, dimension), np.int8, endpoint=True)
        codes[0], codes[1] = LARGEST, -LARGEST
        for code in codes[:3]:
            whole = codes.astype(np.int64) @ code.astype(np.int64)
            if not np.array_equal(kernel(codes, code), whole):
                return False
    return True


def is_faster(kernel: Kernel) -> bool:
    """Whether it beats a product in float32 of the same shape."""
    codes = np.random.default_rng(2).integers(-9, 9, (ROWS, DIMENSION), np.int8)
    floats, code = codes.astype(np.float32), codes[0]
    query = floats[0]
    return _seconds(lambda: kernel(codes, code)) < _seconds(lambda: floats @ query)


def _seconds(act: Callable[[], object]) -> float:
    """The best of a few runs: whatever else the machine does only adds."""
    times = []
    for _ in range(4):
        started = time.perf_counter()
        act()
        times.append(time.perf_counter() - started)
    return min(times)
