"""What two sequences have in common, in order, in bounded time.

Common ends first; then the elements that stand once on each side, as in patience diff; then the
longest common subsequence, computed on all columns of a row at once as the bits of one integer
(Hyyrö 2004). Where that is too large the region is cut into slabs, and what is larger still is
not aligned at all.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from math import isqrt
from typing import Final, NamedTuple

CELLS: Final = 25_000_000
"""Largest product of two lengths whose longest common subsequence is sought: 10 ms, 3 MB."""

# Slabs keep the time linear. They find what has not moved by more than a slab, which is all that
# matters in a text of very few distinct words, and no other text comes so far.
_SLABS: Final = 64

# Anchors split a region, and in the parts others may become unique. Texts need two or three
# rounds; the bound keeps a made-up text from needing one per word.
_ROUNDS: Final = 12
_TRUSTED: Final = 16


class Block(NamedTuple):
    """``old[old_start:old_start + size] == new[new_start:new_start + size]``."""

    old_start: int
    new_start: int
    size: int


class _Region(NamedTuple):
    old_start: int
    old_end: int
    new_start: int
    new_end: int


def common_blocks(
    old: Sequence[Hashable], new: Sequence[Hashable], cells: int = CELLS
) -> list[Block]:
    """Equal runs, in order in both sequences, neither overlapping nor adjacent in both."""
    numbers: dict[Hashable, int] = {}
    left = [numbers.setdefault(element, len(numbers)) for element in old]
    right = [numbers.setdefault(element, len(numbers)) for element in new]
    found = _aligned(left, right, cells)
    return list(_joined(sorted(block for block in found if block.size)))


def _aligned(old: list[int], new: list[int], cells: int) -> Iterator[Block]:
    waiting = [(_Region(0, len(old), 0, len(new)), 0)]
    while waiting:
        region, round_ = waiting.pop()
        before, region, after = _stripped(old, new, region)
        yield from (before, after)
        anchors = _anchors(old, new, region, cells) if round_ < _ROUNDS else []
        if anchors:
            yield from (Block(*anchor, 1) for anchor in anchors)
            waiting += [(part, round_ + 1) for part in _between(region, anchors)]
        else:
            yield from _longest_common(old, new, region, cells)


def _stripped(old: list[int], new: list[int], region: _Region) -> tuple[Block, _Region, Block]:
    """The common beginning, what is left, and the common end."""
    a, a_end, b, b_end = region
    while a < a_end and b < b_end and old[a] == new[b]:
        a, b = a + 1, b + 1
    before = Block(region.old_start, region.new_start, a - region.old_start)
    while a < a_end and b < b_end and old[a_end - 1] == new[b_end - 1]:
        a_end, b_end = a_end - 1, b_end - 1
    return before, _Region(a, a_end, b, b_end), Block(a_end, b_end, region.old_end - a_end)


def _anchors(old: list[int], new: list[int], region: _Region, cells: int) -> list[tuple[int, int]]:
    """The longest ascending chain of the elements that stand once on each side.

    None where the chain would leave out half of them or more, because a few words have moved
    or meet by chance; unless the region is large and the chain long.
    """
    a, a_end, b, b_end = region
    places = _once(new, b, b_end)
    pairs = [(at, places[e]) for e, at in _once(old, a, a_end).items() if e in places]
    chain = _ascending(pairs)
    is_large = (a_end - a) * (b_end - b) > cells
    return chain if 2 * len(chain) > len(pairs) or (is_large and len(chain) >= _TRUSTED) else []


def _once(elements: list[int], start: int, end: int) -> dict[int, int]:
    """Where each element stands that stands there once, in order."""
    counts = Counter(elements[start:end])
    return {elements[at]: at for at in range(start, end) if counts[elements[at]] == 1}


def _ascending(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence that ascends on the right too; patience sorting."""
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for at, (_, place) in enumerate(pairs):
        pile = bisect_left(tops, place)
        before.append(piles[pile - 1] if pile else -1)
        tops[pile : pile + 1], piles[pile : pile + 1] = [place], [at]
    chain = []
    at = piles[-1] if piles else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]


def _between(region: _Region, anchors: list[tuple[int, int]]) -> Iterator[_Region]:
    a, b = region.old_start, region.new_start
    for old_at, new_at in [*anchors, (region.old_end, region.new_end)]:
        if old_at > a and new_at > b:
            yield _Region(a, old_at, b, new_at)
        a, b = old_at + 1, new_at + 1


def _longest_common(old: list[int], new: list[int], region: _Region, cells: int) -> Iterator[Block]:
    """A longest common subsequence of the region, slab by slab; none where it is too large."""
    a, a_end, b, b_end = region
    both = {*old[a:a_end]} & {*new[b:b_end]}
    rows = [at for at in range(a, a_end) if old[at] in both]
    columns = [at for at in range(b, b_end) if new[at] in both]
    slabs = isqrt(len(rows) * len(columns) // cells) + 1
    if slabs > _SLABS:
        return
    for left, right in zip(_split(rows, slabs), _split(columns, slabs), strict=True):
        chain = longest_common_subsequence([old[at] for at in left], [new[at] for at in right])
        yield from (Block(left[i], right[j], 1) for i, j in chain)


def _split(places: list[int], parts: int) -> Iterator[list[int]]:
    size = len(places)
    return (places[size * i // parts : size * (i + 1) // parts] for i in range(parts))


def longest_common_subsequence(old: Sequence[int], new: Sequence[int]) -> list[tuple[int, int]]:
    """Places of a longest common subsequence, in order. Time and memory go by the product."""
    if len(new) > len(old):  # the bits stand for the shorter side
        return [(i, j) for j, i in longest_common_subsequence(new, old)]
    rows = _rows(old, new)
    found = []
    row, column = len(old), len(new)
    while row and column:
        if rows[row - 1] >> (column - 1) & 1:
            column -= 1
            continue
        row -= 1
        if not row or rows[row - 1] >> (column - 1) & 1:
            column -= 1
            found.append((row, column))
    return found[::-1]


def _rows(old: Sequence[int], new: Sequence[int]) -> list[int]:
    """For each row a bit per column: 0 where the common subsequence grows by that column."""
    places: dict[int, int] = {}
    for column, element in enumerate(new):
        places[element] = places.get(element, 0) | 1 << column
    full = (1 << len(new)) - 1
    state, rows = full, []
    for element in old:
        meeting = state & places.get(element, 0)
        state = ((state + meeting) | (state - meeting)) & full
        rows.append(state)
    return rows


def _joined(blocks: list[Block]) -> Iterator[Block]:
    """Adjacent blocks as one."""
    start = end = shift = 0
    for old_start, new_start, size in blocks:
        if (old_start, new_start) != (end, end + shift):
            if end > start:
                yield Block(start, start + shift, end - start)
            start, shift = old_start, new_start - old_start
        end = old_start + size
    if end > start:
        yield Block(start, start + shift, end - start)
