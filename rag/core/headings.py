"""Headings of a text: their levels, their titles, and the path of those that a slice is under."""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Final

from rag.core.blocks import Kind, blocks
from rag.core.text import body_start

Path = tuple[tuple[int, str], ...]
"""Open headings from the outermost inwards, each with its level (1 to 6) and bare title."""

SEPARATOR: Final = " › "
"""Stands between the titles of a path."""

_MARKS: Final = re.compile(r"\{[#:][^{}]*\}$|(?:^|\s)#+$")
# Every chunk repeats its headings: cut them, or one line of a megabyte would be copied into a
# thousand contexts.
_LONGEST_TITLE: Final = 200


def opened(path: Path, line: str) -> Path:
    """The path below the ATX or setext heading ``line``, where ``path`` was open before it."""
    level, title = _heading(line)
    return (*takewhile(lambda heading: heading[0] < level, path), (level, title))


def _heading(line: str) -> tuple[int, str]:
    if "\n" in line:
        title, underline = line.rsplit("\n", 1)
        level = 1 if "=" in underline else 2
    else:
        title = line.lstrip("#")
        level = len(line) - len(title)
    title = _MARKS.sub("", title).strip(" \t*_`")
    return level, " ".join(title[:_LONGEST_TITLE].split())


def path_at(text: str, start: int, end: int) -> tuple[str, ...]:
    """Titles of the headings that all of ``text[start:end]`` stands under, outermost first.

    Offsets are code points of the whole text, front matter included. A heading stands under
    itself; a slice of several sections stands under what their paths have in common. That is
    narrower than the path of a chunk, which may hold more sections than the slice.
    """
    touched: list[Path] = [()]
    for at, path in _paths(text, end):
        if at >= end:
            break
        touched = [path] if at <= start else [*touched, path]
    common = takewhile(lambda level: len(set(level)) == 1, zip(*touched, strict=False))
    return tuple(title for (_, title), *_ in common if title)


def _paths(text: str, end: int) -> Iterator[tuple[int, Path]]:
    """Each heading before ``end`` (at least) by its offset, with the path that it opens."""
    path: Path = ()
    stop = text.find("\n\n", end)  # no line's kind depends on what follows a blank line
    for block in blocks(text, body_start(text), len(text) if stop < 0 else stop):
        if block.kind is Kind.HEADING:
            path = opened(path, text[block.start : block.end])
            yield block.start, path
