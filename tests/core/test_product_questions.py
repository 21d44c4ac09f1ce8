"""Which product facts a question names: codes whole, names in full, hidden ones never."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.facts import Fact, StatedFact
from rag.core.product_questions import asks_no_more, contradicts, facts_asked, products_named

FACTS = {
    "GX-100": {"weight": "1.2 kg", "battery_life": "14 hours", "operating temperature": "45 °C"},
    "GX-100-A": {"weight": "1.3 kg"},
    "GX-100+": {"weight": "1.4 kg"},
    "Pump": {"weight": "7 kg", "pressure_bar": "16", "pressure_psi": "232"},
    "Pump Pro": {"weight": "9 kg", "noise (dB)": "41"},
}


def stated(products: dict[str, dict[str, str]] = FACTS, source: str = "s") -> list[StatedFact]:
    return [
        StatedFact(Fact(product, name, value), 1, source, "en")
        for product, values in products.items()
        for name, value in values.items()
    ]


def named(question: str) -> list[tuple[str, str]]:
    return [(each.fact.product, each.fact.value) for each in facts_asked(question, stated())]


@pytest.mark.parametrize(
    ("question", "facts"),
    [
        ("What is the weight of the GX-100?", [("GX-100", "1.2 kg")]),
        ("WEIGHT of ｇｘ-100", [("GX-100", "1.2 kg")]),
        ("gx-100's weights", [("GX-100", "1.2 kg")]),
        ("weight of the GX-100-A", [("GX-100-A", "1.3 kg")]),
        ("weight of the GX-100+", [("GX-100+", "1.4 kg")]),
        ("GX-100の weight", [("GX-100", "1.2 kg")]),
        ("weight of the Pump Pro", [("Pump Pro", "9 kg")]),
        ("weight of the pump", [("Pump", "7 kg")]),
        ("Weight of GX-100 and Pump?", [("GX-100", "1.2 kg"), ("Pump", "7 kg")]),
        ("How long is the battery life of the GX-100?", [("GX-100", "14 hours")]),
        ("battery_life GX-100", [("GX-100", "14 hours")]),
        ("What pressure can the pump take?", [("Pump", "16"), ("Pump", "232")]),
        ("What pressure in bar can the pump take?", [("Pump", "16")]),
        ("How much noise does the Pump Pro make?", [("Pump Pro", "41")]),
    ],
)
def test_a_question_names_code_and_fact(question: str, facts: list[tuple[str, str]]) -> None:
    assert named(question) == facts


@pytest.mark.parametrize(
    "question",
    [
        "What is the weight?",  # no product
        "How often must the GX-100 be calibrated?",  # no fact
        "What is the temperature of the GX-100?",  # half a name
        "What is the weight of the GX-1000?",
        "What is the weight of the GX100?",
        "What is the weight of the AGX-100?",
        "What is the weight of the QX-4471?",  # a code, but no product's
        "?",
    ],
)
def test_what_is_not_named_in_full_is_not_asked(question: str) -> None:
    assert named(question) == []


def test_at_most_three_are_given_those_with_the_longest_names_first() -> None:
    many = {"P1": {"a load": "1", "load": "2", "load limit": "3", "limit": "4"}}
    asked = facts_asked("load limit of P1", stated(many))
    assert [each.fact.value for each in asked] == ["3", "1", "4"]


def test_names_of_the_product_alone_name_no_fact() -> None:
    assert facts_asked("the Weight 3", stated({"Weight 3": {"weight": "1"}})) == ()


def test_codes_are_found_among_the_products_given_alone() -> None:
    assert products_named("GX-100-A or Pump Pro", ["Pump", "GX-100"]) == {"Pump"}


def test_the_same_fact_with_another_value_contradicts() -> None:
    fact = Fact("GX-100", "battery_life", "14 hours")
    assert contradicts(fact, replace(fact, name="Battery life", value="15 hours"))
    assert not contradicts(fact, replace(fact, name="Battery life"))
    assert not contradicts(fact, replace(fact, product="GX-200", value="15 hours"))


# Whether a value is the whole answer


GADGET = {
    "en": {"GX-1": {"weight": "1.2 kg", "warranty": "24 months", "battery_life": "14 hours"}},
    "de": {"GX-1": {"Garantie": "24 Monate", "Gewicht_kg": "1,2"}},
    "fr": {"GX-1": {"garantie": "24 mois"}},
    "ja": {"GX-1": {"重量": "1.2 kg"}},
}


def whole(question: str, language: str) -> bool:
    facts = [replace(each, language=language) for each in stated(GADGET[language])]
    assert facts_asked(question, facts)
    return asks_no_more(question, facts)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "GX-1 warranty"),
        ("en", "What is the weight of the GX-1 in kg?"),
        ("en", "How long is the GX-1's battery life?"),
        ("en", "What warranty does the GX-1 come with, please?"),
        ("en", "Tell me the weight, warranty and battery life of the GX-1."),
        ("en", "Is the weight of the GX-1 1.2 kg?"),
        ("de", "Wie lange gilt die Garantie des GX-1?"),
        ("de", "Wie hoch ist das Gewicht des GX-1?"),
        ("fr", "Quelle est la garantie du GX-1 ?"),
        ("ja", "GX-1の重量は？"),
    ],
)
def test_a_question_for_the_value_is_answered_by_it(language: str, question: str) -> None:
    assert whole(question, language)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "How do I extend the warranty of the GX-1?"),
        ("en", "How is the weight of the GX-1?"),  # of what manner, not of what size
        ("en", "What does the warranty of the GX-1 cover?"),
        ("en", "Who pays for the warranty of the GX-1?"),
        ("en", "What weight can the GX-1 carry?"),
        ("en", "What is the weight of the GX-1 without its strap?"),
        ("en", "What is the weight of the GX-1 and of the XQ-77?"),
        ("en", "What was the battery life of the GX-1 in 2019?"),
        ("de", "Wie verlängere ich die Garantie des GX-1?"),
        ("de", "Was deckt die Garantie des GX-1 ab?"),
        ("fr", "Comment prolonger la garantie du GX-1 ?"),
    ],
)
def test_a_question_for_more_than_the_value_is_not(language: str, question: str) -> None:
    assert not whole(question, language)


def test_facts_beyond_the_three_that_are_given_are_no_more_than_values() -> None:
    names = ("weight", "length", "width", "height")
    four = stated({"P1": dict.fromkeys(names, "1")})
    assert len(facts_asked("P1 weight, length, width, height", four)) == 3
    assert asks_no_more("P1 weight, length, width, height", four)


def test_without_a_fact_nothing_is_the_whole_answer() -> None:
    assert not asks_no_more("What is the GX-100?", stated())


@settings(max_examples=25, deadline=None)
@given(st.permutations(stated()), st.text("GX-10 +Pumproweightbar_", max_size=30))
def test_the_order_of_the_facts_changes_nothing(facts: list[StatedFact], question: str) -> None:
    assert facts_asked(question, facts) == facts_asked(question, stated())
