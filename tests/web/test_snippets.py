"""A snippet loses layout when it is shown, and no other character and no mark."""

from hypothesis import given
from hypothesis import strategies as st

from rag.core.snippets import snippet
from rag.web.presenters.snippets import Stretch, stretches_of

LINES = st.sampled_from(
    [
        *(
            "# Rule of leave",
            "## Limits ##",
            "Title\n=====",
            "- one export",
            "* two rows",
            "1. Open",
        ),
        *("| Years | Days |\n|---|---|\n| 1 | 26 |", "***", "> The rule.", "```\ncode row\n```"),
        *(
            "A rule about exports. Rows are kept.",
            "hyphen-\nated rows",
            "- a-\n# b",
            "",
            "  ",
            "<p>rule</p>",
        ),
        *("Größe ﬁle e\u0301xport", "规则适用于导出。", "لا تصدير", "🙂 rule", "Rule\u200bs"),
    ]
)
TEXTS = st.lists(LINES, min_size=1, max_size=8).map("\n".join)
QUESTIONS = st.sampled_from(
    ["rule", "export rows", "hyphenated a-b", "file größe", "导出", "26", "zzz"]
)
LAYOUT = set("#-*+=|:_")


def bare(text: str) -> str:
    return "".join(text.split())


def shown_text(stretches: tuple[Stretch, ...], marked: bool = False) -> str:
    return bare("".join(p.text for s in stretches for p in s.pieces if p.marked or not marked))


@given(TEXTS, QUESTIONS, st.integers(1, 120))
def test_only_layout_is_lost_and_every_mark_is_kept(text: str, asked: str, longest: int) -> None:
    found = snippet(text, asked, ("en",), longest)
    stretches = stretches_of(text, found)
    whole, visible = bare(text[found.start : found.end]), shown_text(stretches)
    assert set(whole) - set(visible) <= LAYOUT
    rest = iter(whole)
    assert all(character in rest for character in visible)  # in the same order
    assert shown_text(stretches, marked=True) == bare("".join(text[a:b] for a, b in found.marks))


def test_headings_and_items_lose_their_signs() -> None:
    text = "A rule.\n\n## Limits ##\n\n- One export.\n1. Open it."
    stretches = stretches_of(text, snippet(text, "export limits", ("en",)))
    assert [(s.kind, "".join(p.text for p in s.pieces)) for s in stretches] == [
        ("", "A rule."),
        ("heading", "Limits"),
        ("item", "One export."),
        ("", "1. Open it."),
    ]
    assert [p.text for s in stretches for p in s.pieces if p.marked] == ["Limits", "export"]


def test_a_table_is_shown_cell_by_cell() -> None:
    text = "| Years | Days |\n|---|---|\n| 1 to 4 | a \\| b | \n|| 26 |"
    stretches = stretches_of(text, snippet(text, "years 26", ("en",)))
    assert [(s.kind, "".join(p.text for p in s.pieces).strip()) for s in stretches] == [
        *(("item", "Years"), ("cell", "Days"), ("item", "1 to 4"), ("cell", "a \\| b")),
        ("item", "26"),
    ]


def test_a_snippet_that_begins_inside_an_item_has_no_bullet() -> None:
    text = "- " + "First words say nothing at all. " * 3 + "The export has rows."
    stretches = stretches_of(text, snippet(text, "export", ("en",), 30))
    assert [s.kind for s in stretches] == [""]
    assert shown_text(stretches) == "Theexporthasrows."
