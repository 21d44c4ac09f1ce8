"""A source's text as safe HTML, with passages marked exactly where they stand."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from rag.adapters.rendering.composing import compose_markdown, compose_plain
from rag.adapters.rendering.layout import Heading, Layout
from rag.adapters.rendering.painting import Mark, Painter
from rag.adapters.rendering.sanitising import sanitised
from rag.core.text import body_start

__all__ = ["Heading", "Mark", "Rendered", "render"]

_CACHE_BYTES = 32_000_000


@dataclass(frozen=True)
class Rendered:
    """A text to be put into a page as it is: the HTML holds only what the sanitiser lets pass."""

    html: str
    contents: tuple[Heading, ...]
    """The headings, in order."""
    unshown: tuple[int, ...]
    """The numbers of marks of which nothing is visible: in front matter, say, or in an address."""


def render(text: str, *, markdown: bool, marks: Sequence[Mark] = ()) -> Rendered:
    """The text after its front matter, as Markdown or line by line, with the marks.

    The characters inside a mark's ``<mark>`` elements are the visible ones of
    ``text[mark.start:mark.end]``, all of them and no other; without the marks the HTML is the same.
    Time grows with the length of the text, whatever it holds.
    """
    layout = _LAYOUTS.get(text, markdown=markdown)
    painter = Painter(layout)
    html = sanitised(painter.paint(marks))
    hidden = (mark.number for mark in marks if mark.number not in painter.numbered)
    return Rendered(html, layout.contents, tuple(hidden))


class Layouts:
    """The layouts used last; a text is parsed once, and marked as often as it is opened."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: OrderedDict[tuple[str, bool], Layout] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def get(self, text: str, *, markdown: bool) -> Layout:
        with self._lock:
            if found := self._kept.get((text, markdown)):
                self._kept.move_to_end((text, markdown))
                return found
        compose = compose_markdown if markdown else compose_plain
        layout = compose(text, body_start(text))
        self._keep((text, markdown), layout)
        return layout

    def _keep(self, key: tuple[str, bool], layout: Layout) -> None:
        with self._lock:
            if key in self._kept or layout.size > self._limit:
                return
            self._kept[key] = layout
            self._size += layout.size
            while self._size > self._limit:
                self._size -= self._kept.popitem(last=False)[1].size


_LAYOUTS = Layouts(_CACHE_BYTES)
