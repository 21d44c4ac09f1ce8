"""The kernel for bytes is used only where it is exact."""

import sys

import numpy as np
import pytest

from rag.adapters.kernels import byte_kernel, is_exact
from rag.core.quantised import LARGEST, Bytes, Products


def plain(codes: Bytes, code: Bytes) -> Products:
    products: Products = codes.astype(np.int32) @ code.astype(np.int32)
    return products


def overflowing(codes: Bytes, code: Bytes) -> Products:
    """As a kernel that sums in sixteen bits would."""
    with np.errstate(over="ignore"):
        products: Products = (codes.astype(np.int16) @ code.astype(np.int16)).astype(np.int32)
    return products


def rounding(codes: Bytes, code: Bytes) -> Products:
    """As a kernel that sums in float32 could."""
    return (plain(codes, code) * (1 + 1e-6)).astype(np.int32)


def test_an_exact_kernel_passes_its_test() -> None:
    assert is_exact(plain)


@pytest.mark.parametrize("kernel", [overflowing, rounding])
def test_a_wrong_kernel_does_not_pass(kernel: object) -> None:
    assert not is_exact(kernel)  # type: ignore[arg-type]


def test_the_installed_kernel_is_exact() -> None:
    numkong = pytest.importorskip("numkong")
    codes = np.full((5, 4096), -LARGEST, dtype=np.int8)
    products = numkong.dots_packed(codes, numkong.dots_pack(codes[:1]))
    assert np.asarray(products).ravel().tolist() == [4096 * LARGEST**2] * 5


def test_without_the_library_there_is_no_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numkong", None)
    byte_kernel.cache_clear()
    assert byte_kernel() is None
    byte_kernel.cache_clear()
