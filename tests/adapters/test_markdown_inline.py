"""Inline markup is read as markdown-it-py reads it, and each token knows its place."""

import re
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag.adapters.rendering.inline import TooTangled, is_text, scan
from tests.adapters.markdown_texts import MARKUP, WORDS

REFERENCE = MarkdownIt("commonmark", {"html": False}).disable("reference")


def contents_of(signs: list[str]) -> st.SearchStrategy[str]:
    """What may stand in a paragraph: no blank lines, and no blanks at the beginning of lines."""
    pieces = st.lists(st.sampled_from(signs), max_size=15)
    return pieces.map(lambda all_: re.sub(r"\n\s+", "\n", "".join(all_).strip())).filter(bool)


contents = contents_of([*WORDS, *MARKUP, " ", "  \n", "\\\n", "\n"])

Event = tuple[str, str]
"""A tag or kind of token, or nothing for text; and what it shows."""


def expected(content: str) -> list[Event]:
    return joined(events(REFERENCE.parseInline(content)[0].children or []))


def found(content: str) -> list[Event]:
    return joined(events(token for token, _ in scan(content)))


def events(tokens: Iterable[Token]) -> Iterator[Event]:
    for token in tokens:
        if token.type == "image":
            yield "image_open", ""
            yield from events(token.children or [])
            yield "image_close", ""
        elif token.type in {"text", "text_special", "softbreak"}:
            yield "", token.content or "\n" * (token.type == "softbreak")
        else:
            yield token.type, token.content


def joined(pieces: Iterable[Event]) -> list[Event]:
    """Neighbouring texts as one, with blanks collapsed."""
    merged: list[Event] = []
    for kind, text in pieces:
        if merged and kind == merged[-1][0] == "":
            text = merged.pop()[1] + text
        merged.append((kind, text))
    return [(kind, " ".join(text.split())) for kind, text in merged if kind or text.strip()]


@settings(deadline=None)
@given(contents)
def test_tokens_are_those_of_the_reference(content: str) -> None:
    assert found(content) == expected(content)


@settings(deadline=None)
@given(contents_of([*WORDS, *"!#])(&:~+-=|>", " \n", "\n"]))
def test_content_that_is_text_is_one_text_in_the_reference(content: str) -> None:
    assume(is_text(content))
    assert expected(content) == [("", " ".join(content.split()))]


@settings(deadline=None)
@given(contents)
def test_text_tokens_stand_where_they_say(content: str) -> None:
    for token, (start, end) in scan(content):
        if token.type == "text" and token.content:
            assert content[start:end] == token.content
        elif token.type == "code_inline":
            assert token.content in content[start:end].replace("\n", " ")
        elif token.type == "text_special":
            assert content[start:end] == token.markup


@pytest.mark.parametrize(
    "target",
    [
        *(
            "(u)",
            "(<u v>)",
            "()",
            "(<>)",
            "( u )",
            "(\nu\n't'\n)",
            '(u "t")',
            "(u (t))",
            "(u 't' )",
        ),
        *(
            "(a(b(c)d)e)",
            "(a(b(c(d(e)))))",
            "(a\\)b)",
            "(a\\ b)",
            "(<a\\>b>)",
            "(&amp;)",
            '(u "\\"&lt;")',
            "(u\u00a0v)",
        ),
        *(
            "(u v)",
            "(u",
            "(<u)",
            "(<u\nv>)",
            '(u"t")',
            '(u "t" x)',
            "(u (t(s)))",
            "(u(v)",
            "(\x01)",
        ),
    ],
)
def test_links_are_those_of_the_reference(target: str) -> None:
    content = f"a [b]{target} c"
    assert found(content) == expected(content)


def test_link_keeps_its_address_and_title_as_they_are_written() -> None:
    (_, (opening, _), *_) = scan('a [b](<java script:ä&amp;> "t\\"&lt;")')
    assert opening.attrs == {"href": "java script:ä&", "title": 't"<'}


@pytest.mark.parametrize("content", ["[" * 20_000, "![" * 20_000, "*a " * 20_000, "&lt;" * 20_000])
def test_content_out_of_all_measure_is_refused(content: str) -> None:
    with pytest.raises(TooTangled):
        scan(content)
