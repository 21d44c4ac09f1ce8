"""The key of the re-ranking by required terms."""

import pytest

from rag.core.rerank import Candidate, coverage, rerank


def order(question: str, candidates: list[Candidate], required: list[str]) -> list[str]:
    return [candidate.chunk_id for candidate in rerank(question, candidates, required, ["en"])]


@pytest.mark.parametrize(
    ("wanted", "present", "expected"),
    [(set(), {"a"}, 1.0), ({"a"}, set(), 0.0), ({"a", "b"}, {"b", "c"}, 0.5), ({"a"}, {"a"}, 1.0)],
)
def test_coverage_is_a_share(wanted: set[str], present: set[str], expected: float) -> None:
    assert coverage(wanted, present) == expected


def test_more_required_terms_win_over_any_similarity() -> None:
    candidates = [
        Candidate("none", "policy overview", 1.0),
        Candidate("one", "permission", -1.0),
        Candidate("two", "permission denied", -1.0),
    ]
    assert order("question", candidates, ["permission", "denied"]) == ["two", "one", "none"]


def test_a_question_s_words_are_worth_a_quarter() -> None:
    candidates = [Candidate("near", "nothing", 0.5), Candidate("word", "retry", 0.251)]
    assert order("retry", candidates, []) == ["word", "near"]
    assert order("retry", [candidates[0], Candidate("word", "retry", 0.249)], []) == [
        "near",
        "word",
    ]


def test_stop_words_of_the_question_are_worth_nothing() -> None:
    candidates = [Candidate("a", "the of", 0.5), Candidate("b", "retry", 0.5)]
    assert order("the retry of", candidates, []) == ["b", "a"]


def test_a_required_phrase_is_covered_word_by_word() -> None:
    candidates = [
        Candidate("half", "Permission", 0.9),
        Candidate("whole", "DENIED permission", 0.1),
    ]
    assert order("question", candidates, ["permission denied"]) == ["whole", "half"]


def test_the_input_is_left_alone() -> None:
    candidates = [Candidate("a", "x", 0.1), Candidate("b", "x", 0.2)]
    assert rerank("x", candidates, [], ["en"]) == candidates[::-1]
    assert [candidate.chunk_id for candidate in candidates] == ["a", "b"]
