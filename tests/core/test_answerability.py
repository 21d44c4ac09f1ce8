"""Answer gates: what they weigh, and whom they let pass."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest

from rag.core.answerability import (
    FIGURES,
    GATES,
    OPEN,
    REFERENCE,
    Gate,
    Support,
    gate_of,
    logistic,
    named,
    support,
)
from rag.core.errors import GateMismatch, InvalidOption
from tests.handmade import hit

FOUND = Support(
    first=2.0, margin=1.5, nearness=1.0, cosine=0.7, cosine_margin=0.1, coverage=0.5,
    identifiers=1.0, sentence=3.0,
)  # fmt: skip
LINEAR = Gate("linear", (("first", 0.5), ("coverage", 2.0)), bias=-1.0, least=0.7)


def figures(question: str, *scored: tuple[str, float], **fields: Any) -> Support:
    hits = [(hit(text, **fields), relevance) for text, relevance in scored]
    return support(question, hits, ("en",))


def test_the_chance_is_the_logistic_value_of_the_weighed_sum() -> None:
    # −1 + 0.5 · 2 + 2 · 0.5 = 1, and 1 / (1 + 1/e) = 0.731
    assert LINEAR.chance(FOUND) == pytest.approx(math.e / (math.e + 1))
    assert LINEAR.passes(FOUND)
    assert not LINEAR.passes(replace(FOUND, coverage=0.4))  # 0.690


def test_the_threshold_itself_passes() -> None:
    even = Gate("even", (("first", 1.0),), bias=-2.0, least=0.5)
    assert even.chance(FOUND) == 0.5
    assert even.passes(FOUND)
    assert not even.passes(replace(FOUND, first=math.nextafter(2.0, 0.0)))


@pytest.mark.parametrize("figure", FIGURES)
def test_more_support_never_refuses(figure: str) -> None:
    gate = Gate("all", tuple((name, 0.3) for name in FIGURES))
    chances = [gate.chance(replace(FOUND, **{figure: value / 4})) for value in range(-40, 41)]
    assert chances == sorted(chances)
    assert chances[0] < chances[-1]


def test_the_order_of_the_weights_changes_no_bit() -> None:
    pairs = (("first", 0.1), ("margin", 1e16), ("cosine", -1.5e16), ("sentence", 0.3))
    turned = Gate("turned", tuple(reversed(pairs)), bias=1e-9)
    found = replace(FOUND, margin=1.5, cosine=1.0)
    assert Gate("straight", pairs, bias=1e-9).chance(found) == turned.chance(found)


def test_a_weighed_figure_that_is_missing_refuses() -> None:
    gate = Gate("near", (("cosine", 1.0),), bias=100.0)
    assert gate.passes(FOUND)
    assert gate.chance(replace(FOUND, cosine=None)) == 0.0


def test_without_weights_everything_passes() -> None:
    assert OPEN.passes(replace(FOUND, first=-11.0, coverage=0.0, sentence=None))


@pytest.mark.parametrize(("value", "chance"), [(0, 0.5), (-1e4, 0.0), (1e4, 1.0)])
def test_the_logistic_value_never_overflows(value: float, chance: float) -> None:
    assert logistic(value) == chance


@pytest.mark.parametrize("least", [-0.1, 1.1, math.nan])
def test_a_threshold_outside_its_range_is_refused(least: float) -> None:
    with pytest.raises(InvalidOption, match="gate least"):
        Gate("bad", least=least)


@pytest.mark.parametrize("pair", [("length", 1.0), ("first", math.nan), ("first", math.inf)])
def test_a_weight_of_nothing_known_is_refused(pair: tuple[str, float]) -> None:
    with pytest.raises(InvalidOption, match="gate weight"):
        Gate("bad", (pair,))


def test_the_figures_are_those_of_the_best_passages() -> None:
    found = figures("How long is annual leave?", ("Annual leave", 2.0), ("Sick days", 3.5))
    assert (found.first, found.margin, found.cosine, found.sentence) == (3.5, 1.5, None, None)
    near = support("leave", [(hit("a", cosine=0.2), 0.0), (hit("b", cosine=0.6), -1.0)], ("en",))
    assert near.cosine == 0.6
    assert near.cosine_margin == pytest.approx(0.4)


def test_one_excerpt_alone_has_no_margin() -> None:
    alone = figures("leave", ("leave", 2.0), cosine=0.5)
    assert (alone.margin, alone.cosine_margin) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("judged", "nearness"),
    [((3, 2, 1), 1.0), ((1, 3, 2), 2 / 3), ((1, 2, 3), 1 / 3), ((3, 3, 3), 1.0)],
)
def test_nearness_tells_how_many_lie_no_nearer_than_what_the_judge_likes_best(
    judged: tuple[float, ...], nearness: float
) -> None:
    scored = [(hit(f"{n}", cosine=0.9 - n / 10), float(r)) for n, r in enumerate(judged)]
    for order in (scored, scored[::-1]):  # whatever ranked them
        assert support("leave", order, ("en",)).nearness == pytest.approx(nearness)


def test_words_alone_leave_the_figures_of_the_embedder_out() -> None:
    found = figures("leave", ("leave", 2.0), ("pets", 1.0))
    assert (found.nearness, found.cosine, found.cosine_margin) == (None, None, None)


@pytest.mark.parametrize(
    ("texts", "coverage"),
    [
        (("Leave is carried over.",), 2 / 3),  # by its stem, and not "annual"
        (("Leave is long.", "Annual days carry."), 2 / 3),  # in one passage, not across them
        (("Nothing.",), 0.0),
        (("Annual leave carries over",), 1.0),
    ],
)
def test_coverage_is_the_share_of_content_words_in_one_passage(
    texts: tuple[str, ...], coverage: float
) -> None:
    found = figures("Is annual leave carried over?", *((text, 0.0) for text in texts))
    assert found.coverage == coverage


def test_the_context_of_a_passage_counts() -> None:
    assert figures("annual leave", ("Five days.", 0.0), context="Annual leave").coverage == 1.0


@pytest.mark.parametrize(
    ("question", "share"),
    [("Is GX-100 heavier than QX-900?", 0.5), ("Is GX-100 heavy?", 1.0), ("Is it heavy?", 1.0)],
)
def test_identifiers_count_in_one_passage(question: str, share: float) -> None:
    found = figures(question, ("The GX-100 weighs 2 kg.", 0.0), ("Nothing.", 0.0))
    assert found.identifiers == share


def test_a_question_of_stop_words_alone_has_a_coverage() -> None:
    assert figures("Who are you?", ("You are who you are.", 0.0)).coverage == 1.0


@pytest.mark.parametrize(
    ("cosine", "text", "kept"),
    [
        (0.59, "travel costs", False),
        (0.61, "nothing shared", False),
        (0.60, "Travel costs", True),
        (0.60, "travels", False),  # unstemmed
        (0.60, "for the", False),  # stop words
        (None, "travel costs", True),  # in lexical mode a cosine gate does not apply
    ],
)
def test_the_reference_wants_cosine_and_overlap(
    cosine: float | None, text: str, kept: bool
) -> None:
    found = hit(text, cosine=cosine)
    assert REFERENCE.admits("Who pays for the travel?", found, 0.6, ("en",)) is kept
    assert OPEN.admits("Who pays for the travel?", found, 0.6, ("en",))


def test_the_reference_counts_words_of_the_title_and_not_of_the_section() -> None:
    title, section = hit("Yes.", title="Travel"), hit("Yes.", context="Travel", section="Travel")
    assert REFERENCE.admits("travel", title, None, ("en",))
    assert not REFERENCE.admits("travel", section, None, ("en",))


def test_a_gate_fits_the_judge_that_it_was_fitted_to() -> None:
    gate = replace(LINEAR, judge="minilm-int8")
    gate.check_judge("minilm-int8@0123")
    with pytest.raises(GateMismatch, match="'minilm-int8', but 'lexical-coverage-v1'"):
        gate.check_judge("lexical-coverage-v1")
    OPEN.check_judge("anybody")


def test_a_kept_gate_is_read_as_it_was() -> None:
    gate = named(replace(LINEAR, judge="minilm"))
    assert gate.name.startswith("calibrated-")
    assert gate_of(json.loads(json.dumps(gate.to_dict()))) == gate


def test_a_gate_changed_by_hand_has_another_name() -> None:
    entry = named(LINEAR).to_dict()
    assert gate_of(entry | {"least": 0.71}).name != entry["name"]


@pytest.mark.parametrize(
    "change", [{"weights": [1]}, {"weights": {"first": "much"}}, {"bias": None}, {"least": "x"}]
)
def test_what_is_no_gate_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption, match="gate"):
        gate_of(named(LINEAR).to_dict() | change)
    with pytest.raises(InvalidOption, match="gate"):
        gate_of({})


def test_every_gate_is_known_by_its_name() -> None:
    assert all(gate.name == name for name, gate in GATES.items())
