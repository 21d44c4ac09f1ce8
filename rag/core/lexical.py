"""Analyser: a text's words as they are compared, and the terms that are stored of a passage.

Terms are 64-bit BLAKE2b hashes, so an index of postings is three flat arrays. A stem is hashed
with its language: the postings of a stem hold only rows of that language, and which languages a
question is stemmed for follows from the asker's eligible rows.
"""

import hashlib
import re
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple
from unicodedata import category

import numpy as np
import snowballstemmer
from numpy.typing import NDArray

from rag.core.arabic import light_stem
from rag.core.stopwords import STOP_WORDS
from rag.core.text import fold

ANALYSER: Final = "fold-snowball-light10-bigram-v2"

Ids = NDArray[np.uint64]
Counts = NDArray[np.uint32]
Rows = NDArray[np.int64]
Floats = NDArray[np.float64]

# Snowball's algorithms; Arabic has a stemmer of its own, which finds more (docs/decisions/0009).
STEMMERS: Final = {
    "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque",
    "fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi",
    "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian",
    "lt": "lithuanian", "nb": "norwegian", "ne": "nepali", "nl": "dutch", "nn": "norwegian",
    "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sr": "serbian", "st": "sesotho", "sv": "swedish", "ta": "tamil", "tr": "turkish",
    "yi": "yiddish",
}  # fmt: skip

# Written without blanks between words: Chinese, Japanese, Korean (whose blanks part phrases),
# Thai, Lao, Burmese and Khmer.
_CJK: Final = (
    "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af々〆"
    "\u0e01-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1780-\u17d3"
)
# Vowel signs and the like: letters in all but name, where folding leaves them.
_MARKS: Final = "".join(
    c for c in map(chr, (*range(0x300, 0x1D00), *range(0xA800, 0xAC00))) if category(c)[0] == "M"
)
# Whole are: C++ and C#; and runs with a digit whose parts hang together (qx-4471, v1.2, 800-63b).
TOKEN: Final = re.compile(
    rf"(?P<sign>[^\W\d_{_CJK}]{{1,3}}(?:\+\+|\#)(?!\w))"
    rf"|(?P<cjk>[{_CJK}]+)"
    rf"|(?P<code>(?=[a-z._-]*\d)[a-z0-9]+(?:(?:\.(?=\d)|[_-])[a-z0-9]+)+)"
    rf"|(?P<word>[^\W{_CJK}]+(?:[{_MARKS}]+[^\W{_CJK}]*)*)"
)
# QX-4471, v1.2, 800-63b, AB12; not 30-day or 1.5km: a number before a word or unit is no code.
_GATED_CODE: Final = re.compile(
    r".*[a-z][-_.]\d.*|.*[a-z]\d+[-_.].*|.*-\d\d+[a-z]|[a-z]+\d\d+[a-z\d]*"
)


# Numbers of stems and of words before them.
_HEAD: Final = struct.Struct("<II")
BLOCK: Final = 1024


class Token(NamedTuple):
    """One word of a text as it is compared: folded, but not yet stemmed."""

    word: str
    stemmed: bool  # False for identifiers and CJK bigrams, which stay as they are

    @property
    def is_identifier(self) -> bool:
        """Whether an answer's excerpts must contain it: ``C++``, ``QX-4471``, ``v1.2``."""
        return self.word[-1] in "+#" or _GATED_CODE.fullmatch(self.word) is not None


@dataclass(frozen=True)
class TermCounts:
    """The terms of one passage: stems with counts, and distinct plain words for the overlap."""

    stems: Ids
    counts: Counts
    words: Ids

    @property
    def length(self) -> int:
        """Number of tokens, the document length of BM25."""
        return int(self.counts.sum())

    def to_bytes(self) -> bytes:
        head = _HEAD.pack(len(self.stems), len(self.words))
        return head + b"".join(
            array.astype(kind).tobytes()
            for array, kind in ((self.stems, "<u8"), (self.counts, "<u4"), (self.words, "<u8"))
        )


