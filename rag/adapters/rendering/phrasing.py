"""Inline content as HTML: every token is shown at its place, or the source as it stands."""

import re
from collections.abc import Mapping, Sequence
from html import escape

from markdown_it.token import Token

from rag.adapters.rendering.blocks import Span, Spans
from rag.adapters.rendering.content import Content
from rag.adapters.rendering.inline import TooTangled, is_text, scan
from rag.adapters.rendering.layout import LayoutBuilder

_FOLLOWED = re.compile(r"https?://[^\s/]|mailto:[^\s]", re.IGNORECASE)
_MAX_DEPTH = 20

_Tokens = Sequence[tuple[Token, Span]]


class Phrasing:
    """Shows inline content in a layout; ``anchors`` are the targets of links to ``#slug``."""

    def __init__(self, text: str, builder: LayoutBuilder, anchors: Mapping[str, str]) -> None:
        self._text = text
        self._builder = builder
        self._anchors = anchors
        self._closings: list[str] = []
        self._links = 0

    def show(self, spans: Spans) -> None:
        """Show what the spans read as one; without its markup if that is out of all measure."""
        content = Content(self._text, spans)
        tokens = [] if is_text(content.text) else tokens_of(content.text)
        if not tokens:
            self._builder.show_all(spans)
        for token, span in tokens:
            self._token(token, span, content)

    def _token(self, token: Token, span: Span, content: Content) -> None:
        match token.type:
            case "text":
                if token.content:  # of "**" one token stays, with nothing in it
                    self._places(content, *span)
            case "hardbreak":
                self._builder.add("<br>")
            case "text_special":
                self._special(token, span, content)
            case "code_inline":
                self._code(token, span, content)
            case "link_open" | "image_open":
                self._open_link(token)
            case "link_close" | "image_close":
                self._builder.add(self._closings.pop())
                self._links -= token.type == "link_close"
            case _:  # em and strong
                self._builder.add(f"<{token.tag}>" if token.nesting > 0 else f"</{token.tag}>")

    def _places(self, content: Content, start: int, end: int) -> None:
        self._builder.show_all(content.places(start, end))

    def _special(self, token: Token, span: Span, content: Content) -> None:
        """Of an escape the character behind the backslash is shown; an entity stands for others."""
        if token.info == "escape":
            self._places(content, span[1] - len(token.content), span[1])
        else:
            *_, (start, end) = content.places(*span)
            self._builder.stand_in(start, end, token.content)

    def _code(self, token: Token, span: Span, content: Content) -> None:
        """Code between backticks, perhaps with one blank at both ends that is not shown."""
        start, end = span[0] + len(token.markup), span[1] - len(token.markup)
        padding = (end - start - len(token.content)) // 2
        self._builder.add("<code>")
        self._places(content, start + padding, end - padding)
        self._builder.add("</code>")

    def _open_link(self, token: Token) -> None:
        """A link inside a link, and one that nobody may follow, is no link."""
        href, title = str(token.attrs["href"]), str(token.attrs["title"])
        if token.type == "image_open":
            self._enter("span", {"class": "image", "title": f"{href} {title}".strip()})
            return
        self._links += 1
        inside = self._anchors.get(href.removeprefix("#")) if href.startswith("#") else None
        if self._links == 1 and (inside or _FOLLOWED.match(href)):
            self._enter("a", {"href": f"#{inside}" if inside else href, "title": title})
        else:
            self._enter("span", {"class": "unlinked", "title": f"{href} {title}".strip()})

    def _enter(self, tag: str, attributes: Mapping[str, str]) -> None:
        pairs = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items() if value)
        self._builder.add(f"<{tag}{pairs}>")
        self._closings.append(f"</{tag}>")


def tokens_of(content: str) -> _Tokens:
    """The tokens of the content; none if it is too tangled or too deep, or one is misplaced."""
    try:
        tokens = scan(content)
    except TooTangled:
        return ()
    depth = deepest = 0
    for token, (start, end) in tokens:
        depth += token.nesting
        deepest = max(deepest, depth)
        if token.type == "text" and token.content not in ("", content[start:end]):
            return ()
    return tokens if deepest <= _MAX_DEPTH else ()
