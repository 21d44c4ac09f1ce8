"""Pieces within a bound of tokens lose nothing but white space."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.pieces import pieces, token_bound


@pytest.mark.parametrize(
    ("text", "bound"),
    [("", 0), ("rule 1", 6), ("é", 2), ("規則", 6), ("👩‍🚀", 11), ("ﷺ", 33), ("ﬁ", 3)],
)
def test_the_bound_is_that_of_bytes_however_a_tokenizer_composes(text: str, bound: int) -> None:
    assert token_bound(text) == bound


def test_a_text_that_fits_is_left_as_it_is() -> None:
    assert pieces("  a rule \n", 10) == ["  a rule \n"]


def test_a_text_is_cut_between_words_and_a_word_only_if_it_must() -> None:
    assert pieces("one two three", 8) == ["one two", "three"]
    assert pieces("a bcdefghijkl", 5) == ["a", "bcdef", "ghijk", "l"]
    assert pieces("規則は守", 6) == ["規則", "は守"]


@settings(max_examples=50)
@given(st.text(max_size=200), st.integers(min_value=33, max_value=100))
def test_every_piece_is_within_the_bound_and_nothing_is_lost(text: str, most: int) -> None:
    cut = pieces(text, most)
    for piece in cut:
        forms = (piece, unicodedata.normalize("NFKC", piece))
        assert max(len(form.encode()) for form in forms) <= token_bound(piece) <= most
    assert "".join("".join(cut).split()) == "".join(text.split())
