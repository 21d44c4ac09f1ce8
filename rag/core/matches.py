"""Where the words of a question stand in a text, to the character.

``lexical.tokens`` compares folded text, and folding changes lengths: a ligature becomes three
letters, a word hyphenated at a line end becomes one. Here each folded character is traced back
to the characters that it came from. Folding itself is only called, never repeated.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple
from unicodedata import category

from rag.core.lexical import TOKEN, Token, content_tokens, placed, stem, stop_words, tokens
from rag.core.text import Span, fold

_RUN: Final = re.compile(r"\S+")
# No letter of any language has more marks, no word more parts; the bounds keep time linear.
_LONGEST_CLUSTER: Final = 16
_LONGEST_CARRIED: Final = 100
_SHORT: Final = 32

_folded = lru_cache(maxsize=1 << 15)(fold)


def _fold(piece: str) -> str:
    """``fold``, with short pieces remembered: texts use the same words again and again."""
    return _folded(piece) if len(piece) <= _SHORT else fold(piece)


class Word(NamedTuple):
    """A token of a text with its place there: ``text[start:end]``, zero-based, end-exclusive."""

    start: int
    end: int
    token: Token


class Match(NamedTuple):
    """A word of a text, and the folded words of the question that it matches (at least one)."""

    start: int
    end: int
    asked: frozenset[str]


class _Piece(NamedTuple):
    """Neighbouring characters that fold together, such as a letter and its accents."""

    start: int
    end: int
    folded: str


def located(text: str) -> list[Word]:
    """``lexical.tokens(text)``, each with its place in ``text``.

    Starts ascend and ends do. CJK bigrams overlap by one, and the two words of "¼" wholly.
    """
    return [Word(start, end, token) for start, end, token in _places(text)]


def _places(text: str) -> Iterator[tuple[int, int, Token]]:
    if _folds_simply(text):
        for at, token in placed(text.lower()):
            yield at, at + len(token.word), token
        return
    folded, starts, ends = _traced(text)
    for at, token in placed(folded):
        yield starts[at], _with_marks(text, ends[at + len(token.word) - 1]), token


def _folds_simply(text: str) -> bool:
    """Whether folding is case and white space alone."""
    return text.isascii() and "-\n" not in text


def matches(text: str, question: str, languages: Sequence[str]) -> list[Match]:
    """The words of ``text`` that match the question as the lexical ranking compares them.

    A word matches by its folded form, or by its stem in one of ``languages``. Stop words count
    only where the question has no other words.
    """
    known = _known(question, tuple(languages))
    if not known.asked:
        return []
    if _folds_simply(text):  # and most words match nothing: none becomes a Token first
        runs = TOKEN.finditer(text.lower())
        keyed = ((run, (run[0], run.lastgroup == "word")) for run in runs)
        return [Match(*run.span(), held) for run, word in keyed if (held := known[word])]
    return [Match(start, end, held) for start, end, word in _places(text) if (held := known[word])]


def marks(text: str, question: str, languages: Sequence[str]) -> tuple[Span, ...]:
    """Where matched words stand in ``text``: sorted and disjoint, touching ones made one."""
    return merged((match.start, match.end) for match in matches(text, question, languages))


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Sorted spans without overlaps; spans that overlap or touch become one."""
    joined: list[Span] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return tuple(joined)


class _Known(dict[tuple[str, bool], frozenset[str]]):
    """Which words of one question a word of a text matches, found out once for each word."""

    def __init__(self, question: str, languages: tuple[str, ...]) -> None:
        words, content = tokens(question), content_tokens(question, languages)
        self._languages = languages
        self._stops = stop_words(words, languages) if content else frozenset()
        self.asked: dict[tuple[str, str], frozenset[str]] = {}
        for token in content or words:
            for key in self._keys(token):
                self.asked[key] = self.asked.get(key, _NONE) | {token.word}

    def __missing__(self, key: tuple[str, bool]) -> frozenset[str]:
        held = _NONE
        if key[0] not in self._stops:
            for form in self._keys(Token(*key)):
                held |= self.asked.get(form, _NONE)
        self[key] = held
        return held

    def _keys(self, token: Token) -> Iterator[tuple[str, str]]:
        """What two words must share one of: the folded word, or the stem in some language."""
        yield "", token.word
        if token.stemmed:
            yield from ((language, stem(token.word, language)) for language in self._languages)


