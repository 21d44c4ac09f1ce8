"""Inline markup is read as markdown-it-py reads it, and each token knows its place."""

import re
from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from rag.adapters.rendering.content import Content
from rag.adapters.rendering.inline import TooTangled, is_text, scan
from tests.adapters.markdown_texts import MARKUP, WORDS

REFERENCE = MarkdownIt("commonmark", {"html": False}).disable("reference")

contents = (
    st.lists(st.sampled_from([*WORDS, *MARKUP, " ", "  \n", "\\\n", "\n"]), max_size=15)
    .map(lambda pieces: re.sub(r"\n\s+", "\n", "".join(pieces).strip()))
    .filter(bool)
)


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
