"""A chat model on the way of a question: when it is asked, what it sees, what stays on record."""

from pathlib import Path
from typing import Any, Final

import pytest
from django.db import connection

from rag.actions import asking
from rag.actions.calibrating import decided, opened
from rag.actions.checking import check
from rag.actions.governing import withdraw
from rag.core.answerability import Gate
from rag.core.answers import INVALID, UNSUPPORTED
from rag.core.cases import case_of
from rag.core.chat import AnswerMode, Budget
from rag.core.errors import InvalidOption, ProviderError
from rag.core.retrieval import Options
from rag.models import Answer, Citation, Manifest
from tests import chatting, factories, fakes
from tests.chatting import CHAT_MODES, FakeChat, Turn, quotes

pytestmark = pytest.mark.django_db
RULE: Final = "Meals on business trips are reimbursed up to EUR 52 per day."
GOOD: Final = quotes(("S1", RULE))
DOWN: Final = ProviderError("fake", "chat", f"HTTP 500 (too long: {RULE})")
PASSING: Final = Gate("passing", (("first", 1.0), ("sentence", 1.0)), bias=1e3)
BEFORE: Final = Gate("before", (("first", 1.0),), bias=-1e3)
AFTER: Final = Gate("after", (("first", 1.0), ("sentence", 1.0)), bias=-1e3)


@pytest.fixture(autouse=True)
def index(tmp_path: Path) -> None:
    factories.import_text(tmp_path, "meals", RULE)
    factories.rebuild()


@pytest.mark.parametrize(
    ("mode", "retrieval", "chat"), [("baseline", 0, 1), ("tool", 1, 2), ("provider", 1, 1)]
)
def test_mode_model_prompt_and_counters_stay_on_record(
    mode: str, retrieval: int, chat: int
) -> None:
    model = chatting.model_for(AnswerMode(mode), GOOD)
    asked = factories.ask("meals", using=chatting.parts(model, AnswerMode(mode)))
    answer = Answer.objects.get(pk=asked.answer.pk)
    assert (answer.status, answer.text) == ("accepted", f"[meals#0] {RULE}")
    assert answer.proposer == f"{mode}/fake:chatty/quotes-v2"
    assert (answer.retrieval_calls, answer.chat_calls) == (retrieval, chat)


def test_an_extractive_answer_asks_no_model() -> None:
    asked = factories.ask("meals", using=chatting.parts(None, AnswerMode.EXTRACTIVE))
    assert (asked.answer.retrieval_calls, asked.answer.chat_calls) == (0, 0)
    assert asked.answer.proposer == "fake"


@pytest.mark.parametrize("gate", [BEFORE, AFTER], ids=lambda gate: gate.name)
def test_what_the_answer_gate_refuses_connects_to_no_model(gate: Gate) -> None:
    using = chatting.parts(None)
    using.gate, using.proposer = gate, fakes.quoting(("S1", RULE))
    assert factories.ask("meals", using=using).answer.text == UNSUPPORTED


def test_a_gate_that_weighs_sentences_weighs_those_of_code() -> None:
    using = chatting.parts(FakeChat([GOOD]))
    using.gate, using.proposer = PASSING, factories.parts().proposer
    decision = asking.decide(
        RULE, factories.access("public"), factories.EVERYTHING, Options(), using
    )
    assert decision.verdict.accepted
    assert decision.support is not None and decision.support.sentence is not None


def test_what_does_not_fit_the_context_connects_to_no_model() -> None:
    using = chatting.parts(None, budget=Budget(characters=50))
    answer = factories.ask("meals", using=using).answer
    assert (answer.status, answer.reason_code) == ("refused", "context_budget_exceeded")
    assert "context_budget_exceeded" in answer.text
    assert answer.chat_calls == 0


def test_an_excerpt_that_did_not_fit_cannot_be_quoted(tmp_path: Path) -> None:
    long = "Meals on business trips are paid. " + "Receipts are kept for meals. " * 20
    factories.import_text(tmp_path, "long", long)
    factories.rebuild()
    both = quotes(("S1", RULE)), quotes(("S2", RULE))
    using = chatting.parts(FakeChat(both), budget=Budget(characters=300))
    assert factories.ask("meals on business trips", using=using).answer.text == f"[meals#0] {RULE}"


# A provider that fails


