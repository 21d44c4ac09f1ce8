"""What a source looks like as HTML, and how it is marked, numbered and kept."""

from unittest.mock import patch

import pytest

from rag.adapters.markdown import Heading, Layouts, Mark, render
from rag.adapters.rendering.composing import compose_markdown
from tests.adapters.markdown_texts import Page


def html(text: str, *marks: Mark, markdown: bool = True) -> str:
    return render(text, markdown=markdown, marks=marks).html


def mark(text: str, words: str, number: int = 1) -> Mark:
    start = text.index(words)
    return Mark(start, start + len(words), number)


def test_front_matter_is_not_shown_and_offsets_count_from_its_beginning() -> None:
    text = "---\ntitle: Leave\n---\nLeave is *free*.\n"
    assert html(text, mark(text, "free")) == (
        '<p dir="auto">Leave is <em><sup class="mark-number">1</sup>'
        '<mark class="cited" id="m1" data-mark="1">free</mark></em>.</p>\n'
    )


def test_headings_are_one_level_lower_and_make_the_contents() -> None:
    text = "---\na: b\n---\n# The *rule* &amp; more\n\n> # quoted\n\n#\n\nSub\n---\n\n###### Six\n"
    rendered = render(text, markdown=True)
    assert rendered.contents == (
        Heading(1, "The rule & more", "h-1", text.index("The")),
        Heading(2, "Sub", "h-3", text.index("Sub")),
        Heading(6, "Six", "h-4", text.index("Six")),
    )
    assert '<h2 id="h-1" dir="auto">The <em>rule</em> &amp; more</h2>' in rendered.html
    assert '<h6 id="h-4" dir="auto">Six</h6>' in rendered.html


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a  \nb\\\nc\nd", '<p dir="auto">a<br>b<br>c\nd</p>\n'),
        ("3. a\n7. b", '<ol start="3"><li dir="auto">a\n</li>\n<li dir="auto" value="7">b\n</li>'),
        ("- a\n\n- b", '<ul><li dir="auto"><p dir="auto">a</p>\n</li>\n<li dir="auto"><p dir='),
        ("> a", '<blockquote><p dir="auto">a</p>\n</blockquote>\n'),
        ("***", "<hr>\n"),
        (
            "~~~ py\na <b>\n~~~",
            '<p class="code-info">py</p>\n<pre tabindex="0"><code>a &lt;b&gt;\n',
        ),
        ("`` a`b ``", '<p dir="auto"><code>a`b</code></p>\n'),
        ("**a *b* c**", '<p dir="auto"><strong>a <em>b</em> c</strong></p>\n'),
        ("|a||\n|:-:|-|\n|b|c|d|", '<th class="center" dir="auto">a</th><td dir="auto"></td>'),
        ("|a||\n|:-:|-|\n|b|c|d|", '<td dir="auto">c</td><td dir="auto">d</td></tr>\n</tbody>'),
        ("|a|\n|-|", '<div class="table" role="group" aria-label="Table" tabindex="0"><table>'),
        ("<b>a</b>", '<p dir="auto">&lt;b&gt;a&lt;/b&gt;</p>\n'),
        ("[a]: http://e.org", '<p dir="auto">[a]: http://e.org</p>\n'),
        ('![a *b*](c.png "d")', '<span class="image" title="c.png d">a <em>b</em></span>'),
        ("[a](../b.md)", '<span class="unlinked" title="../b.md">a</span>'),
        ("[a](javascript:b)", '<span class="unlinked" title="javascript:b">a</span>'),
        ("[a](HTTPS://e.org 'b')", '<a href="HTTPS://e.org" title="b" rel="noopener noreferrer '),
        ("<me@e.org>", '<a href="mailto:me@e.org" rel="noopener noreferrer nofollow">me@e.org</a>'),
        ("# A: b!\n\n[c](#a-b)", '<a href="#h-1" rel="noopener noreferrer nofollow">c</a>'),
        ("[a](#b)", '<span class="unlinked" title="#b">a</span>'),
        (
            "[a <http://b.c>](http://d.e)",
            '">a <span class="unlinked" title="http://b.c">http://b.c',
        ),
    ],
)
def test_markup_becomes_html(text: str, shown: str) -> None:
    assert shown in html(text)


