"""A mark holds exactly the visible characters of its slice, whatever the text is made of."""

import re
from html import unescape

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.adapters.markdown import Mark, render
from rag.adapters.rendering.composing import compose_markdown
from rag.adapters.rendering.painting import Painter
from tests.adapters.markdown_texts import WORDS, Page, documents_of, inlines_of, soups, texts

FRONT = st.sampled_from(["", "---\ntitle: 😀 & co\n---\n", "---\na: b\n...\n\n"])
UNLINKED = documents_of(inlines_of([*WORDS, "**b**", "*e*", "__b__", "`c`", "\\*", "<b>", "[a]"]))


def page(text: str, *marks: Mark, markdown: bool = True) -> Page:
    return Page(render(text, markdown=markdown, marks=marks).html)


def marked_singly(text: str, markdown: bool) -> Page:
    """The slow way: each character of the source has a mark of its own, with its offset."""
    return page(text, *(Mark(at, at + 1, at) for at in range(len(text))), markdown=markdown)


@settings(deadline=None)
@given(FRONT, texts, st.booleans(), st.data())
def test_mark_holds_the_visible_characters_of_its_slice(
    front: str, body: str, markdown: bool, data: st.DataObject
) -> None:
    text = front + body
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    marked = page(text, Mark(start, end, 1), markdown=markdown)
    slow = marked_singly(text, markdown)
    inside = [not offsets.isdisjoint(range(start, end)) for offsets in slow.marks]
    assert [1 in marks for marks in marked.marks] == inside


@settings(deadline=None)
@given(texts, st.booleans())
def test_every_shown_character_is_the_one_at_its_offset(text: str, markdown: bool) -> None:
    shown = marked_singly(text, markdown)
    last = -1
    for character, offsets in zip(shown.text, shown.marks, strict=True):
        if offsets:
            source = text[min(offsets) : max(offsets) + 1]
            assert len(offsets) == len(source) and max(offsets) >= last
            assert character == source or stands_for(source, character)
            last = max(offsets)
        else:
            assert character == "\n"  # between the blocks


def stands_for(source: str, character: str) -> bool:
    """Whether the character is part of what an entity shows, or of a tab before code."""
    if source == "\t":
        return character == " "
    is_entity = re.fullmatch(r"&#?\w+;", source)
    return is_entity is not None and character in unescape(source) + "\ufffd"


@settings(deadline=None)
@given(texts, st.booleans(), st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99))))
def test_marks_change_nothing_else(
    text: str, markdown: bool, places: list[tuple[int, int]]
) -> None:
    marks = [Mark(min(pair), max(pair), number) for number, pair in enumerate(places)]
    bare, marked = page(text, markdown=markdown), page(text, *marks, markdown=markdown)
    assert marked.text == bare.text
    assert list(marked.outline()) == bare.tags


@settings(deadline=None)
@given(texts)
def test_sanitiser_takes_nothing_away(text: str) -> None:
    before = Page(Painter(compose_markdown(text, 0)).paint([Mark(0, len(text), 1)]))
    after = Page(render("\n" + text, markdown=True, marks=[Mark(0, len(text) + 1, 1)]).html)
    for tag, attributes in after.tags:
        assert tag != "a" or attributes.pop("rel") == "noopener noreferrer nofollow"
    assert after.tags == before.tags
    assert (after.text, after.marks) == (before.text, before.marks)


@settings(deadline=None)
@given(st.one_of(UNLINKED, soups.map(lambda soup: re.sub(r"[\]&<]", "", soup))))
def test_no_letter_of_the_source_vanishes(text: str) -> None:
    # Without links and entities all letters are to be seen; digits may be numbers of items.
    assert letters(page("\n" + text).text) == letters(text)


def letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


@settings(deadline=None)
@given(texts)
def test_plain_text_is_the_source(text: str) -> None:
    assert page("\n" + text, markdown=False).text == f"\n{text}\n"
