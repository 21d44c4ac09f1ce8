"""Chat models that say what they are told, and parts of a site that ask one."""

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rag.actions import waiting
from rag.core.answers import Supplied, Verdict, gate
from rag.core.chat import (
    EXTRACTIVE_ALONE,
    Answering,
    AnswerMode,
    Budget,
    Calls,
    Chat,
    ChatClient,
    ChatProfile,
    Message,
    Reply,
    Tool,
)
from rag.core.dialogue import converse
from rag.core.prompts import RETRIEVE
from tests import fakes

PROFILE = ChatProfile("fake", "http://127.0.0.1:9", "chatty")
CALL = Reply("", (RETRIEVE.name,))
CHAT_MODES = (AnswerMode.BASELINE, AnswerMode.TOOL, AnswerMode.PROVIDER)


@dataclass(frozen=True)
class Turn:
    """What a model was sent."""

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None
    tools: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(message.content for message in self.messages)


Said = str | Reply | Exception | Callable[[Turn], str]


@dataclass
class FakeChat:
    """Says its replies in order, the last one again and again, and remembers what it was sent."""

    replies: Sequence[Said]
    turns: list[Turn] = field(default_factory=list)

    def give_up(self) -> None:
        """Nothing: its replies come at once."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Reply:
        turn = Turn(tuple(messages), schema, tuple(tool.name for tool in tools))
        self.turns.append(turn)
        said = self.replies[min(len(self.turns), len(self.replies)) - 1]
        if isinstance(said, Exception):
            raise said
        if isinstance(said, Reply):
            return said
        return Reply(said if isinstance(said, str) else said(turn))


def quotes(*pairs: tuple[str, str], can_answer: bool = True) -> str:
    """A reply of the form that is asked for."""
    listed = [{"alias": alias, "quote": quote} for alias, quote in pairs]
    return json.dumps({"can_answer": can_answer, "quotes": listed}, ensure_ascii=False)


def model_for(mode: AnswerMode, *replies: Said) -> FakeChat:
    """A model that in tool mode calls the tool first."""
    return FakeChat([CALL, *replies] if mode is AnswerMode.TOOL else replies)


def talk(
    mode: AnswerMode, supplied: Sequence[Supplied], *replies: Said, question: str = "Meals?"
) -> tuple[Verdict, Calls, FakeChat]:
    """What the gate makes of these replies to a question, the model, and the counters."""
    model = model_for(mode, *replies)
    return *talk_to(model, mode, supplied, question), model


def talk_to(
    model: FakeChat, mode: AnswerMode, supplied: Sequence[Supplied], question: str = "Meals?"
) -> tuple[Verdict, Calls]:
    """What the gate makes of a model's proposal, and the counters."""
    calls = Calls()
    proposal = converse(mode, question, supplied, model, calls)
    return gate(proposal, supplied, lambda excerpt: True), calls


def answering(
    model: ChatClient | None,
    mode: AnswerMode = AnswerMode.BASELINE,
    *allowed: AnswerMode,
    budget: Budget | None = None,
) -> Answering:
    """The site's answering by this model; without one, to connect is a mistake."""

    def connect() -> ChatClient:
        assert model is not None, "somebody connected to the chat model"
        return model

    profile = replace(PROFILE, budget=budget or PROFILE.budget)
    return replace(
        EXTRACTIVE_ALONE, mode=mode, allowed=frozenset(allowed), chat=Chat(profile, connect)
    )


def parts(model: ChatClient | None, mode: AnswerMode = AnswerMode.BASELINE, **more: Any) -> Any:
    """Parts of a site (``FakeParts``) whose answers this model proposes."""
    return fakes.FakeParts(answering=answering(model, mode, **more))


def ended() -> None:
    """Wait until no thread of the site asks a model or waits for one any more."""
    for thread in threading.enumerate():
        if thread.name in ("chat", "answer"):
            thread.join(30)
            assert not thread.is_alive()
    assert waiting.places.taken == 0
