"""What two sequences have in common, against the textbook table."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.alignment import CELLS, Block, common_blocks, longest_common_subsequence

FEW = st.lists(st.integers(0, 3), max_size=25)
MANY = st.lists(st.integers(0, 40), max_size=25)
untimed = settings(deadline=None)


def length_of_longest_common(old: list[int], new: list[int]) -> int:
    """Length of a longest common subsequence, by the table of all prefixes."""
    above = [0] * (len(new) + 1)
    for left in old:
        row = [0]
        for column, right in enumerate(new):
            row.append(above[column] + 1 if left == right else max(above[column + 1], row[-1]))
        above = row
    return above[-1]


def check(old: list[int], new: list[int], blocks: list[Block]) -> None:
    for a, b, size in blocks:
        assert size > 0 and old[a : a + size] == new[b : b + size] and len(old) >= a + size
    for before, after in pairwise(blocks):
        gaps = after[0] - before[0] - before[2], after[1] - before[1] - before[2]
        assert min(gaps) >= 0 and max(gaps) > 0


@untimed
@given(st.one_of(FEW, MANY), st.one_of(FEW, MANY))
def test_a_common_subsequence_is_as_long_as_the_longest(old: list[int], new: list[int]) -> None:
    pairs = longest_common_subsequence(old, new)
    assert all(old[i] == new[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))
    assert len(pairs) == length_of_longest_common(old, new)


@untimed
@given(st.one_of(FEW, MANY), st.one_of(FEW, MANY), st.sampled_from([1, 9, 100, CELLS]))
def test_blocks_are_equal_and_in_order_whatever_the_bound(
    old: list[int], new: list[int], cells: int
) -> None:
    check(old, new, common_blocks(old, new, cells))


@untimed
@given(MANY.filter(bool), st.data())
def test_what_is_only_inserted_leaves_all_of_the_old(old: list[int], data: st.DataObject) -> None:
    new = list(old)
    for _ in range(3):
        new.insert(data.draw(st.integers(0, len(new))), data.draw(st.integers(50, 60)))
    assert sum(block.size for block in common_blocks(old, new)) == len(old)


@pytest.mark.parametrize(
    ("old", "new", "blocks"),
    [
        ("", "abc", []),
        ("abc", "xyz", []),
        ("abc", "abc", [(0, 0, 3)]),
        ("abXcd", "abYZcd", [(0, 0, 2), (3, 4, 2)]),
        ("axbxc", "xaxbx", [(0, 1, 4)]),
        # A block that moved: the longer chain of elements that stand once is kept.
        ("XYabcd", "abcdXY", [(2, 0, 4)]),
        # One that moved while all others stand more than once: it is no anchor.
        ("xababy", "yababx", [(1, 1, 4)]),
    ],
)
def test_blocks_of_small_texts(old: str, new: str, blocks: list[tuple[int, int, int]]) -> None:
    assert common_blocks(old, new) == blocks


def test_elements_that_stand_once_align_before_others() -> None:
    old, new = [*"}}}", "one", "{"], ["one", *"}}}{"]
    assert common_blocks(old, new) == [(3, 0, 1), (4, 4, 1)]


def test_common_ends_are_found_however_large_the_region() -> None:
    old, new = f"{'ab' * 50}x{'ba' * 50}", f"{'ab' * 50}y{'ba' * 50}"
    assert common_blocks(old, new, cells=1) == [(0, 0, 100), (101, 101, 100)]


def test_the_longest_of_many_moved_sections_stays_in_a_large_region() -> None:
    first, second, third = list(range(20)), list(range(20, 45)), list(range(45, 60))
    blocks = common_blocks(first + second + third, third + second + first, cells=1)
    assert blocks == [(20, 15, 25)]


def test_a_repetitive_region_is_aligned_in_slabs() -> None:
    old = ["x", *["a", "b"] * 500, "y"]
    new = ["y", *["a", "b"] * 495, "x"]
    blocks = common_blocks(old, new, cells=10_000)
    assert sum(block.size for block in blocks) >= 960


def test_a_region_of_too_many_slabs_is_left_alone() -> None:
    old, new = ["x", *["a"] * 100, "x"], ["y", *["a"] * 100, "y"]
    assert common_blocks(old, new, cells=1) == []
    assert common_blocks(old, new, cells=4) == [(1, 1, 100)]


def test_elements_that_become_unique_one_by_one_do_not_take_a_round_each() -> None:
    chain = [n for i in range(20_000) for n in (i + 1, i)]
    old, new = ([m for n in chain for m in (n, mark)] for mark in (-1, -2))
    assert sum(block.size for block in common_blocks(old, new)) == len(chain)