_NONE: Final = frozenset[str]()
# A page of results asks ten times with one question.
_known = lru_cache(maxsize=64)(_Known)


def _with_marks(text: str, end: int) -> int:
    """``end``, moved past combining marks, so that no letter is parted from its vowel sign."""
    while end < len(text) and not text[end].isascii() and category(text[end])[0] == "M":
        end += 1
    return end


def _runs(text: str) -> Iterator[Span]:
    """What stands between white space; a word carried over a line end is in one run."""
    run: Span | None = None
    last = 0  # where the last word of the run begins
    for match in _RUN.finditer(text):
        start, end = match.span()
        invisible = not match[0].isascii() and not fold(match[0])
        if run and (invisible or _carried_over(text, (last, run[1]), (start, end))):
            run = run[0], end
            last = start if start - last > _LONGEST_CARRIED else last
        else:
            yield from [run] if run else []
            run, last = (start, end), start
    yield from [run] if run else []


def _carried_over(text: str, before: Span, after: Span) -> bool:
    """Whether folding joins two words that only a line end parts."""
    if "\n" not in text[before[1] : after[0]]:
        return False
    apart = filter(None, (fold(text[slice(*before)]), fold(text[slice(*after)])))
    return fold(text[before[0] : after[1]]) != " ".join(apart)


def _traced(text: str) -> tuple[str, list[int], list[int]]:
    """The folded text, and for each of its characters where its origin starts and ends."""
    folded: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _runs(text):
        run = _fold(text[start:end])
        if list(map(_folded, text[start:end])) == list(run):  # one to one, as nearly always
            starts += range(start, end)
            ends += range(start + 1, end + 1)
        else:
            for piece in _aligned(text, _clusters(text, start, end), run):
                starts += [piece.start] * len(piece.folded)
                ends += [piece.end] * len(piece.folded)
        folded += run, " "
        starts.append(end)
        ends.append(end)
    return "".join(folded), starts, ends


def _clusters(text: str, start: int, end: int) -> list[_Piece]:
    """The run, cut before each character that folds the same with or without those before it."""
    found: list[_Piece] = []
    for i in range(start + 1, end + 1):
        open_piece = text[start:i]
        alone = _fold(text[i]) if i < end else ""
        apart = alone and _fold(open_piece + text[i]) == _fold(open_piece) + alone
        if i == end or apart or len(open_piece) == _LONGEST_CLUSTER:
            found.append(_Piece(start, i, _fold(open_piece)))
            start = i
    return found


def _aligned(text: str, pieces: list[_Piece], folded: str) -> list[_Piece]:
    """The pieces, with those in the middle made one where they do not add up to ``folded``."""
    left, at = 0, 0
    while left < len(pieces) and folded.startswith(pieces[left].folded, at):
        at += len(pieces[left].folded)
        left += 1
    if at == len(folded):
        return pieces[:left]
    left = min(left, len(pieces) - 1)
    at = sum(len(piece.folded) for piece in pieces[:left])
    right, stop = len(pieces), len(folded)
    while right > left + 1 and folded.endswith(pieces[right - 1].folded, at, stop):
        stop -= len(pieces[right - 1].folded)
        right -= 1
    middle = _tight(text, pieces[left].start, pieces[right - 1].end, folded[at:stop])
    return [*pieces[:left], middle, *pieces[right:]]


def _tight(text: str, start: int, end: int, folded: str) -> _Piece:
    """A piece without the characters before it that add nothing, such as a line-end hyphen."""
    while start + 1 < end and fold(text[start + 1 : end]) == folded:
        start += 1
    return _Piece(start, end, folded)
