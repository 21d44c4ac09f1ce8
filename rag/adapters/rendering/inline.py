"""The inline structure of Markdown: markdown-it-py's rules, with the place of every token.

Of CommonMark's inline grammar, HTML and reference links are left out: they stay text.
"""

import re
from collections.abc import Callable
from typing import Literal, cast

from markdown_it import MarkdownIt
from markdown_it.helpers import parseLinkLabel
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import (
    StateInline,
    backtick,
    emphasis,
    entity,
    escape,
    link_pairs,
)
from markdown_it.token import Token

from rag.adapters.rendering.blocks import Span
from rag.adapters.rendering.links import target

_MARKUP = re.compile(r"[*<\[\\_`]|&[#A-Za-z]|  \n")
_SPECIAL = re.compile(r"[*<\[\\\]_`]|&[#A-Za-z]|!\[|  +\n")
_BREAK = re.compile(r"  +\n")
_ADDRESS = re.compile(
    r"<(?:(?P<url>[A-Za-z][A-Za-z0-9+.-]{1,31}:[^<>\x00-\x20]*+)"
    r"|(?P<mail>[\w.!#$%&'*+/=?^`{|}~-]++@(?:[A-Za-z0-9-]{1,63}\.)*[A-Za-z0-9-]{1,63}))>",
    re.ASCII,
)
_DEPTH = 20
# No paragraph of 400 real pages has more than 49 tokens, or takes more than 22 steps of looking
# ahead for the end of its links.
_MOST_TOKENS = 5_000
_FREE_STEPS, _CHARACTERS_PER_STEP = 1_000, 4


class TooTangled(Exception):
    """The content has so many signs, or unmatched brackets, that reading it would take too long."""


class Placed(StateInline):
    """A scan of a content that records beside each token where in the content it stands."""

    def __init__(self, content: str) -> None:
        super().__init__(content, _MARKDOWN, {}, [])
        self.spans: list[Span] = []
        self._steps = _FREE_STEPS + len(content) // _CHARACTERS_PER_STEP
        self._begun = 0

    def append_pending(self, text: str) -> None:
        # What is pending is always a run of the content, and `pos` is where its next part begins.
        if not self.pending:
            self._begun = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:
        token = super().pushPending()
        self.spans.append((self._begun, self._begun + len(token.content)))
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token = super().push(ttype, tag, nesting)
        self.spans.append((self.pos, self.pos))
        if len(self.spans) > _MOST_TOKENS:
            raise TooTangled
        return token

    def take(self, *, silent: bool = False) -> None:
        """Take one token, or the text before the next special character."""
        start = self.pos
        rule = _RULES.get(self.src[start])
        if rule is None:
            special = _SPECIAL.search(self.src, start + 1, self.posMax)
            stop = special.start() if special else self.posMax
        elif self.level < _DEPTH and rule(self, silent):
            return
        else:
            stop = start + 1
        if not silent:
            self.append_pending(self.src[start:stop])
        self.pos = stop

    def skip(self) -> None:
        """Take one token without recording it. Raises TooTangled if that was done too often."""
        start = self.pos
        self._steps -= 1
        if self._steps < 0:
            raise TooTangled
        if start not in self.cache:
            self.level += 1
            self.take(silent=True)
            self.level -= 1
            self.cache[start] = self.pos
        self.pos = self.cache[start]


class _Inline(ParserInline):
    """What markdown-it-py's helpers call back; every state is a Placed one."""

    def tokenize(self, state: StateInline) -> None:
        placed = cast(Placed, state)
        while placed.pos < placed.posMax:
            placed.take()
        if placed.pending:
            placed.pushPending()

    def skipToken(self, state: StateInline) -> None:
        cast(Placed, state).skip()


_MARKDOWN = MarkdownIt("zero")
_MARKDOWN.inline = _Inline()

_Rule = Callable[[Placed, bool], bool]


def _leaf(rule: Callable[[StateInline, bool], bool]) -> _Rule:
    """The rule, with all that it took as the place of its token."""

    def placed(state: Placed, silent: bool) -> bool:
        start, count = state.pos, len(state.tokens)
        taken = rule(state, silent)
        if len(state.tokens) > count:
            state.spans[-1] = (start, state.pos)
        return taken

    return placed


def _delimiters(state: Placed, silent: bool) -> bool:
    """Every ``*`` and ``_`` is a token of its own until the pairs are found."""
    start = state.pos
    taken = emphasis.tokenize(state, silent)
    if taken:
        places = range(start, state.pos)
        state.spans[-len(places) :] = [(at, at + 1) for at in places]
    return taken


def _address(state: Placed, silent: bool) -> bool:
    """``<https://example.org>`` and ``<name@example.org>``, shown as they are written."""
    match = _ADDRESS.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        opening = state.push("link_open", "", 1)
        opening.attrs = {"href": match["url"] or "mailto:" + match["mail"], "title": ""}
        state.push("text", "", 0).content = match[0][1:-1]
        state.spans[-1] = (match.start() + 1, match.end() - 1)
        state.push("link_close", "", -1)
    state.pos = match.end()
    return True


def _hard_break(state: Placed, silent: bool) -> bool:
    """Two blanks or more before a newline. Other newlines are text, as they are in HTML."""
    match = _BREAK.match(state.src, state.pos, state.posMax)
    if match is None:
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos = match.end()
    return True


def _link(state: Placed, silent: bool, kind: str = "link") -> bool:
    label = state.pos + 1
    label_end = parseLinkLabel(state, state.pos, True)
    found = target(state.src, label_end + 1, state.posMax) if label_end >= 0 else None
    if found is None:
        return False
    if not silent:
        maximum, state.posMax, state.pos = state.posMax, label_end, label
        opening = state.push(f"{kind}_open", "", 1)
        opening.attrs = {"href": found.destination, "title": found.title}
        _MARKDOWN.inline.tokenize(state)
        state.push(f"{kind}_close", "", -1)
        state.posMax = maximum
    state.pos = found.end
    return True


def _image(state: Placed, silent: bool) -> bool:
    """An image is a link behind an exclamation mark; its label is what is shown of it."""
    start = state.pos
    if not state.src.startswith("[", start + 1):
        return False
    state.pos += 1
    taken = _link(state, silent, "image")
    if not taken:
        state.pos = start
    return taken


_RULES: dict[str, _Rule] = {
    " ": _hard_break,
    "\\": _leaf(escape),
    "`": _leaf(backtick),
    "&": _leaf(entity),
    "*": _delimiters,
    "_": _delimiters,
    "[": _link,
    "!": _image,
    "<": _address,
}


def is_text(content: str) -> bool:
    """Whether the content holds no inline markup at all."""
    return _MARKUP.search(content) is None


def scan(content: str) -> list[tuple[Token, Span]]:
    """The tokens of an inline content, each with its place in it.

    Raises TooTangled where it would take much more than linear time.
    """
    state = Placed(content)
    _MARKDOWN.inline.tokenize(state)
    link_pairs(state)
    emphasis.postProcess(state)
    return list(zip(state.tokens, state.spans, strict=True))
