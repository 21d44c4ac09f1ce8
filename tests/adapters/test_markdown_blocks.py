"""The blocks of a text are those that markdown-it-py finds, and nothing of it is left out."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from hypothesis import assume, given, settings
from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag.adapters.rendering.blocks import (
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

# Where markdown-it-py departs from CommonMark, or from the table rules of GitHub, and we do not.
DEPARTURES: Final = (
    r"[-+*>.)] *\t",  # tabs behind a marker are counted from another column
    r"(?:[-+*]|\d[.)])[ \t]*\n[ \t>]*(?:\n|$)",  # a blank line after an empty item ends the list
    r"(?:[-+*>#`~]|\d[.)]).*\|.*\n[ \t>]*[|:-]",  # a table's header may begin like another block
    r">.*\n(?:.+\n)* *(?:\t|    )",  # a deeply indented line does not go on with a quote
    r"^ *(?:\t|    )[ \t]*[#>`~*+=\d_-]",  # such a line ends a paragraph in an item
    r"(?:```|~~~)[^`~]*\n[ \t>]*\n",  # a blank line inside of a fence makes a list loose
)
DEPARTS: Final = re.compile("|".join(DEPARTURES), re.MULTILINE)

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


@settings(deadline=None)
@given(documents)
def test_blocks_are_those_of_the_reference(text: str) -> None:
    assume(not re.search(r"[>-].*\t|[\x0c\u2028]", text))
    assert list(found(text)) == list(expected(text))


@settings(deadline=None)
@given(soups)
def test_blocks_of_untidy_texts_are_those_of_the_reference(text: str) -> None:
    assume(not DEPARTS.search(text) and not re.search("[\x0c\u2028]", text))
    assert list(found(text)) == list(expected(text))


@pytest.mark.parametrize(
    "text",
    [
        *("# a #", "#a", "## a#\nb", "#\ta \\#", "####### a", " # a\n    # b", "a\n# b", "# #"),
        *("a\n=", "a\nb\n---", "a\n- -", "> a\n---", "- a\n---", "a\n    ---", "***\na", "* * *"),
        *("- a\n\n  - b\n  - c", "- a\n  - b\n\n- c", "- a\n- b\n\n  c\n- d", "- a\n\n\n  b"),
        *(
            "- a\n+ b",
            "1. a\n2) b",
            "a\n2. b",
            "a\n1. b",
            "a\n-\nb",
            "-\n\n  a",
            "-\n  a",
            "- a\n b\nc",
            "-a",
        ),
        *(
            "-     a",
            "- a\n\n      b",
            "1000. a\n\n   \tb",
            "10. a\n\n \tb",
            "-\t\ta",
            "1234567890. a",
        ),
        *("> a\nb", "> a\n\nb", ">a\n> b\n>\n> c", "> - a\n>\n> - b", "> - a\n> - b", "- > a\n- b"),
        *(
            "```\na",
            "~~~\na\n~~~~ \nb",
            "```a`b\nc",
            "  ```\n   a\n b\n```",
            "- ```\n  a\n- b",
            "~~~`\na",
        ),
        *("    a\n\n    b\n", "    a\n  \n      b\n\n", "a\n    b", "\ta\n\n\n\tb\nc", "> ```\na"),
        *(
            "a|b\n-|-\nc\n\nd",
            "a\n|b|\n|-|\n|c",
            "|a|\n|-|-|",
            "|a|\n|:-:|\n> b",
            "|a|\n|-|\n    b",
        ),
        *("|a\\|b|c|\n|-|-|\n|\\||`d\\|`|", "> |a|\n> |-|\nb", "|a|\n-\n", "|a|\n--\n", "a\n|-|"),
    ],
)
def test_blocks_of_a_small_text_are_those_of_the_reference(text: str) -> None:
    assert list(found(text)) == list(expected(text))


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("> - > - \ta", ["blockquote", "ul", "li", "blockquote", "ul", "li", "code"]),
        ("-\n\n\n-", ["ul", "li", "li"]),
        ("# a | b\n--|--", ["h1", "p"]),
        ("> > a\n\t# b", ["blockquote", "blockquote", "p"]),
        ("- ```\n\n- a", ["ul", "li", "code", "li", "p"]),
    ],
)
def test_blocks_where_the_reference_departs(text: str, blocks: list[str]) -> None:
    assert [block[0] for block in found(text) if block != ("/",)] == blocks
    assert list(expected(text)) != list(found(text))


def test_what_is_nested_too_deeply_is_text() -> None:
    blocks = parse("> " * 100 + "deep")
    assert sum(isinstance(block, Open) for block in blocks) == MAX_DEPTH
    (paragraph,) = (block for block in blocks if isinstance(block, Paragraph))
    assert paragraph.spans == ((2 * MAX_DEPTH, 204),)


def test_item_gives_its_number_where_counting_would_give_another() -> None:
    text = "3. a\n4. b\n7. c\n\ntext\n\n1. a\n1. b\n1. c\n"
    opened = [(b.tag, b.number) for b in parse(text) if isinstance(b, Open)]
    counted = [("ol", None), ("li", None), ("li", None), ("li", None)]
    assert opened == [("ol", 3), ("li", None), ("li", None), ("li", 7), *counted]


def test_cells_beyond_the_header_are_kept() -> None:
    (table,) = parse("| a |\n|---|\n| b | c \\| d | e |\n")
    assert isinstance(table, Table)
    assert [len(row) for row in table.rows] == [1, 3]


def test_tab_before_code_leaves_its_columns() -> None:
    (_, _, code, *_) = parse("-\t\tcode\n")
    assert code == Code((0, 0), (CodeLine(2, 3, 7),))
