"""Unseen characters are named, all of them, and nothing else is."""

from itertools import groupby
from unicodedata import category, name

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.text import is_printable
from rag.core.unseen import Piece, count_unseen, mixed_scripts, reveal, unseen_name

HIDDEN = "\u200b\u00ad\u202e\u00a0\ufeff\ufe0f\u2028\u3164\ue000\u0378\x07\U000e0041"
TEXTS = st.one_of(st.text(), st.text(st.sampled_from(f"ab é日\n\t🙂{HIDDEN}{HIDDEN}")))
# Beyond these planes there are ideographs, what is unassigned and what is private.
EVERY = [chr(code) for code in (*range(0x20000), *range(0xE0000, 0xE1000), 0x10FFFD)]
untimed = settings(deadline=None)


@pytest.mark.parametrize(
    ("character", "expected"),
    [
        ("\u200b", "zero width space U+200B"),
        ("\u00ad", "soft hyphen U+00AD"),
        ("\u202e", "right-to-left override U+202E"),
        ("\u2066", "left-to-right isolate U+2066"),
        ("\u00a0", "no-break space U+00A0"),
        ("\u3000", "ideographic space U+3000"),
        ("\ufeff", "byte order mark U+FEFF"),
        ("\u200d", "zero width joiner U+200D"),
        ("\u2060", "word joiner U+2060"),
        ("\u2028", "line separator U+2028"),
        ("\u2029", "paragraph separator U+2029"),
        ("\ufe0f", "variation selector-16 U+FE0F"),
        ("\U000e0100", "variation selector-17 U+E0100"),
        ("\U000e0001", "language tag U+E0001"),
        ("\U000e0061", "tag latin small letter a U+E0061"),
        ("\U000e007f", "cancel tag U+E007F"),
        ("\u3164", "hangul filler U+3164"),
        ("\u115f", "hangul choseong filler U+115F"),
        ("\uffa0", "halfwidth hangul filler U+FFA0"),
        ("\u034f", "combining grapheme joiner U+034F"),
        ("\u180e", "mongolian vowel separator U+180E"),
        ("\u17b5", "khmer vowel inherent aa U+17B5"),
        ("\u2800", "braille pattern blank U+2800"),
        ("\r", "carriage return U+000D"),
        ("\x1b", "escape U+001B"),
        ("\x01", "control character U+0001"),
        ("\ue000", "private use U+E000"),
        ("\U0010fffd", "private use U+10FFFD"),
        ("\u0378", "unassigned U+0378"),
        ("\U000e0fff", "unassigned U+E0FFF"),
        ("\ud800", "surrogate U+D800"),
    ],
)
def test_an_unseen_character_has_a_name(character: str, expected: str) -> None:
    assert unseen_name(character) == expected
    assert reveal(f"a{character}{character}b") == (
        Piece("a", ""),
        Piece(character * 2, expected),
        Piece("b", ""),
    )


@pytest.mark.parametrize(
    "character", [*" \n\tañé日한нαع-–’“…。🙂€𝒜", "\u0301", "\u093f", "\u06dd", "\ufffd"]
)
def test_what_is_seen_has_none(character: str) -> None:
    assert unseen_name(character) == ""


def test_letters_marks_figures_signs_are_seen_and_control_and_space_are_not() -> None:
    hidden = [character for character in EVERY if unseen_name(character)]
    assert {category(c) for c in EVERY} - {category(c) for c in hidden} >= {
        *("Lu", "Ll", "Lt", "Lm", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Po"),
    }
    unprintable = {c for c in EVERY if not is_printable(c)} - {"\n", "\t"}
    spaces = {c for c in EVERY if c.isspace()} - {" ", "\n", "\t"}
    assert unprintable | spaces <= set(hidden)


def test_names_are_distinct_and_none_is_missing() -> None:
    names = [label for character in EVERY if (label := unseen_name(character))]
    assert len(names) == len(set(names))
    assert all(label.rpartition(" U+")[0] for label in names)


@untimed
@given(TEXTS)
def test_the_pieces_are_the_text_and_each_is_one_run(text: str) -> None:
    pieces = reveal(text)
    assert "".join(piece.text for piece in pieces) == text
    runs = groupby(text, lambda c: (unseen_name(c), c if unseen_name(c) else ""))
    assert pieces == tuple(Piece("".join(run), label) for (label, _), run in runs)


@untimed
@given(TEXTS)
def test_the_count_is_that_of_the_named_pieces(text: str) -> None:
    assert count_unseen(text) == sum(len(piece.text) for piece in reveal(text) if piece.name)
    assert count_unseen(text) == sum(1 for character in text if unseen_name(character))


# Mixed scripts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pаypal and Αpple", ("pаypal", "Αpple")),
        ("раypаl, раypаl!", ("раypаl",)),
        ("ＰАＹ", ("ＰАＹ",)),
        ("plain English", ()),
        ("Привет, мир: hello", ()),
        ("Ελλάδα and Greece", ()),
        ("5 μm, 3 kΩ, ΔT, µm, μmol", ()),
        ("Ωmega", ("Ωmega",)),
        ("C и Python-скрипт", ()),
        ("日本а語", ()),
        ("", ()),
    ],
)
def test_words_of_two_scripts_are_found(text: str, expected: tuple[str, ...]) -> None:
    assert mixed_scripts(text) == expected


def scripts(word: str) -> set[str]:
    return {name(character, "").split(" ")[0] for character in word}


@untimed
@given(st.lists(st.text(st.sampled_from("aZéаЯαΩ1_"), min_size=4), max_size=40))
def test_the_first_twenty_different_words_of_two_scripts(words: list[str]) -> None:
    mixed = [w for w in words if "LATIN" in scripts(w) and scripts(w) & {"CYRILLIC", "GREEK"}]
    assert mixed_scripts(" ".join(words)) == tuple(dict.fromkeys(mixed))[:20]


def test_no_more_than_twenty_words() -> None:
    words = [f"а{'a' * n}" for n in range(1, 30)]
    assert mixed_scripts(" ".join(words)) == tuple(words[:20])