@pytest.mark.parametrize("mode", CHAT_MODES)
def test_a_failure_keeps_the_question_on_record_and_is_raised(mode: AnswerMode) -> None:
    with pytest.raises(ProviderError, match=r"^fake: chat failed: HTTP 500"):
        factories.ask("meals", using=chatting.parts(chatting.model_for(mode, DOWN), mode))
    answer = Answer.objects.get()
    assert (answer.question, answer.status, answer.reason_code) == ("meals", "refused", "provider")
    assert answer.reason == answer.text == "No answer: fake failed (chat)."
    assert answer.chat_calls == (2 if mode is AnswerMode.TOOL else 1)
    assert answer.hits and not Citation.objects.exists()


def test_a_failure_of_the_correction_publishes_nothing_of_the_first_reply() -> None:
    model = FakeChat([quotes(("S1", RULE), ("S9", RULE)), DOWN])
    with pytest.raises(ProviderError):
        factories.ask("meals", using=chatting.parts(model))
    assert (Answer.objects.get().chat_calls, Citation.objects.exists()) == (2, False)


def test_a_failure_ends_an_evaluation() -> None:
    using = chatting.parts(FakeChat([DOWN]))
    with pytest.raises(ProviderError):
        asking.decide("meals", factories.access("public"), factories.EVERYTHING, Options(), using)
    assert not Answer.objects.exists()


# Who may choose


def test_a_request_chooses_among_the_allowed_modes() -> None:
    answering = chatting.answering(None, AnswerMode.BASELINE, AnswerMode.EXTRACTIVE)
    using: Any = fakes.FakeParts(answering=answering, proposer=fakes.quoting(("S1", RULE)))
    who = (factories.access("public"), factories.EVERYTHING, Options(), using)
    assert asking.ask("meals", *who, AnswerMode.EXTRACTIVE).verdict.accepted
    with pytest.raises(InvalidOption, match="this site allows baseline, extractive"):
        asking.ask("meals", *who, AnswerMode.TOOL)
    assert Answer.objects.count() == 1


def test_another_chat_model_asks_for_no_rebuild() -> None:
    before = Manifest.objects.get().content
    using = chatting.parts(None, AnswerMode.TOOL, budget=Budget(characters=5))
    assert check(using) == []
    assert factories.rebuild(using).embedded == 0
    assert Manifest.objects.get().content == before


def test_a_gate_is_fitted_to_extractive_answers() -> None:
    case = case_of({"case_id": "a", "question": "meals", "scopes": ["public"], "answerable": True})
    parts = opened(factories.parts())
    assert parts.answering.mode is AnswerMode.EXTRACTIVE
    assert decided(case, parts).calls.chat == 0


# What the model sees


@pytest.mark.parametrize("mode", CHAT_MODES)
def test_one_search_and_no_history_of_earlier_questions(mode: AnswerMode) -> None:
    embedder, model = fakes.FakeEmbedder(), chatting.model_for(mode, GOOD)
    using = fakes.FakeParts(embedder=embedder, answering=chatting.answering(model, mode))
    factories.ask("meals and zebras", using=using)
    model.turns.clear()
    factories.ask("meals and lions", using=using)
    asked = [question for question in embedder.questions if "lions" in question]
    assert asked == ["meals and lions"]
    assert all("zebras" not in turn.text for turn in model.turns)
    assert sum(turn.text.count(RULE) for turn in model.turns) == 1


def test_hidden_documents_change_nothing_that_a_model_sees(tmp_path: Path) -> None:
    seen = []
    for name in ("first", "second"):
        model = FakeChat([GOOD])
        factories.ask("meals", using=chatting.parts(model))
        seen.append(model.turns)
        factories.import_text(tmp_path, name, "Meals of the board: meals!", scope="hr")
        factories.rebuild()
    assert seen[0] == seen[1]


def test_no_transaction_is_open_while_a_model_thinks() -> None:
    depths, outside = [], len(connection.savepoint_ids)

    def thinking(turn: Turn) -> str:
        depths.append(len(connection.savepoint_ids))
        return GOOD

    factories.ask("meals", using=chatting.parts(FakeChat([thinking])))
    assert depths == [outside]


def test_a_source_withdrawn_while_a_model_thinks_is_not_cited() -> None:
    def thinking(turn: Turn) -> str:
        withdraw("meals", actor="op", reason="wrong")
        return GOOD

    asked = factories.ask("meals", using=chatting.parts(FakeChat([thinking])))
    assert asked.answer.text == INVALID
