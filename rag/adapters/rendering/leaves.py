"""The block that is open while its lines are read: prose, code or a table."""

from rag.adapters.rendering.blocks import Block, Code, CodeLine, Paragraph, Span, Spans, Table
from rag.adapters.rendering.lines import Line
from rag.adapters.rendering.tables import cells, trimmed


class Prose:
    """A paragraph so far. ``heads`` tells whether its last line may be the header of a table."""

    def __init__(self) -> None:
        self.lines: list[Span] = []
        self.heads = False

    def add(self, line: Line, *, lazy: bool) -> None:
        """Take a line without its indent; a lazy one lacks the markers of its containers."""
        self.lines.append((line.first, line.end))
        self.heads = line.indent < 4 and not lazy

    def go_on(self, start: int, end: int) -> None:
        """Take a line that begins with its text."""
        self.lines.append((start, end))
        self.heads = True

    def spans(self, text: str) -> Spans:
        """The lines with the newlines between them, and as few spans as possible."""
        *lines, last = self.lines
        spans: list[Span] = []
        for start, end in [*((a, b + 1) for a, b in lines), trimmed(text, *last)]:
            if spans and spans[-1][1] == start:
                start = spans.pop()[0]
            spans.append((start, end))
        return tuple(spans)

    def block(self, text: str) -> Block:
        return Paragraph(self.spans(text))


class Indented:
    """Code by an indent of four columns; blank lines at its end do not belong to it."""

    def __init__(self) -> None:
        self.lines: list[CodeLine] = []

    def takes(self, line: Line) -> bool:
        """Take the line if it is indented or blank."""
        if line.indent < 4 and not line.blank:
            return False
        line.advance(4)
        self.lines.append(CodeLine(line.spare, line.pos, line.end))
        return True

    def block(self, text: str) -> Block:
        while not text[self.lines[-1].start : self.lines[-1].end].strip(" \t"):
            self.lines.pop()
        return Code((0, 0), tuple(self.lines))


class Fence:
    """Code between two fences of the same character."""

    def __init__(self, run: str, indent: int, info: Span) -> None:
        self.run, self.indent, self.info = run, indent, info
        self.lines: list[CodeLine] = []
        self.closed = False

    def takes(self, line: Line) -> bool:
        """Take the line, whatever it is; after the closing fence none any more."""
        if self.closed:
            return False
        self.closed = line.indent < 4 and self._is_closing(line.text[line.first : line.end])
        if not self.closed:
            line.advance(self.indent)
            self.lines.append(CodeLine(line.spare, line.pos, line.end))
        return True

    def _is_closing(self, line: str) -> bool:
        return line.startswith(self.run) and not line.lstrip(self.run[0]).strip(" \t")

    def block(self, text: str) -> Block:
        return Code(self.info, tuple(self.lines))


class Rows:
    """A table so far."""

    def __init__(self, alignments: tuple[str, ...], header: tuple[Spans, ...]) -> None:
        self.alignments = alignments
        self.rows = [header]

    def add(self, line: Line) -> None:
        """Take a line as a row."""
        self.rows.append(cells(line.text, line.first, line.end))

    def block(self, text: str) -> Block:
        return Table(self.alignments, tuple(self.rows))


Leaf = Prose | Indented | Fence | Rows
