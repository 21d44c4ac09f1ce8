"""A snippet as it is shown: its lines one after another, matched words marked.

The signs of headings, bullets and tables are layout and become layout; every other character is
shown as it stands in the source.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rag.core.blocks import Block, Kind, blocks
from rag.core.snippets import Snippet
from rag.core.text import Span

_SIGN: Final = {
    Kind.HEADING: re.compile(r"#{1,6}[ \t]+"),
    Kind.ITEM: re.compile(r"[-*+•‣][ \t]+"),
}
_TAIL: Final = {
    Kind.HEADING: re.compile(r"(?:[ \t]+#+|\n[ \t]*[=-]+)$"),
    Kind.TABLE_HEAD: re.compile(r"\n[|:\- \t]+$"),
}
_CELL: Final = re.compile(r"(?:[^|\\]|\\.|\\$)+", re.DOTALL)
_TABLE: Final = frozenset({Kind.ROW, Kind.TABLE_HEAD})
_SILENT: Final = frozenset({Kind.RULE, Kind.DELIMITER})


@dataclass(frozen=True)
class Piece:
    """Text of a snippet; ``marked``: it is a word of the question."""

    text: str
    marked: bool = False


@dataclass(frozen=True)
class Stretch:
    """A heading, item, table cell or run of prose; the ``kind`` of prose is empty.

    The first cell of a table's row counts as an item.
    """

    kind: str
    pieces: tuple[Piece, ...]


def stretches_of(text: str, shown: Snippet) -> tuple[Stretch, ...]:
    """The shown part of a hit's text, block by block."""
    found = []
    for block in blocks(text):
        for kind, start, end in _spans(text, block, shown):
            if text[start:end].strip():
                pieces = tuple(_pieces(text, start, end, shown.marks))
                found.append(Stretch(kind, pieces))
    return tuple(found)


def _spans(text: str, block: Block, shown: Snippet) -> Iterator[tuple[str, int, int]]:
    """What is shown of a block, with its kind: cell by cell, or in one."""
    start, end = _visible(text, block, shown)
    if block.kind in _TABLE:
        kind = "item"
        for cell in _CELL.finditer(text, start, max(start, end)):
            if cell[0].strip():
                yield kind, cell.start(), cell.end()
                kind = "cell"
    elif block.kind not in _SILENT:
        yield _kind(text, block, shown), start, end


def _visible(text: str, block: Block, shown: Snippet) -> Span:
    """The part of a block that lies in the snippet, without its sign."""
    start, end = block.start, block.end
    if (sign := _SIGN.get(block.kind)) and (match := sign.match(text, start, end)):
        start = match.end()
    if (tail := _TAIL.get(block.kind)) and (match := tail.search(text[:end], start)):
        end = match.start()
    return max(start, shown.start), min(end, shown.end)


def _kind(text: str, block: Block, shown: Snippet) -> str:
    if block.kind is Kind.HEADING:
        return "heading"
    bulleted = block.kind is Kind.ITEM and _SIGN[Kind.ITEM].match(text, block.start, block.end)
    return "item" if bulleted and shown.start <= block.start else ""


def _pieces(text: str, start: int, end: int, marks: Sequence[Span]) -> Iterator[Piece]:
    """``text[start:end]`` cut at the marks; empty pieces are left out."""
    at = start
    for first, last in marks:
        first, last = max(first, at), min(last, end)
        if first < last:
            if at < first:
                yield Piece(text[at:first])
            yield Piece(text[first:last], marked=True)
            at = last
    if at < end:
        yield Piece(text[at:end])
