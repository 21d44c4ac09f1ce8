"""Whole and cut sentences, sentences that stand twice, and small tables of words and codes."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from rag.core.answers import gate
from rag.core.errors import InvalidText
from rag.core.extractive import LEXICAL, Extractive, quotable
from rag.core.lexical import tokens
from rag.core.metadata import Overrides, described
from rag.core.policies import RRF, WEIGHTED, Policy
from rag.core.retrieval import Mode, Options
from rag.core.text import goes_on_with_exception, is_partial, sentence_spans
from tests.handmade import Text, excerpt, labels, question

MEALS = "Meals are reimbursed up to EUR 52 per day."
HOTELS = "Hotels are booked through the travel desk."
TWO = f"{MEALS} {HOTELS}"
LIST = f"The rules:\n\n- {MEALS}\n- {HOTELS} Trains, too.\n"
TABLE = "| City | Limit |\n|------|-------|\n| Rome | EUR 52 per day |\n| Oslo | EUR 70 per day |\n"
SPACED = f"First one here.\n\n\n{MEALS}\n\n \n\n{HOTELS}\n"
FRONT = f"---\ntitle: Meals\n---\n{MEALS}\n"
WRAPPED = "Meals are reimbursed\nup to EUR 52 per day. Hotels\nare booked by the desk.\n"
CHINESE = "餐费每天最多报销五十二欧元。酒店由差旅部预订。"
JAPANESE = "食事代は一日五十二ユーロまでです。\nホテルは旅行課が予約します。"


def partial(text: str, quoted: str) -> bool:
    start = text.index(quoted)
    return is_partial(text, start, start + len(quoted))


WHOLE = {
    "the whole text": (MEALS, MEALS),
    "first of two": (TWO, MEALS),
    "last of two": (TWO, HOTELS),
    "two sentences": (TWO, TWO),
    "list item": (LIST, f"- {MEALS}"),
    "first sentence of an item": (LIST, f"- {HOTELS}"),
    "second sentence of an item": (LIST, "Trains, too."),
    "lead-in": (LIST, "The rules:"),
    "lead-in and item": (LIST, f"The rules:\n\n- {MEALS}"),
    "table row": (TABLE, "| Oslo | EUR 70 per day |"),
    "two table rows": (TABLE, "| Rome | EUR 52 per day |\n| Oslo | EUR 70 per day |"),
    "between blank lines": (SPACED, MEALS),
    "across blank lines": (SPACED, f"{MEALS}\n\n \n\n{HOTELS}"),
    "after front matter": (FRONT, MEALS),
    "wrapped": (WRAPPED, "Meals are reimbursed\nup to EUR 52 per day."),
    "abbreviation": ("Use e.g. Rome as usual. Done.", "Use e.g. Rome as usual."),
    "Chinese": (CHINESE, "酒店由差旅部预订。"),
    "Chinese, both": (CHINESE, CHINESE),
    "Japanese": (JAPANESE, "食事代は一日五十二ユーロまでです。"),
}
CUT = {
    "start": (MEALS, "are reimbursed up to EUR 52 per day."),
    "end": (MEALS, "Meals are reimbursed up to EUR 52"),
    "without its full stop": (MEALS, MEALS[:-1]),
    "both": (MEALS, "reimbursed up to EUR 52"),
    "end in the next sentence": (TWO, f"{MEALS} Hotels are booked"),
    "start in the sentence before": (TWO, f"EUR 52 per day. {HOTELS}"),
    "item without its mark": (LIST, MEALS),
    "end of an item": (LIST, "- Meals are reimbursed up to EUR 52"),
    "cell": (TABLE, "EUR 70 per day"),
    "row without its end": (TABLE, "| Oslo | EUR 70 per day"),
    "between blank lines": (SPACED, "are reimbursed up to EUR 52 per day."),
    "across blank lines": (SPACED, f"per day.\n\n \n\n{HOTELS}"),
    "line of a wrapped sentence": (WRAPPED, "Meals are reimbursed"),
    "second line of a wrapped sentence": (WRAPPED, "are booked by the desk."),
    "abbreviation": ("Use e.g. Rome as usual. Done.", "Rome as usual."),
    "Chinese start": (CHINESE, "差旅部预订。"),
    "Chinese end": (CHINESE, "餐费每天最多报销"),
}


@pytest.mark.parametrize(("text", "quoted"), WHOLE.values(), ids=WHOLE)
def test_whole_sentences_are_not_partial(text: str, quoted: str) -> None:
    assert not partial(text, quoted)


@pytest.mark.parametrize(("text", "quoted"), CUT.values(), ids=CUT)
def test_cut_sentences_are_partial(text: str, quoted: str) -> None:
    assert partial(text, quoted)


@pytest.mark.parametrize("text", [TWO, LIST, TABLE, SPACED, WRAPPED, CHINESE, JAPANESE])
def test_no_sentence_of_a_text_is_partial(text: str) -> None:
    spans = sentence_spans(text)
    assert not [text[a:b] for a, b in spans if is_partial(text, a, b)]
    assert not is_partial(text, spans[0][0], spans[-1][1])


CODE_ALONE = "Run this:\n\n```\nask a question now\nread the answer then\n```\n"
CODE = "Run this:\n\n```\nmake the index first\n\nask a question now\nread the answer then\n```\n"


@pytest.mark.parametrize("text", [LIST, TABLE, SPACED, WRAPPED, CODE_ALONE, CODE])
def test_what_can_be_quoted_of_a_whole_text_is_not_partial(text: str) -> None:
    found = [(c.start, c.end) for c in quotable(excerpt(text))]
    assert found
    assert not [text[a:b] for a, b in found if is_partial(text, a, b)]


@pytest.mark.parametrize(
    ("rest", "goes_on"),
    [
        ("", False),
        (f" {HOTELS}", False),
        (" However, alcohol is not reimbursed.", True),
        ("\n\nHowever, alcohol is not reimbursed.", True),
        ("\n\n\n- Except for alcohol.", True),
        ("\nUnless the host pays.", True),
        (f" {HOTELS} However, alcohol is not reimbursed.", False),
        (" Butter is free.", False),
        ("\n\n| Only | here |\n|---|---|\n", False),
        ("但酒类除外。", True),
        ("酒类也可以。", False),
    ],
)
def test_an_exception_that_follows_is_seen(rest: str, goes_on: bool) -> None:
    assert goes_on_with_exception(f"{MEALS}{rest}", len(MEALS)) is goes_on


# Sentences that stand twice


@pytest.mark.parametrize(
    "text", [f"{MEALS} {MEALS}", f"{MEALS} {HOTELS} {MEALS}", f"- {MEALS}\n- {MEALS}\n- {MEALS}"]
)
def test_a_sentence_that_stands_twice_is_proposed_once_and_accepted(text: str) -> None:
    supplied = [excerpt(text, relevance=1.0)]
    proposal = Extractive(LEXICAL).propose("Are meals reimbursed per day?", supplied)
    quotes = [piece.quote for piece in proposal.pieces if piece]
    assert quotes in ([MEALS], [f"- {MEALS}"])
    verdict = gate(proposal, supplied, lambda one: True)
    assert [(q.start_char, q.quote) for q in verdict.quotations] == [(0, quotes[0])]


def test_a_sentence_of_two_chunks_of_one_document_is_proposed_once() -> None:
    supplied = [excerpt(MEALS, relevance=1.0), excerpt(MEALS, 900, alias="S2", relevance=1.0)]
    proposal = Extractive(LEXICAL).propose("Are meals reimbursed per day?", supplied)
    assert [piece.alias for piece in proposal.pieces if piece] == ["S1"]
    assert gate(proposal, supplied, lambda one: True).accepted


# Identifiers


def identifiers_in(text: str) -> list[str]:
    return [token.word for token in tokens(text) if token.is_identifier]


@pytest.mark.parametrize(
    "word", ["QX-4471", "v1.2", "800-63b", "AB12", "ab12", "GX-100", "gx-100", "C++", "C#"]
)
def test_codes_are_identifiers(word: str) -> None:
    assert identifiers_in(f"What is {word} for?") == [word.lower()]


@pytest.mark.parametrize(
    "word",
    ["30-day", "24-hour", "2-factor", "2026-11-30", "3.5", "p2", "18f", "52", "meals", "on-site"],
)
def test_numbers_and_words_are_no_identifiers(word: str) -> None:
    assert identifiers_in(f"What is {word} for?") == []


# Languages


@pytest.mark.parametrize(
    ("value", "language"),
    [
        ("pt-BR", "pt"), ("de", "de"), ("DE", "de"), ("zho", "zho"), ("zh-Hant-TW", "zh"),
        ("", ""), (None, ""),
    ],
)  # fmt: skip
def test_a_language_is_the_primary_part_of_its_code(value: object, language: str) -> None:
    assert described({"language": value}, Overrides(), "text", "stem").language == language


@pytest.mark.parametrize("value", ["German", "x", "1", 1, "pt_BR", "d e", "de-", ["de", "fr"]])
def test_another_word_is_no_language(value: Any) -> None:
    with pytest.raises(InvalidText, match=r"^language"):
        described({"language": value}, Overrides(), "text", "stem")


# Required terms


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize(
    ("policy", "k"),
    [
        (RRF, 1),
        (RRF, 10),
        (WEIGHTED, 251),
        (WEIGHTED, 10),
    ],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_required_terms_count_however_many_candidates_there_are(
    mode: Mode, policy: Policy, k: int
) -> None:
    angles = np.linspace(0.0, 1.0, 250)
    vectors = [(float(np.cos(angle)), float(np.sin(angle))) for angle in angles]
    texts = [Text(f"s{n:03}", "meals meals meals", vector) for n, vector in enumerate(vectors)]
    wanted = "meals and a pearl among many other words of no account"
    texts.append(Text("z-last", wanted, (0.4, 0.9)))
    options = Options(mode, policy, k, 0.0)
    plain = labels(texts, question("meals"), options)
    assert "z-last#0" not in plain[:200]
    found = labels(texts, question("meals"), replace(options, required_terms=("pearl",)))
    assert (found[0], len(found)) == ("z-last#0", k)
