"""The grammar of lines: a text as headings, list items, table rows, code lines and prose.

This is no Markdown renderer. It knows just enough structure to say where a quotation may
begin, and it never changes or drops a character.
"""

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple


class Kind(Enum):
    """What a line is; a block has the kind of its first line (see ``_JOINED``)."""

    BLANK = auto()
    HEADING = auto()
    UNDERLINE = auto()
    RULE = auto()
    ITEM = auto()
    TABLE_HEAD = auto()
    DELIMITER = auto()
    ROW = auto()
    FENCE = auto()
    CODE = auto()
    QUOTE = auto()
    TAG = auto()
    TEXT = auto()


class Block(NamedTuple):
    """One heading, item, row, code line, tag or run of prose: ``text[start:end]``, trimmed.

    ``level`` is that of a heading without marks of its own (see headings.py), else 0.
    """

    kind: Kind
    start: int
    end: int
    indent: int
    level: int = 0


class _Context(NamedTuple):
    """What the kind of a line depends on besides the line itself."""

    kind: Kind
    line: str
    in_item: bool
    lines: int


# Which line goes on with the block before it, and what the two are together. Every other
# pair starts a new block; so a single newline inside prose is no boundary, and "Title\n===="
# and "head\n---|---" are one block each.
_JOINED = {
    (Kind.TEXT, Kind.TEXT): Kind.TEXT,
    (Kind.ITEM, Kind.TEXT): Kind.ITEM,
    (Kind.QUOTE, Kind.QUOTE): Kind.QUOTE,
    (Kind.QUOTE, Kind.TEXT): Kind.QUOTE,
    (Kind.TEXT, Kind.UNDERLINE): Kind.HEADING,
    (Kind.ROW, Kind.DELIMITER): Kind.TABLE_HEAD,
}

_MARKS = frozenset("#>|-*+•‣`~<{=_:(0123456789")
_HEADING = re.compile(r"#{1,6}(?:\s|$)")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_ITEM = re.compile(r"(?:[-*+•‣]|1[.)])(?:\s|$)")
# "2024. The" at the start of a hard-wrapped line is prose, "2. Then" after an item is not.
_WEAK_ITEM = re.compile(r"(?:\d{1,9}[.)]|\(?[A-Za-z]\)|\([ivx\d]{1,5}\))\s")
_TAG = re.compile(r"</?[A-Za-z][\w-]*(?:[\s/][^<>]*)?>$|<!--.*-->$")
_BLOCK_TAG = re.compile(r"</?(?:t[drh]|li|p|div|h[1-6]|d[dtl]|summary|caption)[\s>].*>$", re.I)


def blocks(text: str, start: int = 0, end: int | None = None) -> tuple[Block, ...]:
    """The blocks of ``text[start:end]`` in order; together they hold every non-space character."""
    found: list[Block] = []
    open_block = False
    for line in _lines(text, start, len(text) if end is None else end):
        joined = _JOINED.get((found[-1].kind, line.kind)) if open_block else None
        if line.kind is Kind.BLANK:
            open_block = False
        elif joined:
            found[-1] = Block(joined, found[-1].start, line.end, found[-1].indent)
        else:
            found.append(line)
            open_block = True
    return tuple(found)


def _lines(text: str, start: int, end: int) -> Iterator[Block]:
    """Each line as a block of its own, blank ones too."""
    fence = ""
    context = _Context(Kind.BLANK, "", False, 0)
    for at, raw, following in _raw_lines(text, start, end):
        line = raw.strip()
        indent = len(raw) - len(raw.lstrip())
        if fence:
            closed = len(line) >= len(fence) and not line.strip(fence[0])
            kind = Kind.FENCE if closed else Kind.CODE if line else Kind.BLANK
            fence = "" if closed else fence
        else:
            kind = _kind(line, indent, context, following)
            fence = _fence(line) if kind is Kind.FENCE else ""
        context = _next(context, kind, line, indent)
        yield Block(kind, at + indent, at + indent + len(line), indent)


def _raw_lines(text: str, start: int, end: int) -> Iterator[tuple[int, str, str]]:
    """Offset and content of each line with the content of the next one, without newlines."""
    lines = text[start:end].split("\n")
    at = start
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        yield at, line, following
        at += len(line) + 1


def _next(context: _Context, kind: Kind, line: str, indent: int) -> _Context:
    if kind is context.kind is Kind.BLANK:
        return context
    lazy = indent > 0 or context.kind is not Kind.BLANK
    inside = context.in_item and (kind is Kind.BLANK or (kind is Kind.TEXT and lazy))
    lines = context.lines + 1 if kind is context.kind else 1
    return _Context(kind, line, kind is Kind.ITEM or inside, lines)


def _kind(line: str, indent: int, before: _Context, following: str) -> Kind:
    """The kind of a line outside code."""
    if not line:
        return Kind.BLANK
    if "|" in line and (row := _table_kind(line, before, following)):
        return row
    if line[0] not in _MARKS and line[1:2] != ")":
        return Kind.TEXT
    if indent < 4 and _HEADING.match(line):
        return Kind.HEADING
    if line[0] in "=-*_" and (rule := _rule_kind(line, before)):
        return rule
    if _ITEM.match(line) or (_WEAK_ITEM.match(line) and _may_open_item(before)):
        return Kind.ITEM
    return _other_kind(line)


def _other_kind(line: str) -> Kind:
    if line[0] == ">":
        return Kind.QUOTE
    if _FENCE.match(line):
        return Kind.FENCE
    liquid = line.startswith("{%") and line.endswith("%}")
    erb = line.startswith("<%") and line.endswith("%>")
    tag = line[0] == "<" and (_TAG.match(line) or _BLOCK_TAG.match(line))
    return Kind.TAG if liquid or erb or tag else Kind.TEXT


def _table_kind(line: str, before: _Context, following: str) -> Kind | None:
    """Rows with outer pipes are rows anywhere; without them a delimiter row must be near."""
    in_table = before.kind in (Kind.ROW, Kind.DELIMITER)
    if _is_delimiter(line) and in_table:
        return Kind.DELIMITER
    if in_table or _is_delimiter(following) or (line[0] == "|" and line.count("|") > 1):
        return Kind.ROW
    return None


def _is_delimiter(line: str) -> bool:
    return "|" in line and "-" in line and not line.strip("|-: \t")


def _rule_kind(line: str, before: _Context) -> Kind | None:
    """The underline of a one-line heading, or a thematic break."""
    compact = "".join(line.split())
    if compact.strip(line[0]):
        return None
    if line[0] in "=-" and compact == line and before.kind is Kind.TEXT and before.lines == 1:
        return None if before.in_item else Kind.UNDERLINE
    return Kind.RULE if len(compact) > 2 and line[0] != "=" else None


def _may_open_item(before: _Context) -> bool:
    """CommonMark lets only "1." interrupt prose; after a full stop or colon it is an item too."""
    prose = before.kind in (Kind.TEXT, Kind.QUOTE) and not before.in_item
    return not prose or before.line.endswith((".", ":", ";"))


def _fence(line: str) -> str:
    return line[: len(line) - len(line.lstrip(line[0]))]