@dataclass(frozen=True)
class Listed:
    """Terms of many rows side by side, row by row; ``each`` (n,) is how many are a row's.

    ``counts`` has how often each is there; None where every one counts once.
    """

    ids: Ids
    each: Rows
    counts: Counts | None = None

    def row_of_each(self) -> Rows:
        """The row that each term stands in; in blocks, since numpy repeats without a pause."""
        rows, filled = np.empty(len(self.ids), dtype=np.int64), 0
        for first in range(0, len(self.each), BLOCK):
            each = self.each[first : first + BLOCK]
            part = np.repeat(np.arange(first, first + len(each)), each)
            rows[filled : filled + len(part)] = part
            filled += len(part)
        return rows

    def rows_with(self, term: np.uint64) -> Rows:
        """The rows that hold ``term``, ascending, found by looking at every term."""
        rows: Rows = np.searchsorted(
            np.cumsum(self.each), np.flatnonzero(self.ids == term), "right"
        )
        return rows


@dataclass(frozen=True)
class Gathered:
    """The terms of many passages; ``lengths`` (n,) tokens each, BM25's document length."""

    stems: Listed
    words: Listed
    lengths: Rows

    @classmethod
    def of(cls, stored: Sequence[bytes]) -> "Gathered":
        """From ``TermCounts.to_bytes`` of each passage."""
        starts = np.zeros(len(stored), dtype=np.int64)
        sizes = _side_by_side(stored, starts, starts + _HEAD.size, "<u4").astype(np.int64)
        stems_each, words_each = sizes.reshape(-1, 2).T
        counts_from, words_from = (_HEAD.size + n * stems_each for n in (8, 12))
        stems = _side_by_side(stored, starts + _HEAD.size, counts_from, "<u8")
        counts = _side_by_side(stored, counts_from, words_from, "<u4")
        words = _side_by_side(stored, words_from, words_from + 8 * words_each, "<u8")
        return cls(
            Listed(stems, stems_each, counts), Listed(words, words_each), _sums(counts, stems_each)
        )


