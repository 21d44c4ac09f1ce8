"""Modes, gates, order, required terms, and the gates of an answer's excerpts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.errors import InvalidOption
from rag.core.policies import REPEATING, RRF, WEIGHTED, Policy
from rag.core.retrieval import Mode, Options, Question, probe, retrieve, retrieve_many
from tests import handmade
from tests.handmade import Text, found, labels, question

NEAR = Text("near", "canteen menu", (1.0, 0.0))
BOTH = Text("both", "parking permit", (0.8, 0.6))
WORD = Text("word", "a permit for parking", (0.0, 1.0))
TEXTS = [NEAR, BOTH, WORD]
ASKED = question("parking permit")
POLICIES = pytest.mark.parametrize("policy", [WEIGHTED, RRF])


# Modes


@POLICIES
def test_lexical_mode_ranks_by_words_alone(policy: Policy) -> None:
    hits = found(TEXTS, question("parking permit", None), Options(Mode.LEXICAL, policy))
    assert {label for label, _ in hits} == {"both#0", "word#0"}
    assert all(hit.cosine is None and hit.lexical for _, hit in hits)


@POLICIES
def test_dense_mode_ranks_by_cosine_alone(policy: Policy) -> None:
    hits = found(TEXTS, ASKED, Options(Mode.DENSE, policy))
    assert [label for label, _ in hits] == ["near#0", "both#0", "word#0"]
    assert [hit.lexical for _, hit in hits] == [None] * 3


@POLICIES
def test_hybrid_mode_has_both_figures(policy: Policy) -> None:
    label, hit = found(TEXTS, ASKED, Options(policy=policy))[0]
    assert label == "both#0"
    assert hit.cosine == pytest.approx(0.8)
    assert hit.lexical is not None and hit.lexical > 0


@pytest.mark.parametrize("mode", [Mode.DENSE, Mode.HYBRID])
def test_a_dense_search_without_a_vector_is_refused(mode: Mode) -> None:
    with pytest.raises(InvalidOption, match="needs the question's vector"):
        found(TEXTS, question("permit", None), Options(mode))


def test_the_weighted_policy_mixes_scaled_figures() -> None:
    hits = dict(found(TEXTS, ASKED, Options()))
    lexical = {name: hit.lexical or 0.0 for name, hit in hits.items()}
    top = max(lexical.values())
    assert hits["near#0"].rank == pytest.approx(0.65)
    assert hits["both#0"].rank == pytest.approx(0.65 * 0.8 + 0.35 * lexical["both#0"] / top)


# Gates


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [
        (None, ["near#0", "both#0", "word#0", "back#0"]),
        (-1.0, ["near#0", "both#0", "word#0", "back#0"]),
        (0.0, ["near#0", "both#0", "word#0"]),
        (0.7, ["near#0", "both#0"]),
        (1.0, ["near#0"]),
    ],
)
def test_zero_is_a_real_threshold(threshold: float | None, expected: list[str]) -> None:
    texts = [*TEXTS, Text("back", "elsewhere", (-1.0, 0.0))]
    assert labels(texts, ASKED, Options(Mode.DENSE, min_cosine=threshold)) == expected


def test_a_threshold_does_not_apply_to_lexical_mode() -> None:
    options = Options(Mode.LEXICAL, min_cosine=1.0)
    assert len(labels(TEXTS, question("permit", None), options)) == 2


def test_the_reference_policy_drops_what_shares_no_word() -> None:
    assert "near#0" not in labels(TEXTS, ASKED, Options(policy=RRF))
    assert "near#0" in labels(TEXTS, ASKED, Options(policy=replace(RRF, needs_both=False)))


FAR = Text("far", "elsewhere", (0.0, 1.0))
ADMITTED: Final = {
    (Mode.HYBRID, WEIGHTED): {"near#0", "both#0", "word#0"},
    (Mode.HYBRID, RRF): {"both#0"},
    (Mode.DENSE, WEIGHTED): {"near#0", "both#0"},
    (Mode.DENSE, RRF): {"near#0", "both#0"},
    (Mode.LEXICAL, WEIGHTED): {"both#0", "word#0"},
    (Mode.LEXICAL, RRF): {"both#0", "word#0"},
}


@pytest.mark.parametrize("mode", Mode)
@POLICIES
def test_a_hit_is_near_or_shares_a_word_or_both(mode: Mode, policy: Policy) -> None:
    asked = question("parking permit", None) if mode is Mode.LEXICAL else ASKED
    hits = labels([*TEXTS, FAR], asked, Options(mode, policy, min_cosine=0.7))
    assert set(hits) == ADMITTED[mode, policy]
    assert len(hits) == len(set(hits))


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [(0.8, {"near#0", "both#0", "word#0"}), (0.81, {"near#0", "both#0", "word#0"}),
     (1.0, {"near#0", "both#0", "word#0"}), (None, {"near#0", "both#0", "word#0", "far#0"})],
)  # fmt: skip
def test_a_shared_word_admits_below_every_threshold(
    threshold: float | None, expected: set[str]
) -> None:
    assert set(labels([*TEXTS, FAR], ASKED, Options(min_cosine=threshold))) == expected


@pytest.mark.parametrize("k", [1, 2, 3, 9])
def test_at_most_k_hits(k: int) -> None:
    assert len(labels(TEXTS, ASKED, Options(k=k))) == min(k, 3)


@pytest.mark.parametrize("k", [0, -1, 1001])
def test_an_impossible_k_is_refused(k: int) -> None:
    with pytest.raises(InvalidOption, match="k"):
        Options(k=k)


def test_a_gate_is_applied_before_k() -> None:
    options = Options(policy=RRF, k=1)
    assert labels([NEAR, WORD], ASKED, options) == ["word#0"]


# Access


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(["permit", "parking", "canteen", "menu", "pay"]).map(lambda w: f"{w} rule")
    ),
    st.integers(0, 2**32),
    st.sampled_from([WEIGHTED, RRF]),
    st.sampled_from(list(Mode)),
)
def test_hidden_rows_change_nothing(hidden: list[str], seed: int, policy: Any, mode: Mode) -> None:
    vectors = np.random.default_rng(seed).standard_normal((len(hidden), 2)).tolist()
    others = [
        Text(f"{'ax'[at % 2]}-hidden-{at}", text, tuple(vectors[at]))
        for at, text in enumerate(hidden)
    ]
    texts = sorted([*TEXTS, *others], key=lambda text: text.source)
    options, allowed = Options(mode, policy), [text.source for text in TEXTS]
    alone = [(label, replace(hit, row=0)) for label, hit in found(TEXTS, ASKED, options)]
    among = [(label, replace(hit, row=0)) for label, hit in found(texts, ASKED, options, allowed)]
    assert among == alone


@POLICIES
@pytest.mark.parametrize("terms", [(), ("menu",)])
def test_many_questions_at_once_are_ranked_as_each_alone(
    policy: Policy, terms: tuple[str, ...]
) -> None:
    index = handmade.snapshot(*TEXTS)
    words = ["parking permit", "canteen", "menu permit"]
    asked = [
        (question(text, vector), Options(mode, policy, required_terms=terms))
        for mode, vector in zip(Mode, [None, (1.0, 0.2), (0.3, 1.0)], strict=True)
        for text in words
    ]

    def read(rows: Sequence[int]) -> list[str]:
        return [TEXTS[row].text for row in rows]

    alone = [retrieve(index, [1, 3], each, options, read) for each, options in asked]
    assert retrieve_many(index, [1, 3], asked, read) == alone
    assert len(set(alone)) > 5


@POLICIES
@pytest.mark.parametrize("mode", list(Mode))
def test_nothing_eligible_gives_nothing(policy: Policy, mode: Mode) -> None:
    assert found(TEXTS, ASKED, Options(mode, policy), []) == []


def test_probe_ranks_every_eligible_row_by_cosine() -> None:
    ranked = probe(handmade.snapshot(*TEXTS), [2, 3], np.array([1.0, 0.0]))
    assert [(hit.row, hit.lexical) for hit in ranked] == [(1, None), (2, None)]
    assert [hit.cosine for hit in ranked] == pytest.approx([0.8, 0.0])


# Repeats


REPEATED = [replace(BOTH, part=part) for part in range(12)]


def test_of_passages_that_a_text_repeats_only_the_first_is_a_hit() -> None:
    assert labels([*REPEATED, WORD], ASKED, Options()) == ["both#0", "word#0"]
    assert len(labels([*REPEATED, WORD], ASKED, Options(policy=REPEATING))) == 10


@pytest.mark.parametrize("other", [replace(BOTH, source="copy"), replace(BOTH, version="2")])
def test_the_same_passage_of_another_source_or_version_is_a_hit_of_its_own(other: Text) -> None:
    assert len(labels([BOTH, other], ASKED, Options())) == 2


def test_repeats_change_no_statistics() -> None:
    alone = [replace(hit, row=0) for _, hit in found([BOTH, WORD], ASKED, Options())]
    among = [replace(hit, row=0) for _, hit in found([*REPEATED, WORD], ASKED, Options())]
    assert among == alone


# Required terms


def test_required_terms_bring_their_hits_to_the_front() -> None:
    options = Options(Mode.DENSE, required_terms=("for",))
    assert labels(TEXTS, ASKED, options)[0] == "word#0"


def test_required_terms_are_looked_for_in_the_title() -> None:
    texts = [NEAR, Text("word", "words", (0.0, 1.0), title="Parking")]
    options = Options(Mode.DENSE, required_terms=("parking",))
    assert labels(texts, ASKED, options) == ["word#0", "near#0"]


def test_texts_are_read_only_for_required_terms() -> None:
    def unread(rows: Any) -> Any:
        raise AssertionError("a text was read")

    index, asked = handmade.snapshot(*TEXTS), Question("permit", np.array([1.0, 0.0]), ("en",))
    assert retrieve(index, [1, 2, 3], asked, Options(), unread)
    with pytest.raises(AssertionError, match="a text was read"):
        retrieve(index, [1, 2, 3], asked, Options(required_terms=("permit",)), unread)
