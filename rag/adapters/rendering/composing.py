"""From the blocks of a text to its layout as HTML."""

import re
from collections.abc import Iterable

from rag.adapters.rendering.blocks import (
    Block,
    Close,
    Code,
    CodeLine,
    Open,
    Paragraph,
    Rule,
    Spans,
    Table,
    Title,
)
from rag.adapters.rendering.layout import Heading, Layout, LayoutBuilder
from rag.adapters.rendering.parsing import parse
from rag.adapters.rendering.phrasing import Phrasing

_NOT_IN_SLUG = re.compile(r"[^\w\- ]+")


def compose_markdown(text: str, start: int) -> Layout:
    """The layout of ``text[start:]``, read as Markdown."""
    blocks = parse(text, start)
    composer = _Composer(text, blocks)
    for block in blocks:
        composer.add(block)
    return composer.builder.finish()


def compose_plain(text: str, start: int) -> Layout:
    """The layout of ``text[start:]`` with its lines and blanks as they are."""
    builder = LayoutBuilder(text)
    builder.add('<div class="plain" dir="auto">')
    builder.show(start, len(text))
    builder.add("</div>\n")
    return builder.finish()


def _slugs(text: str, blocks: Iterable[Block]) -> dict[str, str]:
    """The anchor of each heading by the name that links inside of Markdown texts give it."""
    titles = (block for block in blocks if isinstance(block, Title) and block.spans)
    slugs: dict[str, str] = {}
    for number, title in enumerate(titles, start=1):
        words = "".join(text[a:b] for a, b in title.spans)
        slugs.setdefault(_NOT_IN_SLUG.sub("", words.lower()).replace(" ", "-"), f"h-{number}")
    return slugs


class _Composer:
    """Adds one block after the other to a layout."""

    def __init__(self, text: str, blocks: Iterable[Block]) -> None:
        self.builder = LayoutBuilder(text)
        self._phrasing = Phrasing(text, self.builder, _slugs(text, blocks))
        self._text = text
        self._headings = 0
        self._depth = 0

    def add(self, block: Block) -> None:
        match block:
            case Paragraph():
                self._paragraph(block)
            case Open():
                self._open(block)
            case Close():
                self._depth -= 1
                self.builder.add(f"</{block.tag}>\n")
            case Title():
                self._title(block)
            case Code():
                self._code(block)
            case Table():
                self._table(block)
            case Rule():
                self.builder.add("<hr>\n")

    def _paragraph(self, block: Paragraph) -> None:
        self.builder.add("" if block.tight else '<p dir="auto">')
        self._phrasing.show(block.spans)
        self.builder.add("\n" if block.tight else "</p>\n")

    def _open(self, block: Open) -> None:
        self._depth += 1
        attributes = ' dir="auto"' if block.tag == "li" else ""
        if block.number is not None:
            attributes += f' {"value" if block.tag == "li" else "start"}="{block.number}"'
        self.builder.add(f"<{block.tag}{attributes}>")

    def _title(self, block: Title) -> None:
        """A heading, one level lower: the page's own stands above it. An empty one is dropped."""
        if not block.spans:
            return
        self._headings += 1
        anchor, tag = f"h-{self._headings}", f"h{min(block.level + 1, 6)}"
        self.builder.add(f'<{tag} id="{anchor}" dir="auto">')
        shown = self.builder.count
        self._phrasing.show(block.spans)
        self.builder.add(f"</{tag}>\n")
        if self._depth == 0:
            title = " ".join(self.builder.text_since(shown).split())
            self.builder.contents.append(Heading(block.level, title, anchor, block.spans[0][0]))

    def _code(self, block: Code) -> None:
        if block.info[0] < block.info[1]:
            self.builder.add('<p class="code-info">')
            self.builder.show(*block.info)
            self.builder.add("</p>\n")
        self.builder.add('<pre tabindex="0"><code>')
        for line in block.lines:
            self._code_line(line)
        self.builder.add("</code></pre>\n")

    def _code_line(self, line: CodeLine) -> None:
        if line.spare:
            self.builder.stand_in(line.start - 1, line.start, " " * line.spare)
        self.builder.show(line.start, min(line.end + 1, len(self._text)))

    def _table(self, block: Table) -> None:
        header, *rows = block.rows
        self.builder.add('<div class="table" role="group" aria-label="Table" tabindex="0"><table>')
        self.builder.add("<thead>")
        self._row(header, block.alignments, "th")
        self.builder.add("</thead>\n<tbody>")
        for row in rows:
            self._row(row, block.alignments, "td")
        self.builder.add("</tbody></table></div>\n")

    def _row(self, row: tuple[Spans, ...], alignments: tuple[str, ...], tag: str) -> None:
        """One row; cells beyond the header's are shown as well."""
        self.builder.add("<tr>")
        for number, cell in enumerate(row):
            kind = tag if cell else "td"  # an empty header cell heads nothing
            side = alignments[number] if number < len(alignments) else ""
            attributes = f' class="{side}"' if side else ""
            self.builder.add(f'<{kind}{attributes} dir="auto">')
            self._phrasing.show(cell)
            self.builder.add(f"</{kind}>")
        self.builder.add("</tr>\n")
