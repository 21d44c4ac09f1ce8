"""The few sentences of a hit that show why it was found, with the matched words marked."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Final, NamedTuple

from rag.core.blocks import Kind, blocks
from rag.core.matches import Match, matches, merged
from rag.core.text import Span, block_sentences

LONGEST: Final = 320

# Lines that say nothing by themselves: a snippet neither begins nor ends with one that holds no
# match. Before the first sentence they are left out in any case, for the section path stands
# beside the snippet; the head of a table does not.
_MUTE: Final = frozenset({Kind.HEADING, Kind.DELIMITER, Kind.RULE, Kind.FENCE, Kind.TAG})
_RUN: Final = re.compile(r"\S+")
# A run without white space that is longer than this is no word: an address, or a script that
# writes none. It may be cut between words of scripts that part theirs, or between characters.
_LONGEST_WORD: Final = 60
_PART: Final = re.compile(r"(?:[^\W\u0e00-\U0010ffff]+|.)[\u0300-\u036f\u3099\u309a\ufe00-\ufe0f]*")


@dataclass(frozen=True)
class Snippet:
    """``text[start:end]`` of a hit's text, and the spans of matched words in it.

    Offsets are zero-based, end-exclusive code points of the text given; the marks are sorted,
    disjoint and inside. ``cut_before`` and ``cut_after`` say that a sentence longer than a whole
    snippet goes on there, so that the page can show dots that are no part of the text.
    """

    start: int
    end: int
    marks: tuple[Span, ...]
    cut_before: bool = False
    cut_after: bool = False


class _Sentence(NamedTuple):
    start: int
    end: int
    kind: Kind


class _Window(NamedTuple):
    """A run of sentences, or of words of one, and how many words of the question it holds."""

    start: int
    end: int
    asked: int
    cut_before: bool = False
    cut_after: bool = False


def snippet(text: str, question: str, languages: Sequence[str], longest: int = LONGEST) -> Snippet:
    """The run of whole sentences that holds most distinct words of the question.

    The earliest such run; at most ``longest`` characters (1 or more). A single sentence that is
    longer is cut between words. Without any matched word, the first sentences.
    """
    found = matches(text, question, languages)
    sentences = _sentences(text)
    windows = [
        window if window.end - window.start <= longest else _cut(text, window, found, longest)
        for window in _windows([(start, end) for start, end, _ in sentences], found, longest)
    ]
    best = max(windows, key=lambda window: window.asked, default=_Window(0, 0, 0))
    if not (best.cut_before or best.cut_after):
        best = _without_mute_ends(best, sentences, found)
    inside = _inside(found, best.start, best.end)
    marks = merged((match.start, match.end) for match in inside)
    return Snippet(best.start, best.end, marks, best.cut_before, best.cut_after)


def _sentences(text: str) -> list[_Sentence]:
    """The sentences, without headings and the like before the first that says something."""
    found = [
        _Sentence(start, end, block.kind)
        for block in blocks(text)
        for start, end in block_sentences(text, block)
    ]
    first = next((at for at, sentence in enumerate(found) if sentence.kind not in _MUTE), 0)
    return found[first:]


def _windows(units: Sequence[Span], found: Sequence[Match], longest: int) -> Iterator[_Window]:
    """From each unit on as many as fit, at least one; matches come and go as the window moves."""
    held: Counter[str] = Counter()
    last = entering = leaving = 0
    for first, (start, _) in enumerate(units):
        last = max(last, first)
        while last + 1 < len(units) and units[last + 1][1] - start <= longest:
            last += 1
        while entering < len(found) and found[entering].end <= units[last][1]:
            held.update(found[entering].asked)
            entering += 1
        while leaving < entering and found[leaving].start < start:
            _release(held, found[leaving].asked)
            leaving += 1
        yield _Window(start, units[last][1], len(held))


def _release(held: Counter[str], words: Iterable[str]) -> None:
    for word in words:
        held[word] -= 1
        if not held[word]:
            del held[word]


def _cut(text: str, sentence: _Window, found: Sequence[Match], longest: int) -> _Window:
    """The best part of a sentence that is too long: from its beginning, or around the matches."""
    units = list(_words(text, sentence.start, sentence.end, longest))
    windows = list(_windows(units, found, longest))
    best = max(windows, key=lambda window: window.asked)
    if best.start > sentence.start:
        equals = takewhile(lambda w: w.asked == best.asked, windows[windows.index(best) :])
        group = list(equals)
        best = group[len(group) // 2]
    cuts = best.start > sentence.start, best.end < sentence.end
    return _Window(best.start, best.end, best.asked, *cuts)


def _words(text: str, start: int, end: int, longest: int) -> Iterator[Span]:
    """Where a sentence may be cut: its words, or the parts of what is too long for a word."""
    for match in _RUN.finditer(text, start, end):
        if len(match[0]) <= min(_LONGEST_WORD, longest):
            yield match.span()
            continue
        for part in _PART.finditer(text, *match.span()):
            if len(part[0]) <= longest:
                yield part.span()
            else:
                yield from ((at, at + 1) for at in range(*part.span()))


def _inside(found: Sequence[Match], start: int, end: int) -> list[Match]:
    return [match for match in found if start <= match.start and match.end <= end]


def _without_mute_ends(
    window: _Window, sentences: Sequence[_Sentence], found: Sequence[Match]
) -> _Window:
    """Without headings and the like at either end, unless they match."""
    inside = [s for s in sentences if window.start <= s.start and s.end <= window.end]
    mute = _MUTE | {Kind.TABLE_HEAD}
    silent = [s.kind in mute and not _inside(found, s.start, s.end) for s in inside]
    if all(silent):
        return window
    first, last = silent.index(False), len(silent) - 1 - silent[::-1].index(False)
    return window._replace(start=inside[first].start, end=inside[last].end)