def _side_by_side(stored: Sequence[bytes], starts: Rows, ends: Rows, kind: str) -> NDArray[Any]:
    """The bytes ``starts:ends`` of each passage as one array, a block of passages at a time.

    To join them all at once would keep the interpreter from all other threads until it is done.
    """
    found = np.empty(int((ends - starts).sum()) // np.dtype(kind).itemsize, dtype=kind)
    raw, filled = found.view(np.uint8), 0
    for first in range(0, len(stored), BLOCK):
        at = slice(first, first + BLOCK)
        spans = zip(stored[at], starts[at].tolist(), ends[at].tolist(), strict=True)
        part = b"".join([data[start:end] for data, start, end in spans])
        raw[filled : filled + len(part)] = np.frombuffer(part, dtype=np.uint8)
        filled += len(part)
    return found


def _sums(counts: Counts, each: Rows) -> Rows:
    """The sum of every row's ``counts``, of which it has ``each`` (n,); a block at a time."""
    sums, ends = np.empty(len(each), dtype=np.int64), np.cumsum(each)
    for first in range(0, len(each), BLOCK):
        at = slice(first, first + BLOCK)
        start, stop = int(ends[first] - each[first]), int(ends[at][-1])
        running = np.append(0, np.cumsum(counts[start:stop], dtype=np.int64))
        sums[at] = running[ends[at] - start] - running[ends[at] - each[at] - start]
    return sums


def tokens(text: str) -> list[Token]:
    """The tokens of ``text`` in order, folded."""
    return [token for _, token in placed(fold(text))]


def placed(folded: str) -> Iterator[tuple[int, Token]]:
    """The tokens of a folded text, each with the offset at which it begins there."""
    for match in TOKEN.finditer(folded):
        at, run = match.start(), match.group()
        if match.lastgroup == "cjk":
            for i in range(max(len(run) - 1, 1)):
                yield at + i, Token(run[i : i + 2], False)
        else:
            yield at, Token(run, match.lastgroup == "word")


def term_counts(title: str, context: str, text: str, language: str) -> TermCounts:
    """What is stored for a passage. BM25 counts context and text, the overlap title and text."""
    counted = Counter(_term(token, language) for part in (context, text) for token in tokens(part))
    ids = np.array(sorted(counted), dtype=np.uint64)
    counts = np.array([counted[int(i)] for i in ids], dtype=np.uint32)
    words = {term_id("", token.word) for part in (title, text) for token in tokens(part)}
    return TermCounts(ids, counts, np.array(sorted(words), dtype=np.uint64))


def query_stems(question: str, languages: Iterable[str]) -> Ids:
    """Distinct terms of the question for BM25, for each language; stop words only if alone."""
    languages = sorted(set(languages))
    words = content_tokens(question, languages) or tokens(question)
    return _sorted_ids(_term(t, code) for code in languages for t in _telling(words, code))


def _telling(words: list[Token], language: str) -> list[Token]:
    """The words that are no stop words of this one language; all of them where none is left."""
    stops = STOP_WORDS.get(language, frozenset())
    return [token for token in words if token.word not in stops] or words


def query_words(question: str, languages: Iterable[str]) -> Ids:
    """Distinct folded, unstemmed, non-stop words of the question, for the overlap."""
    return _sorted_ids(term_id("", t.word) for t in content_tokens(question, sorted(languages)))


def content_tokens(text: str, languages: Sequence[str]) -> list[Token]:
    """Tokens without the stop words of the question's language, see ``stop_words``."""
    found = tokens(text)
    stops = stop_words(found, languages)
    return [token for token in found if token.word not in stops]


def identifiers(text: str) -> frozenset[str]:
    """Folded identifiers in ``text``."""
    return frozenset(token.word for token in tokens(text) if token.is_identifier)


def stop_words(asked: Sequence[Token], languages: Iterable[str]) -> frozenset[str]:
    """Folded words that say nothing in the language asked in, which is one of ``languages``.

    "Door" is no word to drop because some Dutch source may be read. The languages asked in are
    those with the most stop words in the question, if it has two; of fewer nothing follows, and
    only what says nothing in any language is dropped. The letters that apostrophes leave over
    ("don't", "l'eau") are stop words, too.
    """
    known = [STOP_WORDS[code] for code in sorted({*languages} & STOP_WORDS.keys())]
    words = {token.word for token in asked}
    shared = [len(words & stops) for stops in known]
    most = max(shared, default=0)
    likely = [s for s, n in zip(known, shared, strict=True) if n == most or most < 2]
    return frozenset.intersection(*likely) if likely else frozenset()


def _term(token: Token, language: str) -> int:
    if not token.stemmed:
        return term_id("", token.word)
    return term_id(language, stem(token.word, language))


@lru_cache(maxsize=200_000)
def stem(word: str, language: str) -> str:
    """The stem of a folded word; the word itself where no stemmer is known for the language."""
    if language == "ar":
        return light_stem(word)
    algorithm = STEMMERS.get(language)
    if algorithm is None:
        return word
    return str(_stemmer(algorithm).stemWord(word))


@lru_cache(maxsize=32)
def _stemmer(algorithm: str) -> "snowballstemmer.stemmer":
    return snowballstemmer.stemmer(algorithm)


@lru_cache(maxsize=200_000)
def term_id(language: str, term: str) -> int:
    """64-bit identity of a term. Two of a million terms collide with a chance of 3 · 10⁻⁸."""
    data = f"{language}\0{term}".encode()
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest(), "little")


def _sorted_ids(ids: Iterable[int]) -> Ids:
    return np.array(sorted(set(ids)), dtype=np.uint64)
