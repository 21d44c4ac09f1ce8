"""The block structure of Markdown (CommonMark and pipe tables), with the place of every line.

HTML and link reference definitions are text here, so that nothing of a source vanishes. The
parser of markdown-it-py gives the same blocks (tests compare the two) but takes three times as
long, and its content has lost the offsets.
"""

import re

from rag.adapters.rendering.blocks import Block, Close, Open, Paragraph, Rule, Spans, Title
from rag.adapters.rendering.leaves import Fence, Indented, Leaf, Prose, Rows
from rag.adapters.rendering.lines import Line
from rag.adapters.rendering.tables import alignments, cells, trimmed

MAX_DEPTH = 40
"""Quotes, lists and items inside each other; what is nested deeper is shown as text."""

_STARTS = frozenset("#>`~*-_+=|:0123456789")
_SPECIAL = _STARTS | {" ", "\t", "\n"}
_ATX = re.compile(r"#{1,6}+(?![^ \t])")
_FENCE = re.compile(r"`{3,}+(?=[^`]*$)|~{3,}+")
_SETEXT = re.compile(r"(=+|-+)[ \t]*")
_RULE = re.compile(r"([*_-])[ \t]*(?:\1[ \t]*){2,}")
_MARKER = re.compile(r"(?:[*+-]|([0-9]{1,9})[.)])(?![^ \t])")


class _Container:
    """A quote, a list or an item that is open."""

    __slots__ = ("delimiter", "filled", "loose", "paragraphs", "said", "shown", "tag", "width")

    def __init__(self, tag: str, width: int = 0, delimiter: str = "", first: int = 0) -> None:
        self.tag = tag
        self.width = width  # of an item: the columns of its marker
        self.delimiter = delimiter  # of a list: the last character of its markers
        self.said = first  # of an ordered list: the number its last item gives
        self.shown = first - 1  # and the number it is shown with
        self.filled = False  # whether an item has a block already
        self.loose = False
        # Of a list: the paragraphs right in its items, and where they stand.
        self.paragraphs: list[tuple[int, Paragraph]] = []


