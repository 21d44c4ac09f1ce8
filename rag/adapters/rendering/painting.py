"""Marks on a layout: the marked characters are wrapped, and nothing else changes."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rag.adapters.rendering.layout import Layout, escaped


@dataclass(frozen=True)
class Mark:
    """A passage to mark: ``text[start:end]`` in code points of the whole text."""

    start: int
    end: int
    number: int
    """What the reader sees beside it; the first piece has the id ``m{number}``."""


Covers = tuple[Mark, ...]


class Painter:
    """Wraps the marked parts of a layout's runs in ``<mark>``; one mark may need many pieces."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._parts = [""] * (len(layout.markup) + len(layout.runs))
        self._parts[0::2] = layout.markup
        self._parts[1::2] = layout.runs
        self._open: Covers = ()
        self.numbered: set[int] = set()

    def paint(self, marks: Sequence[Mark]) -> str:
        """The HTML with the marks; ``numbered`` then holds the numbers of those that show."""
        touched = self._touched(marks)
        last = -1
        for run in sorted(touched):
            if self._open and (run != last + 1 or self._layout.markup[run]):
                self._parts[2 * last + 1] += self._turn(())
            self._parts[2 * run + 1] = "".join(self._painted(run, touched[run]))
            last = run
        if self._open:
            self._parts[2 * last + 1] += self._turn(())
        return "".join(self._parts)

    def _touched(self, marks: Sequence[Mark]) -> dict[int, list[Mark]]:
        """The marks that each run has to do with, from left to right."""
        touched: defaultdict[int, list[Mark]] = defaultdict(list)
        for mark in sorted(marks, key=lambda mark: (mark.start, mark.end, mark.number)):
            first = bisect_right(self._layout.ends, mark.start)
            last = bisect_left(self._layout.starts, mark.end) if mark.start < mark.end else first
            for run in range(first, last):
                touched[run].append(mark)
        return touched

    def _painted(self, run: int, marks: Sequence[Mark]) -> Iterator[str]:
        """A run from boundary to boundary, with the tags in between."""
        layout = self._layout
        if run in layout.atomic:
            yield self._turn(tuple(marks)) + layout.runs[run]
            return
        start, end = layout.starts[run], layout.ends[run]
        edges = {start, end, *(m.start for m in marks), *(m.end for m in marks)}
        inner = sorted(edge for edge in edges if start <= edge <= end)
        for left, right in pairwise(inner):
            yield self._turn(tuple(m for m in marks if m.start <= left and right <= m.end))
            yield escaped(layout.text[left:right])

    def _turn(self, covers: Covers) -> str:
        """The tags between characters covered by ``_open`` and characters covered by these."""
        if covers == self._open:
            return ""
        tags = "</mark>" * len(self._open)
        self._open = covers
        fresh = {mark.number for mark in covers} - self.numbered
        self.numbered |= fresh
        numbers = "".join(f'<sup class="mark-number">{number}</sup>' for number in sorted(fresh))
        return tags + numbers + "".join(_tag(m, first=m.number in fresh) for m in covers)


def _tag(mark: Mark, *, first: bool) -> str:
    identity = f' id="m{mark.number}"' if first else ""
    return f'<mark class="cited"{identity} data-mark="{mark.number}">'
