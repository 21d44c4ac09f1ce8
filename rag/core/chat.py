"""What a chat model is to this site: messages in, one reply out, and no memory between questions.

A model proposes quotations and nothing else; what it says is read in ``replies`` and judged by
the gate in ``answers``.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, Literal, Protocol

from rag.core.errors import InvalidOption

DEFAULT_MODEL: Final = "granite4:3b"
SEED: Final = 42  # beside temperature 0; not 0, which some servers take for "any"


class AnswerMode(StrEnum):
    """Who proposes: code alone, or a chat model that gets the excerpts in one of three ways."""

    EXTRACTIVE = "extractive"
    BASELINE = "baseline"
    TOOL = "tool"
    PROVIDER = "provider"


class JsonMode(StrEnum):
    """How a server of the OpenAI style is told to answer in JSON."""

    SCHEMA = "json_schema"
    OBJECT = "json_object"
    OBJECT_SCHEMA = "json_object_schema"  # json_object with the schema beside it


@dataclass(frozen=True)
class Tool:
    """A tool that a model may call. It takes no arguments: what a model passes is not read."""

    name: str
    description: str


@dataclass(frozen=True)
class Message:
    """One turn. ``tool`` names the tool that an assistant's turn calls or a tool's turn answers."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool: str = ""


@dataclass(frozen=True)
class Reply:
    """What a model said, and the names of the tools that it calls."""

    text: str
    calls: tuple[str, ...] = ()


class ChatClient(Protocol):
    """A connection to one chat model."""

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Reply:
        """The model's next turn, by the JSON schema where one is given. Raises ProviderError."""

    def give_up(self) -> None:
        """End what it is asked in another thread, soon, and all that would follow."""


@dataclass(frozen=True)
class Budget:
    """What a conversation may take: characters of excerpts, tokens in all, tokens of a reply."""

    characters: int = 10_000
    context_tokens: int = 8_192
    output_tokens: int = 1_024

    def __post_init__(self) -> None:
        if self.output_tokens >= self.context_tokens:
            hint = "it must be less than the context"
            raise InvalidOption("output tokens", self.output_tokens, hint)


@dataclass(frozen=True)
class ChatProfile:
    """Which model is asked, where and how. ``deadline`` in seconds; the key is kept elsewhere."""

    provider: str
    endpoint: str
    model: str = DEFAULT_MODEL
    json_mode: JsonMode = JsonMode.SCHEMA
    budget: Budget = Budget()
    deadline: float = 300.0

    @property
    def name(self) -> str:
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True)
class Chat:
    """A chat model that may propose. ``connect`` is called when one is asked, never before."""

    profile: ChatProfile
    connect: Callable[[], ChatClient]


@dataclass(frozen=True)
class Answering:
    """The site's answer mode, those that a request may choose, and the model for the chat modes."""

    mode: AnswerMode = AnswerMode.EXTRACTIVE
    allowed: frozenset[AnswerMode] = frozenset()
    chat: Chat | None = None

    @property
    def model(self) -> Chat:
        """The chat model. Raises InvalidOption where none is set."""
        if self.chat is None:
            raise InvalidOption("chat model", "", "none is set for the answer modes that ask one")
        return self.chat

    @property
    def choices(self) -> tuple[AnswerMode, ...]:
        """The site's own mode, then the others that a request may choose."""
        return (self.mode, *(each for each in AnswerMode if each in self.allowed - {self.mode}))

    def chosen(self, wanted: AnswerMode | None) -> AnswerMode:
        """The mode that applies to a request. Raises InvalidOption if it may not be chosen."""
        if wanted is None or wanted == self.mode:
            return self.mode
        if wanted not in self.allowed:
            names = ", ".join(sorted({*self.allowed, self.mode}))
            raise InvalidOption("answer mode", wanted.value, f"this site allows {names}")
        return wanted


EXTRACTIVE_ALONE: Final = Answering()


@dataclass
class Calls:
    """Counts what was asked for one question, also where it then failed.

    ``retrieval``: how often the excerpts were fetched for the model, by its own call of the tool
    or by the provider before it was asked. ``chat``: requests to the model.
    """

    retrieval: int = 0
    chat: int = 0