class Parser:
    """Reads a text line by line and collects its blocks."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.blocks: list[Block] = []
        self._stack: list[_Container] = []
        self._leaf: Leaf | None = None
        self._gap = False  # whether the line before was blank, and inside no quote or fence

    def feed(self, start: int, end: int) -> None:
        """Read the line ``text[start:end]``."""
        if not self._stack and isinstance(self._leaf, Prose) and self.text[start] not in _SPECIAL:
            self._leaf.go_on(start, end)  # by far the most frequent case
            return
        line = Line(self.text, start, end)
        matched = self._match(line)
        whole = matched == len(self._stack)
        if whole and isinstance(self._leaf, Indented | Fence) and self._leaf.takes(line):
            self._gap = line.blank and isinstance(self._leaf, Indented) and self._may_gap()
        elif line.blank:
            self.close(matched)
            self._gap = self._may_gap()
        else:
            self._read(line, matched, whole)
            self._gap = False

    def _match(self, line: Line) -> int:
        """How many of the open containers the line goes on with; takes their markers."""
        for depth, container in enumerate(self._stack):
            if container.tag == "blockquote":
                if not self._takes_quote(line):
                    return depth
            elif container.tag == "li":
                if line.indent < container.width and not (line.blank and container.filled):
                    return depth
                line.advance(container.width)
        return len(self._stack)

    def _takes_quote(self, line: Line) -> bool:
        if line.blank or line.indent > 3 or self.text[line.first] != ">":
            return False
        line.consume(1)
        line.advance(1)
        return True

    def _may_gap(self) -> bool:
        return bool(self._stack) and self._stack[-1].tag != "blockquote"

    def close(self, depth: int) -> None:
        """End the open leaf, and all containers but the outermost ``depth``."""
        if self._leaf is not None:
            self._end_leaf(self._leaf)
        while len(self._stack) > depth:
            container = self._stack.pop()
            self.blocks.append(Close(container.tag))
            if not container.loose:
                for index, paragraph in container.paragraphs:
                    self.blocks[index] = paragraph._replace(tight=True)

    def _end_leaf(self, leaf: Leaf) -> None:
        block = leaf.block(self.text)
        if isinstance(block, Paragraph) and self._stack and self._stack[-1].tag == "li":
            self._stack[-2].paragraphs.append((len(self.blocks), block))
        self.blocks.append(block)
        self._leaf = None

    def _read(self, line: Line, matched: int, whole: bool) -> None:
        """Open what the line opens, and take the rest of it as text."""
        prose = self._leaf if isinstance(self._leaf, Prose) else None
        while line.indent < 4 and self.text[line.first] in _STARTS:
            if prose and whole and self._turns(line, prose):
                return
            if self._is_leaf(line, matched):
                return
            if not self._contains(line, matched, inside_prose=prose is not None and whole):
                break
            prose, whole, matched = None, True, len(self._stack)
            if line.blank:
                return
        self._text(line, matched, prose, whole)

    def _text(self, line: Line, matched: int, prose: Prose | None, whole: bool) -> None:
        if prose:
            prose.add(line, lazy=not whole)
        elif whole and isinstance(self._leaf, Rows) and line.indent < 4:
            self._leaf.add(line)
        elif line.indent < 4:
            self.close(matched)
            prose = Prose()
            prose.add(line, lazy=False)
            self._begin(prose)
        else:
            self.close(matched)
            code = Indented()
            code.takes(line)
            self._begin(code)

    def _begin(self, leaf: Leaf | None = None) -> None:
        """Make room for a new block: a list takes items only, and blank lines make it loose."""
        if self._stack and self._stack[-1].delimiter:
            self.close(len(self._stack) - 1)
        if self._stack and self._stack[-1].tag == "li":
            self._stack[-2].loose |= self._gap and self._stack[-1].filled
            self._stack[-1].filled = True
        self._leaf = leaf

    def _turns(self, line: Line, prose: Prose) -> bool:
        """Whether the line makes what stands above it a heading, or the header of a table."""
        if self._makes_table(line, prose):
            return True
        if _SETEXT.fullmatch(self.text, line.first, line.end) is None:
            return False
        level = 1 if self.text[line.first] == "=" else 2
        self.blocks.append(Title(level, prose.spans(self.text)))
        self._leaf = None
        return True

    def _makes_table(self, line: Line, prose: Prose) -> bool:
        columns = alignments(self.text, line.first, line.end) if prose.heads else None
        if columns is None or "|" not in self.text[slice(*prose.lines[-1])]:
            return False
        header = cells(self.text, *prose.lines[-1])
        if len(header) != len(columns):
            return False
        prose.lines.pop()
        if prose.lines:
            self._end_leaf(prose)
        self._leaf = Rows(columns, header)
        return True

    def _is_leaf(self, line: Line, matched: int) -> bool:
        """Whether the line is a heading or a rule, or opens a fence; it is taken then."""
        if match := _ATX.match(self.text, line.first, line.end):
            title = self._atx_title(match.end(), line.end)
            self._add(Title(match.end() - match.start(), title), matched)
        elif match := _FENCE.match(self.text, line.first, line.end):
            self.close(matched)
            info = trimmed(self.text, match.end(), line.end)
            self._begin(Fence(match[0], line.indent, info))
        elif _RULE.fullmatch(self.text, line.first, line.end):
            self._add(Rule(), matched)
        else:
            return False
        return True

    def _atx_title(self, start: int, end: int) -> Spans:
        start, end = trimmed(self.text, start, end)
        open_title = self.text[start - 1 : end].rstrip("#")
        if open_title[-1:] in {" ", "\t"}:  # the closing run of a heading
            start, end = trimmed(self.text, start, start - 1 + len(open_title))
        return ((start, end),) if start < end else ()

    def _add(self, block: Block, matched: int) -> None:
        self.close(matched)
        self._begin()
        self.blocks.append(block)

    def _contains(self, line: Line, matched: int, *, inside_prose: bool) -> bool:
        """Whether the line opens a quote or an item; its marker is taken then."""
        if len(self._stack) >= MAX_DEPTH:
            return False
        if self.text[line.first] == ">":
            self.close(matched)
            self._begin()
            self._push(_Container("blockquote"))
            return self._takes_quote(line)
        marker = _MARKER.match(self.text, line.first, line.end)
        if marker is None or (inside_prose and not self._interrupts(marker, line)):
            return False
        self.close(matched)
        self._open_item(line, marker)
        return True

    def _interrupts(self, marker: re.Match[str], line: Line) -> bool:
        """Whether an item may follow a paragraph without a blank line."""
        counts = marker[1] is None or int(marker[1]) == 1
        return counts and bool(self.text[marker.end() : line.end].strip(" \t"))

    def _open_item(self, line: Line, marker: re.Match[str]) -> None:
        number = int(marker[1]) if marker[1] else None
        items = self._open_list(marker[0][-1], number)
        self._push(_Container("li", line.indent), None if number is None else _said(items, number))
        width = line.indent + len(marker[0])
        line.consume(len(marker[0]))
        padding = line.indent if line.indent <= 4 and not line.blank else 1
        line.advance(padding)
        self._stack[-1].width = width + padding

    def _open_list(self, delimiter: str, number: int | None) -> _Container:
        """The list that the next item belongs to: the one that is open, or a new one."""
        top = self._stack[-1] if self._stack else None
        if top is not None and top.delimiter == delimiter:
            top.loose |= self._gap
            return top
        self._begin()
        items = _Container("ul" if number is None else "ol", delimiter=delimiter, first=number or 0)
        self._push(items, number if number != 1 else None)
        return items

    def _push(self, container: _Container, number: int | None = None) -> None:
        self._stack.append(container)
        self.blocks.append(Open(container.tag, number))


def _said(items: _Container, number: int) -> int | None:
    """The number an item has to give: none if it is the next one, or if all say the same."""
    follows = number == items.shown + 1 or number == items.said
    items.shown = items.shown + 1 if follows else number
    items.said = number
    return None if follows else number


def parse(text: str, start: int = 0) -> list[Block]:
    """The blocks of ``text[start:]``; every character of it lies in one or is markup."""
    parser = Parser(text)
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        parser.feed(start, end)
        start = end + 1
    parser.close(0)
    return parser.blocks
