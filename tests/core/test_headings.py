"""Headings of Markdown, wikis and plain text, and the lines that only look like one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.blocks import Kind, blocks
from rag.core.headings import level_and_title, outline

PROSE = (
    "The employee hands in the form before the end of the month, and keeps a copy of it for a year."
)
LONG = f"{PROSE} {PROSE}"
OPENING = f"{LONG} {LONG}"

LINES = st.sampled_from(
    [
        "= One =",
        "= = Two = =",
        "== Three",
        "Leave",
        "1. Leave",
        "1.1 Days",
        "- item",
        "# Four",
        "",
        "",
        LONG,
        PROSE,
        "Short.",
        "a = b",
        "DUTIES",
        "  indented",
        "| a | b |",
        "```",
    ]
)


def headings(text: str) -> list[tuple[int, str]]:
    return [level_and_title(text, b) for b in outline(text) if b.kind is Kind.HEADING]


def titles(text: str) -> list[str]:
    return [title for _, title in headings(f"{OPENING}\n\n{text}")]


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("= Leave =", 1),
        ("== Leave ==", 2),
        ("= = Leave = =", 2),
        ("===Leave===", 3),
        (" = = = Leave = = = ", 3),
        ("== Leave", 2),
        ("====== Leave ======", 6),
    ],
)
@pytest.mark.parametrize("before", ["", "No stop at the end\n", "* item\n"])
def test_headings_of_wikis_are_known_by_their_signs(line: str, level: int, before: str) -> None:
    assert headings(f"{before}{line}\n{LONG}") == [(level, "Leave")]


@pytest.mark.parametrize(
    "line",
    [
        "= 1 nM), a value",
        "====  ====",
        "a = b",
        "= a = b =",
        "== a =",
        "======= a",
        "```\n== a ==\n```",
        "> == a ==",
        "| == a == | b |",
    ],
)
def test_other_lines_with_equals_signs_are_no_headings(line: str) -> None:
    assert titles(f"{LONG}\n{line}\n{LONG}") == []


@pytest.mark.parametrize("line", ["Annual leave", "ANNUAL LEAVE", "Leave (all grades)", "请假规定"])
@pytest.mark.parametrize("gap", ["\n", "\n\n"])
def test_a_short_line_above_prose_is_a_heading(line: str, gap: str) -> None:
    assert titles(f"{line}{gap}{LONG}") == [line]


@pytest.mark.parametrize(
    "line", ["1. Leave", "2.3 Leave", "4) Leave", "5. LEAVE.", "Article 6 Leave"]
)
def test_a_numbered_line_above_prose_is_a_heading(line: str) -> None:
    assert titles(f"{line}\n{LONG}") == [line]


def test_a_numbered_line_above_lettered_clauses_is_a_heading() -> None:
    assert titles(f"1. Duties\n(a) {LONG}\n(b) {LONG}") == ["1. Duties"]


@pytest.mark.parametrize(
    "text",
    [
        "1. Milk\n2. Bread",
        f"1. Milk\n2. {LONG}",
        f"1. Milk\n\n   {LONG}",
        f"- Milk\n{LONG}",
        f"Dear all,\n{LONG}",
        f"Note: read this\n{LONG}",
        f"it ends here\n{LONG}",
        "Leave\nDays",
        f"Figure 2 Leave by grade\n{LONG}",
        f"It ends.\n{LONG}",
        f"{'Many ' * 15}words\n{LONG}",
        f"Leave\n- {PROSE[:30]}",
        f"Leave | days\n{LONG}",
        f"1999\n{LONG}",
        "Leave",
    ],
)
def test_what_may_be_an_item_a_sentence_or_a_caption_is_no_heading(text: str) -> None:
    assert titles(text) == []


def test_a_text_with_headings_of_markdown_has_no_others_but_those_of_wikis() -> None:
    text = f"# Rules\n\nAnnual leave\n\n{LONG}\n\n1. Days\n{LONG}"
    assert headings(text) == [(1, "Rules")]
    assert outline(text) == blocks(text)


@pytest.mark.parametrize("top", ["One. Two.", "The rules are:", f"{PROSE}\n{PROSE}", "- item"])
def test_other_openings_are_no_title(top: str) -> None:
    assert headings(f"{top}\n\n{LONG}") == []


def test_plain_headings_lie_below_each_other_by_their_looks() -> None:
    text = f"Rules.\n\n{LONG}\n\nDUTIES\n{LONG}\n\n1. Days\n{LONG}\n\n1.1 Half days\n{LONG}"
    levels = [level for level, _ in headings(f"{text}\n\nOther\n{LONG}")]
    assert levels == sorted(set(levels))


@given(st.builds("\n".join, st.lists(LINES | st.text(max_size=20), max_size=20)))
def test_an_outline_holds_every_visible_character_once(text: str) -> None:
    at = 0
    for block in outline(text):
        assert not text[at : block.start].strip()
        assert text[block.start : block.end] == text[block.start : block.end].strip() != ""
        at = block.end
    assert not text[at:].strip()
