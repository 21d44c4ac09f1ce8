"""Texts that are longer than a model reads: cut into pieces, whose vectors are joined."""

import unicodedata
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

# Begin, end and separator marks that tokenizers add to a text.
SPECIAL_TOKENS: Final = 4


def token_bound(text: str) -> int:
    """A number of tokens that no text exceeds without the marks of its tokenizer.

    A token stands for at least one byte of UTF-8: so it is with byte-level BPE, with SentencePiece
    and its byte fallback, and with WordPiece. Some tokenizers compose first (NFKC), which makes 18
    letters of one Arabic ligature, so the longer of the two counts.
    """
    if text.isascii():
        return len(text)
    return sum(map(_bound, text))


def _bound(character: str) -> int:
    forms = (character, unicodedata.normalize("NFKC", character))
    return max(len(form.encode(errors="surrogatepass")) for form in forms)


def pieces(text: str, most: int) -> list[str]:
    """The text in pieces of a token bound up to ``most`` (at least 33), cut between words.

    The tokenizer need not be known. Nothing is left out but the white space at the cuts; within a
    word only one longer than that is cut. A text that fits is one piece, unchanged.
    """
    if token_bound(text) <= most:
        return [text]
    found, rest = [], text
    while rest:
        end = _end(rest, most)
        if piece := rest[:end].strip():
            found.append(piece)
        rest = rest[end:].lstrip()
    return found or [text[:1]]


def joined(vectors: NDArray[np.float32], lengths: Sequence[int]) -> NDArray[np.float64]:
    """The mean (d,) of the unit vectors of a text's pieces (n, d), by their lengths.

    So the end of a long text counts as its beginning does (as OpenAI's cookbook does with long
    inputs). The mean is shorter than 1 unless the pieces agree.
    """
    exact = vectors.astype(np.float64)
    units = exact / np.linalg.norm(exact, axis=1, keepdims=True)
    weights = np.array(lengths, dtype=np.float64)
    mean: NDArray[np.float64] = np.einsum("i,ij->j", weights / weights.sum(), units)
    return mean


def _end(text: str, most: int) -> int:
    """Where the longest piece at the start of a text ends."""
    size, space = 0, 0
    for position, character in enumerate(text):
        size += _bound(character)
        if size > most:
            return space or max(position, 1)
        if character.isspace():
            space = position + 1
    return len(text)
