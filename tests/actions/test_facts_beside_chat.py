"""Product facts where a chat model proposes: found by code, whatever the model says."""

from pathlib import Path
from typing import Any

import pytest

from rag.core.answers import NO_EXCERPTS
from rag.core.chat import AnswerMode, Budget
from rag.core.errors import ProviderError
from rag.models import Answer, FactCitation
from tests import chatting, factories

MANUAL = "The GX-100 is carried on a strap and has a weight of 1.2 kg without it."
VALVE = "The valve QX-4471 closes at a weight of sixteen kilograms on its plate."
LINE = "[gx] GX-100 weight: 1.2 kg"
QUESTION = "What is the weight of the GX-100?"


@pytest.fixture(autouse=True)
def sources(db: None, tmp_path: Path) -> None:
    factories.import_facts(tmp_path, "gx", '[products.GX-100]\nweight = "1.2 kg"')
    factories.import_facts(tmp_path, "hr", '[products.QX-900]\nweight = "9 kg"', scope="hr")
    factories.import_text(tmp_path, "manual", MANUAL)
    factories.import_text(tmp_path, "valve", VALVE)
    factories.rebuild()


def ask(
    question: str, *replies: Any, mode: AnswerMode = AnswerMode.BASELINE, **more: Any
) -> Answer:
    model = chatting.model_for(mode, *replies) if replies else None
    return factories.ask(question, using=chatting.parts(model, mode, **more)).answer


@pytest.mark.parametrize("mode", chatting.CHAT_MODES)
def test_facts_stand_before_what_the_model_quotes(mode: AnswerMode) -> None:
    answer = ask(QUESTION, chatting.quotes(("S1", MANUAL)), mode=mode)
    assert answer.text == f"{LINE}\n[manual#0] {MANUAL}"


@pytest.mark.parametrize("mode", chatting.CHAT_MODES)
@pytest.mark.parametrize("reply", ["The weight is 9.9 kg.", chatting.quotes(("S1", "x" * 30))])
def test_nothing_that_a_model_says_changes_a_fact(mode: AnswerMode, reply: str) -> None:
    assert ask(QUESTION, reply, mode=mode).text == LINE


@pytest.mark.parametrize("mode", chatting.CHAT_MODES)
@pytest.mark.parametrize("code", ["QX-900", "ZX-901"])
def test_unknown_and_forbidden_codes_connect_to_no_model(mode: AnswerMode, code: str) -> None:
    answer = ask(f"What is the weight of the GX-100 and of the {code}?", mode=mode)
    assert (answer.text, answer.chat_calls, answer.facts.count()) == (NO_EXCERPTS, 0, 0)


def test_a_code_that_a_fact_answers_need_not_stand_in_an_excerpt_that_fits() -> None:
    reply = chatting.quotes(("S2", VALVE))
    answer = ask("What is the weight of the GX-100, and of QX-4471?", reply)
    assert answer.text == f"{LINE}\n[valve#0] {VALVE}"


def test_without_room_for_an_excerpt_a_fact_stands_alone() -> None:
    none = Budget(characters=1)
    assert ask(QUESTION, budget=none).text == LINE
    both = ask("What is the weight of the GX-100, and of QX-4471?", budget=none)
    assert (both.reason_code, both.facts.count()) == ("context_budget_exceeded", 0)


def test_a_provider_that_fails_is_an_error_and_no_fact_takes_its_place() -> None:
    with pytest.raises(ProviderError):
        ask(QUESTION, ProviderError("fake", "chat", "it is down"))
    assert Answer.objects.get().status == "refused"
    assert not FactCitation.objects.exists()
