"""A text that is spread over the source, and the way back from its offsets to the source's."""

from bisect import bisect_right
from collections.abc import Iterator

from rag.adapters.rendering.blocks import Span, Spans


class Content:
    """``text`` is what the spans of the source read as one."""

    def __init__(self, source: str, spans: Spans) -> None:
        self.text = "".join(source[start:end] for start, end in spans)
        self._spans = spans
        self._begins: list[int] = []
        at = 0
        for start, end in spans:
            self._begins.append(at)
            at += end - start

    def places(self, start: int, end: int) -> Spans:
        """The spans of the source that ``text[start:end]`` was taken from."""
        if len(self._spans) == 1:
            first = self._spans[0][0]
            return ((first + start, first + end),)
        return tuple(self._pieces(start, end))

    def _pieces(self, start: int, end: int) -> Iterator[Span]:
        index = bisect_right(self._begins, start) - 1
        while start < end:
            first, last = self._spans[index]
            begin = first + start - self._begins[index]
            taken = min(end - start, last - begin)
            yield begin, begin + taken
            start += taken
            index += 1
