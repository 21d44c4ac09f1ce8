"""What a Markdown text is made of, in reading order; text stands as spans of the source."""

from typing import NamedTuple

Span = tuple[int, int]
"""Start and end in code points of the whole text, end-exclusive."""

Spans = tuple[Span, ...]
"""Parts of the source, in order, that read as one text: ``"".join(text[a:b] for a, b in spans)``.

A paragraph inside a quote is one span per line, without the quote's markers.
"""


class Open(NamedTuple):
    """A quote, list or item begins; ``number`` is what an ordered one has to say of itself."""

    tag: str
    number: int | None = None


class Close(NamedTuple):
    """The quote, list or item that began last ends."""

    tag: str


class Paragraph(NamedTuple):
    """Running text; ``tight`` inside a list without blank lines."""

    spans: Spans
    tight: bool = False


class Title(NamedTuple):
    """A heading of level 1 to 6."""

    level: int
    spans: Spans


class CodeLine(NamedTuple):
    """``text[start:end]``, after ``spare`` columns that are left of the tab before it."""

    spare: int
    start: int
    end: int


class Code(NamedTuple):
    """Code, indented or fenced; ``info`` is what stands behind the opening fence."""

    info: Span
    lines: tuple[CodeLine, ...]


class Table(NamedTuple):
    """Rows of cells, the header first; a row may have fewer or more cells than the header."""

    alignments: tuple[str, ...]
    rows: tuple[tuple[Spans, ...], ...]


class Rule(NamedTuple):
    """A thematic break."""


Block = Open | Close | Paragraph | Title | Code | Table | Rule
