"""The blocks of a text are those that markdown-it-py finds, and nothing of it is left out."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag.adapters.rendering.blocks import (
    Block,
    Close,
    Code,
    CodeLine,
    Open,
    Paragraph,
    Spans,
    Table,
    Title,
)
from rag.adapters.rendering.parsing import MAX_DEPTH, parse
from tests.adapters.markdown_texts import documents, soups

REFERENCE = MarkdownIt("commonmark", {"html": False, "maxNesting": 1000}).enable("table")
REFERENCE.disable(["reference", "html_block", "inline"])


def lines(content: str) -> str:
    """Blanks at the ends of lines mean nothing outside of code."""
    return "\n".join(line.strip() for line in content.split("\n")).strip()


def expected(text: str) -> Iterator[tuple[object, ...]]:
    """The reference's blocks."""
    tokens = iter(REFERENCE.parse(text))
    for token in tokens:
        kind = token.type.removesuffix("_open")
        if kind in {"blockquote", "bullet_list", "ordered_list", "list_item"}:
            yield (token.tag,)
        elif kind in {"paragraph", "heading"}:
            yield (token.tag, token.hidden, lines(next(tokens).content))
        elif kind in {"fence", "code_block"}:
            yield ("code", token.info.strip(" \t"), token.content.rstrip())
        elif kind == "table":
            yield ("table", [list(row) for row in rows(tokens)])
        elif kind == "hr":
            yield ("hr",)
        elif token.type.removesuffix("_close") in {"blockquote", "bullet_list", "ordered_list"}:
            yield ("/",)


def rows(tokens: Iterator[Token]) -> Iterator[list[str]]:
    row: list[str] = []
    for token in tokens:
        if token.type == "inline":
            row.append(lines(token.content))
        elif token.type == "tr_close":
            yield row
            row = []
        elif token.type == "table_close":
            return


def found(text: str) -> Iterator[tuple[object, ...]]:
    """Our blocks in the same form."""
    for block in parse(text):
        match block:
            case Paragraph():
                yield ("p", block.tight, lines(words(text, block.spans)))
            case Title():
                yield (f"h{block.level}", False, lines(words(text, block.spans)))
            case Code():
                code = "\n".join(code_line(text, line) for line in block.lines)
                yield ("code", text[slice(*block.info)], code.rstrip())
            case Table():
                yield ("table", [cells(text, row, len(block.alignments)) for row in block.rows])
            case Open():
                yield (block.tag,)
            case Close():
                if block.tag != "li":
                    yield ("/",)
            case _:
                yield ("hr",)


def words(text: str, spans: Spans) -> str:
    return "".join(text[start:end] for start, end in spans)


def code_line(text: str, line: CodeLine) -> str:
    return " " * line.spare + text[line.start : line.end]


def cells(text: str, row: tuple[Spans, ...], width: int) -> list[str]:
    """The reference fills short rows and drops what is too much; we show it."""
    shown = [words(text, cell).strip() for cell in row]
    return (shown + [""] * width)[:width]
