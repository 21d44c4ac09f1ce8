"""HTML cut into markup and runs of shown text, each run with its place in the source."""

from dataclasses import dataclass
from html import unescape

from rag.adapters.rendering.blocks import Spans

# The sanitiser takes quadratic time for the escapes within one stretch of text, and drops
# comments: 400,000 ampersands take 2.4 s in one piece, 0.2 s in pieces of 4,000.
_LONGEST = 4_000
_SEAM = "<!---->"


@dataclass(frozen=True)
class Heading:
    """An entry of the table of contents."""

    level: int
    """1 to 6, as in the source; the HTML is one level lower."""
    title: str
    anchor: str
    start: int
    """Where the heading's text begins, in code points of the whole text."""


@dataclass(frozen=True)
class Layout:
    """``markup[0] runs[0] markup[1] runs[1] … markup[-1]``, and where the runs come from.

    Run ``i`` shows ``text[starts[i]:ends[i]]``: exactly those characters, or, when ``atomic[i]``,
    others that stand for them (``&`` for ``&amp;``). Runs are in source order and disjoint.
    """

    text: str
    markup: tuple[str, ...]
    runs: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    atomic: frozenset[int]
    contents: tuple[Heading, ...]

    @property
    def size(self) -> int:
        """About how many bytes it takes in memory."""
        return 4 * len(self.text) + 250 * len(self.runs)


def escaped(text: str) -> str:
    """The text as HTML outside of tags."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class LayoutBuilder:
    """Takes markup and places of the source, in reading order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._markup: list[str] = []
        self._runs: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._atomic: set[int] = set()
        self._pending: list[str] = []
        self._start = self._end = -1  # what is shown and not yet a run
        self.contents: list[Heading] = []

    def add(self, html: str) -> None:
        """Add markup."""
        self._end_run()
        self._pending.append(html)

    def show(self, start: int, end: int) -> None:
        """Show ``text[start:end]`` as it is."""
        if start != self._end:
            self._end_run()
            self._start = start
        self._end = end

    def show_all(self, spans: Spans) -> None:
        """Show all the spans as they are."""
        for start, end in spans:
            self.show(start, end)

    def stand_in(self, start: int, end: int, shown: str) -> None:
        """Show other characters for ``text[start:end]``; they are marked all together."""
        self._end_run()
        self._atomic.add(len(self._runs))
        self._run(start, end, shown)

    def _end_run(self) -> None:
        """What was shown without a gap becomes one run, or several if it is very long."""
        for start in range(self._start, self._end, _LONGEST):
            end = min(start + _LONGEST, self._end)
            self._run(start, end, self._text[start:end])
            if end < self._end:
                self._pending.append(_SEAM)
        self._start = self._end = -1

    def _run(self, start: int, end: int, shown: str) -> None:
        self._markup.append("".join(self._pending))
        self._pending.clear()
        self._runs.append(escaped(shown))
        self._starts.append(start)
        self._ends.append(end)

    @property
    def count(self) -> int:
        """How many runs there are so far."""
        return len(self._runs)

    def text_since(self, count: int) -> str:
        """What the runs after the first ``count`` show."""
        return unescape("".join(self._runs[count:]))

    def finish(self) -> Layout:
        """Everything added so far."""
        self._end_run()
        return Layout(
            self._text,
            (*self._markup, "".join(self._pending)),
            tuple(self._runs),
            tuple(self._starts),
            tuple(self._ends),
            frozenset(self._atomic),
            tuple(self.contents),
        )
