"""The word difference of two texts, for the person who approves the change.

Lines are aligned first, then the words inside changed lines. White space counts as words do, so
a changed line break is visible too.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from typing import Final, Literal

from rag.core.alignment import common_blocks

LEAST_GAP: Final = 40
"""Unchanged text stays whole where folding would leave out no more characters than this."""

# Letters are what is neither white space nor a sign, so that accents and vowel signs stay with
# theirs; invisible characters count as signs. Figures, dates, codes and "don't" are one word:
# nobody reads "1,[0→5]00". Each character of a script without spaces is a word of its own.
_CJK: Final = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af"
_SIGNS: Final = (
    "!-/:-@\\[-^`{-~\u00a0-\u00a9\u00ab-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7"
    "\u2000-\u206f\u3000-\u303f\ufe00-\ufe0f\ufeff\uff01-\uff0f\U000e0000-\U000e0fff"
)
_LETTERS: Final = rf"[^\s{_SIGNS}{_CJK}]+"
_WORD: Final = (
    rf"{_LETTERS}(?:(?:[-'’.]|(?<=\d)[,:/](?=\d)){_LETTERS})*|[^\s][\u0300-\u036f\u3099\u309a]*"
)
_TOKEN: Final = re.compile(rf"\s+|{_WORD}")
_SPACED_WORD: Final = re.compile(rf"(?:{_WORD})\s*|\s+")
# Blank lines go with the line before them: alone they would match any other.
_LINE: Final = re.compile(r"[^\n]*\n(?:[^\S\n]*\n)*|[^\n]+")

# Unrelated sentences share small words and signs. Where less than this part of the shorter side
# is common, showing it would only break two readable texts into crumbs. What is common in one
# piece of so many characters (white space not counted) is no crumb.
_LEAST_COMMON: Final = 0.3
_LONG: Final = 20
_LONGEST_WORD: Final = 200

_Pair = tuple[str, str]  # of the old and the new text; equal where nothing changed


@dataclass(frozen=True)
class Change:
    """A stretch of text that is in both texts, in the old one only, or in the new one only."""

    kind: Literal["same", "removed", "added"]
    text: str


@dataclass(frozen=True)
class Gap:
    """Unchanged text that is not shown: so many characters, and so many line ends in them."""

    characters: int
    lines: int
    kind: Literal["gap"] = "gap"


def word_difference(old: str, new: str) -> tuple[Change, ...]:
    """What changed from ``old`` to ``new``, by words.

    The ``same`` and ``removed`` texts together are ``old``, the ``same`` and ``added`` ones
    ``new``, to the character. No text is empty, no two neighbours are of one kind, and what was
    removed stands before what was added in its place. Regions that are too large to align, or
    have little in common, are removed and added as a whole.
    """
    lines = _merged(_parted(_LINE.findall(old), _LINE.findall(new)))
    return tuple(_changes(part for region in lines for part in _by_words(region)))


def folded(changes: Sequence[Change], context: int) -> tuple[Change | Gap, ...]:
    """The changes, with at most ``context`` characters of whole words beside each.

    Unchanged text before the first and after the last change has a change on one side only;
    without any change everything is one gap.
    """
    last = len(changes) - 1
    return tuple(
        part
        for at, change in enumerate(changes)
        for part in _folded(change, context if at else 0, context if at < last else 0)
    )


def _parted(old: list[str], new: list[str]) -> Iterator[_Pair]:
    """Lines or words in parts that belong together; they match by all but the space behind."""
    a = b = 0
    common = common_blocks([word.rstrip() for word in old], [word.rstrip() for word in new])
    for old_start, new_start, size in [*common, (len(old), len(new), 0)]:
        yield "".join(old[a:old_start]), "".join(new[b:new_start])
        a, b = old_start + size, new_start + size
        before, after = old[old_start:a], new[new_start:b]
        same = before == after
        yield from [("".join(before),) * 2] if same else zip(before, after, strict=True)


def _by_words(pair: _Pair) -> Iterator[_Pair]:
    """A changed region in parts: what its sides have in common by words, and what not."""
    old, new = pair
    if old == new or not (old and new):
        yield pair
        return
    words = _parted(_SPACED_WORD.findall(old), _SPACED_WORD.findall(new))
    # Twice: words first, and then changes of several words, which may end in the same space.
    for long, group in groupby(_by_space(_by_space(words)), _is_long):
        parts = list(group)
        yield from parts if long else _without_crumbs(parts)


def _by_space(pairs: Iterable[_Pair]) -> Iterator[_Pair]:
    return _merged(part for pair in pairs for part in _without_common_space(*pair))


def _is_long(pair: _Pair) -> bool:
    return _is_same(pair) and _weight(pair[0]) >= _LONG


def _without_crumbs(parts: list[_Pair]) -> list[_Pair]:
    """The parts of a changed stretch, or all of it as one change; common ends stay common."""
    start = int(_is_same(parts[0]))
    end = len(parts) - int(_is_same(parts[-1]))
    old, new = _together(parts[start:end])
    common = sum(_weight(before) for before, after in parts[start:end] if before == after)
    if common < _LEAST_COMMON * min(_weight(old), _weight(new)):
        parts[start:end] = [(old, new)]
    return parts


def _without_common_space(old: str, new: str) -> Iterator[_Pair]:
    """An equal word with other space behind it, or other words with equal space behind them."""
    if old == new:
        yield old, new
        return
    word, other = old.rstrip(), new.rstrip()
    start = len(word) + _shared(old[len(word) :], new[len(word) :]) if word == other else 0
    space = _shared(old[max(start, len(word)) :][::-1], new[max(start, len(other)) :][::-1])
    yield old[:start], new[:start]
    yield old[start : len(old) - space], new[start : len(new) - space]
    yield old[len(old) - space :], new[len(new) - space :]


def _shared(left: str, right: str) -> int:
    """How many characters both begin with."""
    pairs = zip(left, right, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _merged(pairs: Iterable[_Pair]) -> Iterator[_Pair]:
    """Equal and unequal parts in turn, none of them empty."""
    return (_together(group) for _, group in groupby(filter(any, pairs), _is_same))


def _is_same(pair: _Pair) -> bool:
    return pair[0] == pair[1]


def _together(pairs: Iterable[_Pair]) -> _Pair:
    old, new = zip(*pairs, strict=True)
    return "".join(old), "".join(new)


def _weight(text: str) -> int:
    """How many characters are no white space."""
    return sum(map(len, text.split()))


def _changes(pairs: Iterable[_Pair]) -> Iterator[Change]:
    for old, new in _merged(pairs):
        if old == new:
            yield Change("same", old)
            continue
        if old:
            yield Change("removed", old)
        if new:
            yield Change("added", new)


def _folded(change: Change, before: int, after: int) -> Iterator[Change | Gap]:
    """A change as it is; unchanged text with its middle or end left out if it is long."""
    text = change.text
    if change.kind != "same" or len(text) <= before + after + LEAST_GAP:
        yield change
        return
    head = _fitting(_TOKEN.findall(text[: before + _LONGEST_WORD]), before)
    tail = len(text) - _fitting(_TOKEN.findall(text[-after - _LONGEST_WORD :])[::-1], after)
    if head:
        yield Change("same", text[:head])
    yield Gap(tail - head, text.count("\n", head, tail))
    if tail < len(text):
        yield Change("same", text[tail:])


def _fitting(words: Iterable[str], limit: int) -> int:
    """Length of as many of the words as fit into ``limit`` characters."""
    total = 0
    for word in words:
        if total + len(word) > limit:
            break
        total += len(word)
    return total
