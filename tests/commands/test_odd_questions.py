"""Questions and options that no search can use, and odd ones that it can."""

from typing import Final

import pytest

from rag.models import Answer
from tests.commands.command_line import IMPORT, run

# A question that nobody can answer, and what is said of it.
QUESTIONS: Final = {
    "empty": ("", "question '' is not usable: it needs at least one word."),
    "blank": (" \n\t ", "it needs at least one word."),
    "punctuation": ("?! … —", "question '?! … —' is not usable: it needs at least one word."),
    "10,000 words": ("word " * 10_000, "it may have at most 1000 characters."),
    "one endless word": ("x" * 60_000, "it may have at most 1000 characters."),
}


@pytest.mark.parametrize("mode", ["lexical", "dense", "hybrid"])
@pytest.mark.parametrize("verb", ["search", "ask", "probe"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_an_unusable_question_is_refused_alike_in_every_mode(
    indexed: None, name: str, verb: str, mode: str
) -> None:
    question, sentence = QUESTIONS[name]
    ended = run(verb, question, "--scopes", "public", "--mode", mode)
    assert (ended.code, ended.out) == (1, "")
    assert sentence in ended.err
    assert len(ended.err) < 200
    assert not Answer.objects.exists()


@pytest.mark.parametrize(
    "question", ["rule?\n\n\tof the house", "rule " + "!" * 990, "規則", "C++"]
)
@pytest.mark.parametrize("verb", ["search", "ask", "probe"])
def test_an_odd_question_is_a_question(indexed: None, verb: str, question: str) -> None:
    ended = run(verb, question, "--scopes", "public", "--json")
    assert ended.code in ((0, 1) if verb == "ask" else (0,))
    assert ended.json["question" if verb == "ask" else "query"] == question
    assert ended.err == ""


@pytest.mark.parametrize("option", [["--k", "0"], ["--min-cosine", "nan"]])
def test_probe_refuses_what_search_refuses(indexed: None, option: list[str]) -> None:
    assert run("probe", "rule", "--scopes", "public", *option).code != 0


@pytest.mark.parametrize(
    "argv",
    [
        ["search", "x", "--user", "er\udce9"],
        ["ask", "er\udce9", "--scopes", "public", "--mode", "lexical"],
        ["search", "x", "--scopes", "public", "--product", "\udce9"],
        ["withdraw", "RULE", "--actor", "ada", "--reason", "\udce9"],
        ["grant", "\udce9", "--user", "ada", "--create-scope"],
        ["import_sources", "CHANGELOG.md", *IMPORT, "--version", "\udce9"],
    ],
)
def test_an_argument_that_is_not_utf_8_is_refused_in_a_sentence(
    indexed: None, argv: list[str]
) -> None:
    ended = run(*argv)
    assert ended.code and ended.err
