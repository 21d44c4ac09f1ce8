"""Codes of eligible rows: the right ones, kept for the same rows, and no more than may be."""

import numpy as np

from rag.core.quantised import Codes
from rag.core.slices import Slices

CODES = Codes(
    np.arange(40, dtype=np.int8).reshape(10, 4),
    np.arange(1, 11, dtype=np.float32),
    np.arange(0, 5, 0.5, dtype=np.float32),
)


def mask(*rows: int) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    marked = np.zeros(10, dtype=np.bool_)
    marked[list(rows)] = True
    return marked


def test_a_slice_holds_the_rows_marked_in_their_order() -> None:
    found = Slices(CODES).of(mask(7, 2))
    assert found.codes.tolist() == CODES.codes[[2, 7]].tolist()
    assert (found.scales.tolist(), found.rests.tolist()) == ([3, 8], [1.0, 3.5])


def test_all_rows_are_no_copy() -> None:
    assert Slices(CODES).of(mask(*range(10))) is CODES


def test_the_same_rows_get_the_same_slice_and_others_another() -> None:
    slices = Slices(CODES)
    first = slices.of(mask(1, 2))
    assert slices.of(mask(1, 2)) is first
    assert slices.of(mask(1, 3)) is not first
    assert slices.of(mask(1, 3)).codes.tolist() == CODES.codes[[1, 3]].tolist()


def test_the_slices_used_last_are_kept_within_the_bound() -> None:
    slices = Slices(CODES, most_bytes=2 * CODES.at(np.array([0])).nbytes)
    first, second = slices.of(mask(1)), slices.of(mask(2))
    assert slices.of(mask(1)) is first
    slices.of(mask(3))
    assert slices.of(mask(1)) is first
    assert slices.of(mask(2)) is not second


def test_a_slice_larger_than_the_bound_is_given_and_not_kept() -> None:
    slices = Slices(CODES, most_bytes=1)
    found = slices.of(mask(1, 2))
    assert found.codes.tolist() == CODES.codes[[1, 2]].tolist()
    assert slices.of(mask(1, 2)) is not found
