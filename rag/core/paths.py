"""Paths of headings: the titles that a chunk or a quotation stands under."""

from itertools import takewhile
from typing import Final

from rag.core.blocks import Kind
from rag.core.headings import level_and_title, outline
from rag.core.text import body_start

Path = tuple[tuple[int, str], ...]
"""Open headings from the outermost inwards, each with its level (1 is the highest) and title."""

SEPARATOR: Final = " › "
"""Stands between the titles of a path."""


def opened(path: Path, level: int, title: str) -> Path:
    """The path below a heading, where ``path`` was open before it."""
    return (*takewhile(lambda heading: heading[0] < level, path), (level, title))


def path_at(text: str, start: int, end: int) -> tuple[str, ...]:
    """Titles of the headings that all of ``text[start:end]`` stands under, outermost first.

    Offsets are code points of the whole text, front matter included. A heading stands under
    itself; a slice of several sections stands under what their paths have in common. That is
    narrower than the path of a chunk, which may hold more sections than the slice.
    """
    path: Path = ()
    touched = [path]
    for block in outline(text, body_start(text)):
        if block.start >= end:
            break
        if block.kind is Kind.HEADING:
            path = opened(path, *level_and_title(text, block))
            touched = [path] if block.start <= start else [*touched, path]
    common = takewhile(lambda level: len(set(level)) == 1, zip(*touched, strict=False))
    return tuple(title for (_, title), *_ in common if title)
