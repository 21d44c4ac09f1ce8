"""Where the words of a question stand in a text."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.lexical import content_tokens, query_stems, stem, term_id, tokens
from rag.core.matches import located, marks, matches, merged

# What folding drops, joins, composes, widens or carries over a line end, and any other text.
TRICKY = st.text(
    st.sampled_from(
        " \n\n--.(“aAb1éß\u0301\u200b\u00ad\u2010日の本ـأC+#ﬁが\u3099か\u093fनᄒ\u1161\u11a8¨™ΣİÅ"
    )
)
TEXTS = st.one_of(st.text(), TRICKY)
PLAIN = st.text(st.sampled_from(" \n-.,a1éﬁC+#日本"))
WORDS = st.lists(
    st.sampled_from(
        ["export", "Exporting", "the", "do", "doing", "QX-4471", "C++", "C", "(run),", "ex-\nport"]
    )
).map(" ".join)
untimed = settings(deadline=None)


def marked(text: str, question: str, *languages: str) -> list[str]:
    return [text[start:end] for start, end in marks(text, question, languages or ("en",))]


# Places


@untimed
@given(TEXTS)
def test_the_same_words_as_the_analyser_finds_in_the_same_order(text: str) -> None:
    assert [word.token for word in located(text)] == tokens(text)


@untimed
@given(TEXTS)
def test_a_word_is_found_again_in_its_own_characters(text: str) -> None:
    for start, end, token in located(text):
        assert token.word in [own.word for own in tokens(text[start:end])]


@untimed
@given(PLAIN)
def test_no_character_too_many_belongs_to_a_word(text: str) -> None:
    for start, end, token in located(text):
        for inner in (text[start + 1 : end], text[start : end - 1]):
            assert token.word not in [own.word for own in tokens(inner)]


@untimed
@given(TEXTS)
def test_places_ascend_at_both_ends(text: str) -> None:
    for before, after in pairwise(located(text)):
        assert before.start <= after.start and before.end <= after.end


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("(Manage-\nment).", ["Manage-\nment"]),
        ("well-\nKnown", ["well", "Known"]),
        ("eﬃcient", ["eﬃcient"]),
        ("co\u00adop\u00aderate!", ["co\u00adop\u00aderate"]),
        ("“cafe\u0301”", ["cafe\u0301"]),
        ("नियम", ["नियम"]),
        ("a QX-4471.", ["a", "QX-4471"]),
        ("x\u00ad\n-\n\u00ad\ny", ["x\u00ad\n-\n\u00ad\ny"]),
        ("あい。い", ["あい", "い"]),
        ("日-\na", ["日", "a"]),
        ("ああああ", ["ああ", "ああ", "ああ"]),
    ],
)
def test_a_word_has_exactly_its_characters(text: str, places: list[str]) -> None:
    assert [text[word.start : word.end] for word in located(text)] == places


@pytest.mark.parametrize(
    "text", ["a" + "\u0301" * 5000, "a-\n" * 3000, "日\u0301" * 3000, "ﬁ" * 5000]
)
def test_a_text_made_to_be_slow_is_still_placed(text: str) -> None:
    assert [word.token for word in located(text)] == tokens(text)


# Matches


def meets(word: str, question: str, language: str) -> bool:
    """Whether BM25 or the overlap would count a word of a text for a question; stop words apart."""
    asked = content_tokens(question, [language]) or tokens(question)
    stems = {int(i) for i in query_stems(question, [language])}
    ids = {term_id("", word), term_id(language, stem(word, language))}
    return bool(ids & stems) or word in {token.word for token in asked}


@untimed
@given(WORDS, WORDS, st.sampled_from(["en", "de", "zh"]))
def test_matches_are_the_words_that_the_ranking_counts(
    text: str, question: str, language: str
) -> None:
    stops = bool(content_tokens(question, [language]))
    expected = [
        (start, end)
        for start, end, token in located(text)
        if meets(token.word, question, language)
        and not (stops and not content_tokens(token.word, [language]))
    ]
    assert [(m.start, m.end) for m in matches(text, question, (language,))] == expected


@pytest.mark.parametrize(
    ("text", "question", "language", "expected"),
    [
        ("Exporting data, “exports”", "export", "en", ["Exporting", "exports"]),
        ("Ge\u00adhälter und Ge-\nhälter", "Gehalt", "de", ["Ge\u00adhälter", "Ge-\nhälter"]),
        ("费用报销：请提交费用单", "如何报销费用", "zh", ["费用报销", "费用"]),
        ("费用报销流程", "费用报销", "zh", ["费用报销"]),
        ("C++ and C# beat C.", "C++", "en", ["C++"]),
        ("CAFÉ cafe\u0301", "café", "fr", ["CAFÉ", "cafe\u0301"]),
        ("नियम यह है", "नियम", "hi", ["नियम"]),
        ("to be or not", "to be", "en", ["to", "be"]),
        ("the wills we will file", "wills", "en", ["wills"]),
        ("QX-4471 and QX-4472", "QX-4472", "en", ["QX-4472"]),
        ("anything", "", "en", []),
    ],
)
def test_matched_words_are_marked(
    text: str, question: str, language: str, expected: list[str]
) -> None:
    assert marked(text, question, language) == expected


def test_a_word_matches_by_its_stem_in_any_of_the_languages() -> None:
    assert marked("Rechnungen", "Rechnung", "en") == []
    assert marked("Rechnungen", "Rechnung", "en", "de") == ["Rechnungen"]


def test_a_match_names_the_words_of_the_question_that_it_meets() -> None:
    found = matches("Exports", "export the exporting of files", ("en",))
    assert [match.asked for match in found] == [{"export", "exporting"}]


@untimed
@given(st.lists(st.tuples(st.integers(0, 30), st.integers(1, 5)).map(lambda p: (p[0], sum(p)))))
def test_merged_spans_cover_the_same_characters_and_keep_apart(
    spans: list[tuple[int, int]],
) -> None:
    joined = merged(spans)
    assert {i for span in joined for i in range(*span)} == {i for s in spans for i in range(*s)}
    assert all(before[1] < after[0] for before, after in pairwise(joined))
