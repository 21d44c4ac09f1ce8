"""What a person may still see of a recorded citation, and what its source says around it.

The record keeps what was said; who may see it is decided anew, from the live facts, each time.
"""

import hashlib
from enum import StrEnum
from itertools import takewhile

from rag.core.blocks import Kind, blocks
from rag.core.sources import Access, Governed, State, is_readable
from rag.core.text import LOOK_AHEAD, Span, body_start, sentence_spans, starts_exception


class Sight(StrEnum):
    """What one person is shown of one recorded citation now."""

    SHOWN = "shown"
    MARKED = "shown as no longer served"
    WITHDRAWN = "withdrawn"
    ERASED = "erased"
    ALTERED = "does not match its source"
    NOT_AVAILABLE = "not available"

    @property
    def shows_text(self) -> bool:
        return self in (Sight.SHOWN, Sight.MARKED)

    @property
    def opens_source(self) -> bool:
        """Whether the person may read the source; what does not match it is not shown."""
        return self.shows_text or self is Sight.ALTERED


def sight(revision: Governed, access: Access, reviews: bool, intact: bool) -> Sight:
    """What ``access`` is shown of a citation of ``revision``.

    Who may not read the scope is told one thing, whatever happened to the source. Withdrawn
    means gone, also from the record, except for who reviews; an erased text is nobody's.
    ``intact``: the quotation still is the slice of its source that it was recorded as.
    """
    if revision.scope not in access.scopes:
        return Sight.NOT_AVAILABLE
    if revision.state is State.ERASED:
        return Sight.ERASED
    if not is_readable(revision, access, reviews):
        return Sight.WITHDRAWN
    if not intact:
        return Sight.ALTERED
    return Sight.SHOWN if revision.state is State.APPROVED else Sight.MARKED


def is_intact(text: str, start: int, end: int, quote: str, sha256: str) -> bool:
    """Whether ``quote`` is ``text[start:end]`` and has the SHA-256 that was recorded."""
    return text[start:end] == quote and hashlib.sha256(quote.encode()).hexdigest() == sha256


def whole_sentences(text: str, start: int, end: int) -> Span:
    """``text[start:end]`` widened to the sentences that it cuts; never narrower than it was."""
    spans = sentence_spans(text, body_start(text))
    first = max((begin for begin, stop in spans if begin <= start < stop), default=start)
    last = min((stop for begin, stop in spans if begin < end <= stop), default=end)
    return first, last


def exceptions_after(text: str, end: int) -> Span | None:
    """The sentences right after ``end`` that restrict what was said before, as one span."""
    limit = min(len(text), end + LOOK_AHEAD)
    spans = sentence_spans(text, end, limit)
    found = list(takewhile(lambda span: starts_exception(text[slice(*span)]), spans))
    if not found:
        return None
    start, stop = found[0][0], found[-1][1]
    cut = stop == limit < len(text)
    return start, whole_sentences(text, found[-1][0], stop)[1] if cut else stop


def table_head(text: str, start: int) -> Span | None:
    """The line that names the columns of the table whose row holds ``start``, if one does."""
    before = [block for block in blocks(text, body_start(text)) if block.start <= start]
    rows = list(takewhile(lambda block: block.kind is Kind.ROW, reversed(before)))
    heads = before[: len(before) - len(rows)][-1:]
    if not rows or not heads or heads[0].kind is not Kind.TABLE_HEAD or rows[0].end <= start:
        return None
    return heads[0].start, text.index("\n", heads[0].start)