def test_plain_text_keeps_its_lines() -> None:
    text = "a  b\n\n\t<c>\n"
    assert (
        html(text, markdown=False) == '<div class="plain" dir="auto">a  b\n\n\t&lt;c&gt;\n</div>\n'
    )


def test_mark_over_several_blocks_has_one_id_and_one_number() -> None:
    text = "One two.\n\n- three\n- four five\n"
    start, end = text.index("two"), text.index(" five")
    page = Page(html(text, Mark(start, end, 7)))
    pieces = [attributes for tag, attributes in page.tags if tag == "mark"]
    assert [piece.get("id") for piece in pieces] == ["m7", None, None]
    assert {piece["data-mark"] for piece in pieces} == {"7"}
    assert sum(tag == "sup" for tag, _ in page.tags) == 1
    assert page.marked(7) == "two.threefour"


def test_overlapping_marks_both_hold_what_they_share() -> None:
    text = "abc *def* ghi"
    page = Page(html(text, mark(text, "bc *def", 1), mark(text, "def* gh", 2)))
    assert (page.marked(1), page.marked(2)) == ("bc def", "def gh")
    assert [a["id"] for tag, a in page.tags if tag == "mark" and "id" in a] == ["m1", "m2"]


def test_entity_is_marked_whole() -> None:
    page = Page(html("a &amp; b", Mark(4, 6, 1)))
    assert page.marked(1) == "&"


def test_mark_beside_an_entity_leaves_it_alone() -> None:
    page = Page(html("a&amp;b", Mark(0, 1, 1), Mark(6, 7, 2)))
    assert (page.marked(1), page.marked(2)) == ("a", "b")


def test_tab_before_code_is_marked_with_the_columns_it_leaves() -> None:
    page = Page(html("-\t\tcode", *(Mark(at, at + 1, at) for at in (1, 2, 3))))
    assert [page.marked(at) for at in (1, 2, 3)] == ["", "  ", "c"]


def test_escaped_pipe_in_a_cell_is_a_pipe_in_code_too() -> None:
    text = "|a|\n|-|\n|`b\\|c`|\n"
    page = Page(html(text, mark(text, "b\\|c"), mark(text, "\\", 2)))
    assert (page.marked(1), page.marked(2)) == ("b|c", "")


def test_of_an_escape_the_character_is_marked() -> None:
    assert Page(html(r"a \* b", Mark(2, 3, 1))).marked(1) == ""
    assert Page(html(r"a \* b", Mark(3, 4, 1))).marked(1) == "*"


@pytest.mark.parametrize("words", ["title: x", "http://e.org", "**", "\n\n"])
def test_mark_of_nothing_visible_is_reported(words: str) -> None:
    text = "---\ntitle: x\n---\n**a** [b](http://e.org)\n\nc\n"
    rendered = render(text, markdown=True, marks=[mark(text, words, 4), mark(text, "c", 5)])
    assert rendered.unshown == (4,)
    assert 'id="m4"' not in rendered.html and 'id="m5"' in rendered.html


@pytest.mark.parametrize("places", [(3, 3), (5, 2), (90, 99), (-9, -1)])
def test_mark_of_no_character_marks_nothing(places: tuple[int, int]) -> None:
    rendered = render("some words", markdown=False, marks=[Mark(*places, 1)])
    assert rendered.unshown == (1,)
    assert "<mark" not in rendered.html


def test_text_is_parsed_once_and_marked_as_often_as_it_is_asked_for() -> None:
    text = "A text of this test alone."
    with patch("rag.adapters.markdown.compose_markdown", wraps=compose_markdown) as compose:
        shown = [html(text, Mark(0, 1, 1)), html(text, Mark(2, 6, 1)), html(text)]
    assert compose.call_count == 1
    assert [Page(each).marked(1) for each in shown] == ["A", "text", ""]


def test_layouts_are_kept_up_to_their_limit() -> None:
    layouts = Layouts(limit=Layouts(10**9).get("a" * 50, markdown=False).size * 2)
    first = layouts.get("a" * 50, markdown=False)
    layouts.get("b" * 50, markdown=False)
    assert layouts.get("a" * 50, markdown=False) is first
    layouts.get("c" * 50, markdown=False)  # b was used longest ago
    assert layouts.get("a" * 50, markdown=False) is first
    layouts.get("d" * 500, markdown=False)  # too large to be kept at all
    assert layouts.get("a" * 50, markdown=False) is first
