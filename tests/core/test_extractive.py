"""The extractive proposer."""

from collections.abc import Sequence

import numpy as np
import pytest

from rag.core.answers import Proposal, Supplied
from rag.core.extractive import LEXICAL, Extractive, Scorer, lexical_coverage, quotable
from rag.core.lexical import Floats
from tests.handmade import excerpt

MEALS = "Meals are reimbursed up to EUR 52 per day."
HOTELS = "Hotels are booked through the travel desk."


def supplied(
    text: str,
    alias: str = "S1",
    document: str = "d",
    start: int = 0,
    *,
    relevance: float = 0.9,
) -> Supplied:
    return excerpt(text, start, document, alias=alias, relevance=relevance)


def quotes(text: str) -> list[str]:
    return [candidate.text for candidate in quotable(supplied(text))]


def proposed(proposal: Proposal) -> list[tuple[str, str]]:
    return [(piece.alias, piece.quote) for piece in proposal.pieces if piece]


def fixed(scores: dict[str, float]) -> Extractive:
    """A proposer whose scorer knows a score for each passage."""

    def score(question: str, passages: Sequence[str]) -> Floats:
        return np.array([scores[passage] for passage in passages])

    return Extractive(Scorer("fixed", 0.5, 0.2, score))


def test_whole_sentences_can_be_quoted() -> None:
    assert quotes(f"{MEALS} {HOTELS}") == [MEALS, HOTELS]


@pytest.mark.parametrize("opening", ["However, alcohol", "Except that alcohol", "Unless alcohol"])
def test_a_rule_is_quoted_with_its_exception(opening: str) -> None:
    rule = f"{MEALS} {opening} is not reimbursed."
    assert quotes(rule)[0] == rule


def test_a_short_sentence_is_quoted_with_the_next() -> None:
    assert quotes(f"It depends. {MEALS}")[0] == f"It depends. {MEALS}"


@pytest.mark.parametrize("heading", ["## Meals", "# Rules about the refunds of meals"])
def test_a_heading_is_no_sentence_to_quote(heading: str) -> None:
    assert quotes(f"{heading}\n\n{MEALS}") == [MEALS]


def test_what_is_too_short_cannot_be_quoted() -> None:
    assert quotes("Too short.") == []


def test_a_quotation_does_not_grow_without_end() -> None:
    exception = "However, " + "this goes on " * 45 + "to the end."
    assert quotes(f"{MEALS} {exception}")[0] == MEALS


@pytest.mark.parametrize(
    ("question", "passage", "expected"),
    [
        ("reimbursed meals", MEALS, 1.0),
        ("Is a meal reimbursable?", MEALS, 1.0),
        ("meals and trains", MEALS, 0.5),
        ("trains", MEALS, 0.0),
        ("the of", MEALS, 0.0),
    ],
)
def test_coverage_is_the_share_of_the_question_s_stems(
    question: str, passage: str, expected: float
) -> None:
    assert lexical_coverage(question, [passage]).tolist() == [expected]


def test_the_best_sentence_comes_first_and_those_nearly_as_good_follow() -> None:
    a, b, c = (f"This is sentence number {name}." for name in ("one", "two", "three"))
    proposer = fixed({a: 0.75, b: 0.9, c: 0.2})
    proposal = proposer.propose("question", [supplied(f"{a} {b} {c}")])
    assert proposed(proposal) == [("S1", b), ("S1", a)]


@pytest.mark.parametrize(("score", "quoted"), [(0.56, True), (0.54, False)])
def test_another_source_may_answer_twice_the_margin_less_well(score: float, quoted: bool) -> None:
    best = supplied(MEALS, relevance=0.95)
    excerpts = [best, supplied(HOTELS, "S2", "other", relevance=score)]
    proposal = fixed({MEALS: 0.95, HOTELS: score}).propose("q", excerpts)
    assert [alias for alias, _ in proposed(proposal)] == ["S1", "S2"][: 1 + quoted]


def test_each_source_is_quoted_once_before_any_is_quoted_twice() -> None:
    a, b, c = (f"This is sentence number {name}." for name in ("one", "two", "three"))
    excerpts = [supplied(f"{a} {b}"), supplied(c, "S2", "other")]
    proposal = fixed({a: 0.9, b: 0.85, c: 0.8}).propose("q", excerpts)
    assert proposed(proposal) == [("S1", a), ("S2", c), ("S1", b)]


def test_at_most_three_sentences_are_proposed() -> None:
    sentences = [f"This is sentence number {number}." for number in range(5)]
    proposer = fixed(dict.fromkeys(sentences, 0.9))
    proposal = proposer.propose("question", [supplied(" ".join(sentences))])
    assert [quote for _, quote in proposed(proposal)] == sentences[:3]


def test_below_the_minimum_nothing_is_proposed() -> None:
    below, at = supplied(MEALS, relevance=0.49), supplied(MEALS, relevance=0.5)
    assert fixed({MEALS: 0.49}).propose("q", [below]) == Proposal(False, ())
    assert fixed({MEALS: 0.5}).propose("q", [at]).can_answer


@pytest.mark.parametrize("excerpts", [[], [supplied("Short.")]])
def test_nothing_quotable_is_no_answer(excerpts: list[Supplied]) -> None:
    assert fixed({}).propose("question", excerpts) == Proposal(False, ())


def test_the_same_words_are_proposed_once() -> None:
    excerpts = [supplied(MEALS), supplied(MEALS, "S2", "other")]
    assert proposed(fixed({MEALS: 0.9}).propose("q", excerpts)) == [("S1", MEALS)]


def test_overlapping_excerpts_of_one_document_give_one_sentence() -> None:
    excerpts = [supplied(f"{MEALS} {HOTELS}"), supplied(HOTELS, "S2", start=len(MEALS) + 1)]
    proposal = fixed({MEALS: 0.8, HOTELS: 0.9}).propose("q", excerpts)
    assert proposed(proposal) == [("S1", HOTELS), ("S1", MEALS)]


def test_the_lexical_proposer_answers_by_words() -> None:
    proposer = Extractive(LEXICAL)
    fitting = supplied(f"{HOTELS} {MEALS}", relevance=1.0)
    assert proposed(proposer.propose("Are meals reimbursed?", [fitting])) == [("S1", MEALS)]
    other = supplied(f"{HOTELS} {MEALS}", relevance=0.0)
    assert not proposer.propose("Does the canteen open on Friday?", [other]).can_answer
    assert proposer.name == "extractive-v2/lexical-coverage-v1/least 0.6, margin 0.2"
