"""The analyser: words, stems and what is stored of a passage."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core import lexical
from rag.core.lexical import (
    Gathered,
    content_tokens,
    identifiers,
    query_stems,
    query_words,
    stem,
    term_counts,
    tokens,
)


def words(text: str) -> list[str]:
    return [token.word for token in tokens(text)]


def meets(question: str, text: str, language: str = "en") -> bool:
    """Whether a question finds a text by BM25."""
    stems = query_stems(question, [language])
    return bool(set(stems) & set(term_counts("", "", text, language).stems))


# Words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("C++ and C# beat C.", ["c++", "and", "c#", "beat", "c"]),
        ("pump QX-4471, rated", ["pump", "qx-4471", "rated"]),
        ("since v1.2.", ["since", "v1.2"]),
        ("SP 800-63B", ["sp", "800-63b"]),
        ("part_no 12_b", ["part_no", "12_b"]),
        ("well-known rules", ["well", "known", "rules"]),
        ("end 2.5 mm.", ["end", "2.5", "mm"]),
        ("東京都", ["東京", "京都"]),
        ("価 a", ["価", "a"]),
        ("한국어", ["한국", "국어"]),
        ("iPhone用の", ["iphone", "用の"]),
        ("हिन्दी में नियम", ["हिन्दी", "में", "नियम"]),
        ("ลา พัก", ["ลา", "พั", "ัก"]),
        ("state-of-the-art", ["state", "of", "the", "art"]),
        ('a"b NOT x:y 50% *(', ["a", "b", "not", "x", "y", "50"]),
        ("", []),
        ('* ( "', []),
    ],
)
def test_a_text_becomes_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("efficient", "eﬃcient"),
        ("Müller", "muller"),
        ("co\u00adoperate", "cooperate"),
        ("manage-\nment", "management"),
        ("كِتَاب", "كتاب"),
        ("كتـــاب", "كتاب"),
        ("ＱＸ－4471", "QX-4471"),
        ("STRASSE", "straße"),
    ],
)
def test_what_is_written_differently_is_one_word(left: str, right: str) -> None:
    assert words(left) == words(right)


@pytest.mark.parametrize(
    ("language", "left", "right"),
    [
        ("en", "reimbursed", "reimbursement"),
        ("fr", "remboursement", "remboursements"),
        ("de", "Erstattung", "Erstattungen"),
        ("de", "Häuser", "hausern"),
        ("xx", "word", "WORD"),
    ],
)
def test_words_are_stemmed_in_their_language(language: str, left: str, right: str) -> None:
    assert meets(left, right, language)


def test_an_unknown_language_is_not_stemmed() -> None:
    assert stem("rules", "xx") == "rules"
    assert not meets("rules", "rule", "xx")


def test_a_stem_of_another_language_is_another_term() -> None:
    assert not set(query_stems("rules", ["en"])) & set(term_counts("", "", "rules", "fr").stems)


def test_an_identifier_is_the_same_in_every_language() -> None:
    assert set(query_stems("QX-4471", ["en"])) & set(term_counts("", "", "QX-4471", "fr").stems)


@pytest.mark.parametrize(
    ("asked", "text", "language"),
    [
        ("efficient", "an eﬃcient pump", "en"),
        ("費用", "費用精算書", "ja"),
        ("سياسة", "سِيَاسَةُ", "ar"),
        ("السياسات", "سياسة", "ar"),
        ("management", "manage-\nment", "en"),
        ("cooperate", "co\u00adoperate", "en"),
        ("QX-4471", "ＱＸ－４４７１", "en"),
        ("v1.2", "since v1.2.", "en"),
        ("state-of-the-art", "a state of the art pump", "en"),
        ("50%", "50 percent", "en"),
        ("नियमों", "नियम", "hi"),
        ("ลาพัก", "วันลาพักร้อน", "th"),
    ],
)
def test_a_question_finds_what_is_written_or_inflected_otherwise(
    asked: str, text: str, language: str
) -> None:
    assert meets(asked, text, language)


def test_a_vowel_sign_is_part_of_its_word() -> None:
    assert not meets("नियम", "निदेशक", "hi")


@pytest.mark.parametrize("asked", ["", "*", "(", '"', "%"])
def test_a_question_without_words_has_no_terms(asked: str) -> None:
    assert len(query_stems(asked, ["en"])) == len(query_words(asked, ["en"])) == 0


@pytest.mark.parametrize(
    ("asked", "text"), [("C", "C++"), ("C#", "C++"), ("C++", "C"), ("C++", "C#"), ("v1", "v1.2")]
)
def test_an_identifier_does_not_find_a_part_of_another(asked: str, text: str) -> None:
    assert not meets(asked, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Is C++ faster than C?", {"c++"}),
        ("QX-4471 and v1.2", {"qx-4471", "v1.2"}),
        ("GX999 in 2026", {"gx999"}),
        ("on 2026-10-01 at 10 for 2.5 mm", set()),
        ("a well-known CO2 rule", set()),
    ],
)
def test_identifiers_of_a_question(text: str, expected: set[str]) -> None:
    assert identifiers(text) == expected


def test_stop_words_count_only_when_they_stand_alone() -> None:
    assert [token.word for token in content_tokens("What is the leave", ["en"])] == ["leave"]
    assert len(query_stems("What is the leave", ["en"])) == 1
    assert len(query_stems("to be or not to be", ["en"])) == 4
    assert len(query_words("to be or not to be", ["en"])) == 0


@pytest.mark.parametrize(
    ("question", "languages", "expected"),
    [
        ("What is the width of the door", ["en", "nl"], ["width", "door"]),
        ("Wat is de breedte van de deur", ["en", "nl"], ["breedte", "deur"]),
        ("door policy", ["en", "nl"], ["door", "policy"]),
        ("door policy", ["nl"], ["policy"]),
        ("the leave", ["en", "zh"], ["leave"]),
        ("in the house", ["en", "de"], ["house"]),
        ("care este termenul", ["en", "ro"], ["termenul"]),
        ("the leave", [], ["the", "leave"]),
    ],
)
def test_stop_words_are_those_of_the_language_asked_in(
    question: str, languages: list[str], expected: list[str]
) -> None:
    assert [token.word for token in content_tokens(question, languages)] == expected


def test_a_word_is_looked_for_where_it_says_something() -> None:
    asked = set(query_stems("door policy", ["en", "nl"]))
    assert asked & set(term_counts("", "", "doors", "en").stems)
    assert not asked & set(term_counts("", "", "door", "nl").stems)
    assert set(query_stems("IT", ["en", "fr"])) & set(term_counts("", "", "IT", "en").stems)


# Term counts

NOTHING = term_counts("", "", "", "en").to_bytes()


@given(st.lists(st.sampled_from(["leave", "pay", "QX-4471", "東京都", "the", "v1.2", "rule"])))
def test_term_counts_survive_their_bytes(chosen: list[str]) -> None:
    counts = term_counts("A title", "", " ".join(chosen), "en")
    again = Gathered.of([NOTHING, counts.to_bytes(), NOTHING])
    assert again.lengths.tolist() == [0, counts.length, 0]
    assert counts.length == len(words(" ".join(chosen)))
    assert again.stems.counts is not None
    assert np.array_equal(again.stems.ids, counts.stems)
    assert np.array_equal(again.stems.counts, counts.counts)
    assert np.array_equal(again.words.ids, counts.words)


@given(st.lists(st.lists(st.sampled_from(["leave", "pay", "東京都"]), max_size=9), max_size=9))
def test_passages_are_gathered_alike_in_blocks_of_any_size(held: list[list[str]]) -> None:
    each = [term_counts("", "", " ".join(words), "en") for words in held]
    stored = [counts.to_bytes() for counts in each]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lexical, "BLOCK", 2)
        found = Gathered.of(stored)
        rows = found.stems.row_of_each()
    assert found.lengths.tolist() == [counts.length for counts in each]
    assert rows.tolist() == [at for at, counts in enumerate(each) for _ in counts.stems]
    assert found.stems.ids.tolist() == [term for counts in each for term in counts.stems]
    assert found.words.ids.tolist() == [term for counts in each for term in counts.words]
    assert found.stems.counts is not None
    assert found.stems.counts.tolist() == [n for counts in each for n in counts.counts]


def test_bm25_counts_context_and_overlap_the_title() -> None:
    counts = term_counts("Alpha", "Beta", "Gamma", "en")
    assert set(counts.stems) == set(query_stems("beta gamma", ["en"]))
    assert set(counts.words) == set(query_words("alpha gamma", ["en"]))
