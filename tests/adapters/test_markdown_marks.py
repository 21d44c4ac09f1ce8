"""A mark holds exactly the visible characters of its slice, whatever the text is made of."""

from html import unescape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.adapters.markdown import Mark, render
from tests.adapters.markdown_texts import Page, texts

FRONT = st.sampled_from(["", "---\ntitle: 😀 & co\n---\n", "---\na: b\n...\n\n"])


def page(text: str, *marks: Mark, markdown: bool = True) -> Page:
    return Page(render(text, markdown=markdown, marks=marks).html)


def origins(text: str, markdown: bool) -> list[frozenset[int]]:
    """The slow way: mark each character of the source alone and see what lights up."""
    marks = [Mark(at, at + 1, at) for at in range(len(text))]
    return page(text, *marks, markdown=markdown).marks


@settings(deadline=None)
@given(FRONT, texts, st.booleans(), st.data())
def test_mark_holds_the_visible_characters_of_its_slice(
    front: str, body: str, markdown: bool, data: st.DataObject
) -> None:
    text = front + body
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    marked = page(text, Mark(start, end, 1), markdown=markdown)
    slow = [not offsets.isdisjoint(range(start, end)) for offsets in origins(text, markdown)]
    assert [1 in marks for marks in marked.marks] == slow


@settings(deadline=None)
@given(texts, st.booleans())
def test_every_shown_character_is_the_one_at_its_offset(text: str, markdown: bool) -> None:
    shown = page(text, *(Mark(at, at + 1, at) for at in range(len(text))), markdown=markdown)
    last = -1
    for character, offsets in zip(shown.text, shown.marks, strict=True):
        if offsets:
            source = text[min(offsets) : max(offsets) + 1]
            assert character == source or stands_for(source, character)
            assert max(offsets) - min(offsets) + 1 == len(offsets) and max(offsets) >= last
            last = max(offsets)
        else:
            assert character == "\n"  # between the blocks


def stands_for(source: str, character: str) -> bool:
    """Whether the character is part of what an entity shows, or of a tab before code."""
    return character in unescape(source) or character == "\ufffd" or (source, character) == ("\t", " ")
