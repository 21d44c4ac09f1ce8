"""Chat models over HTTP: Ollama's ``/api/chat`` and the OpenAI style's ``/v1/chat/completions``.

A request says all that decides the reply: context size, length, temperature 0 and a seed. What
comes back is read strictly; another shape is a ProviderError that quotes nothing of it.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

from rag.adapters.http import JsonClient
from rag.core.chat import SEED, ChatProfile, JsonMode, Message, Reply, Tool
from rag.core.errors import ProviderError

OPERATION: Final = "chat"
# A conversation has one call, and it is written here. Templates of Mistral want nine letters or
# digits for its id.
_CALL_ID: Final = "retrieve1"


class Poster(Protocol):
    """What is needed of an HTTP client: ``rag.adapters.http.JsonClient`` is one."""

    def post(self, path: str, body: Mapping[str, object], operation: str) -> object:
        """The JSON that the server answers with. Raises ProviderError."""

    def give_up(self) -> None:
        """End what is under way in another thread, and all that would follow."""


class WithinDeadline:
    """The requests of one question, which share its seconds from the first one on."""

    def __init__(self, client: JsonClient, seconds: float) -> None:
        self._client = client
        self._seconds = seconds
        self._ends: float | None = None

    def post(self, path: str, body: Mapping[str, object], operation: str) -> object:
        """The JSON that the server answers with in the time that is left. Raises ProviderError."""
        now = time.monotonic()
        self._ends = self._ends or now + self._seconds
        if now >= self._ends:
            over = f"no complete answer within {self._seconds:g} s"
            raise ProviderError(self._client.provider, operation, over)
        self._client.deadline = self._ends - now
        return self._client.post(path, body, operation)

    def give_up(self) -> None:
        """End what is under way in another thread, and all that would follow."""
        self._client.give_up()


class OllamaChat:
    """A model of an Ollama server."""

    def __init__(self, profile: ChatProfile, http: Poster) -> None:
        self.profile = profile
        self.http = http

    def give_up(self) -> None:
        """End what the model is asked, from another thread."""
        self.http.give_up()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Reply:
        """The model's next turn. Raises ProviderError."""
        budget = self.profile.budget
        body: dict[str, Any] = {
            "model": self.profile.model,
            "messages": [_ollama_message(message) for message in messages],
            "stream": False,
            "think": False,  # what it would think counts against the reply's length
            "options": {
                "num_ctx": budget.context_tokens,
                "num_predict": budget.output_tokens,
                "temperature": 0,
                "seed": SEED,
            },
        }
        if schema is not None:
            body["format"] = schema
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
        answer = self.http.post("/api/chat", body, OPERATION)
        return _reply(_entry(answer, "message"), self.profile.provider)


class OpenAIChat:
    """A model of a server that speaks OpenAI's chat completions."""

    def __init__(self, profile: ChatProfile, http: Poster) -> None:
        self.profile = profile
        self.http = http

    def give_up(self) -> None:
        """End what the model is asked, from another thread."""
        self.http.give_up()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        schema: Mapping[str, Any] | None = None,
        tools: Sequence[Tool] = (),
    ) -> Reply:
        """The model's next turn. Raises ProviderError."""
        body: dict[str, Any] = {
            "model": self.profile.model,
            "messages": [_openai_message(message) for message in messages],
            "stream": False,
            "max_tokens": self.profile.budget.output_tokens,
            "temperature": 0,
            "seed": SEED,
        }
        if schema is not None:
            body["response_format"] = response_format(self.profile.json_mode, schema)
        if tools:
            body["tools"] = [_tool(tool) for tool in tools]
        answer = self.http.post("/v1/chat/completions", body, OPERATION)
        choices = _entry(answer, "choices")
        first = choices[0] if isinstance(choices, list) and choices else None
        return _reply(_entry(first, "message"), self.profile.provider)


def response_format(mode: JsonMode, schema: Mapping[str, Any]) -> dict[str, Any]:
    """How the reply is bound to JSON, in the way that the server understands."""
    if mode is JsonMode.OBJECT:
        return {"type": "json_object"}
    if mode is JsonMode.OBJECT_SCHEMA:
        return {"type": "json_object", "schema": schema}
    named = {"name": "quotations", "strict": True, "schema": schema}
    return {"type": "json_schema", "json_schema": named}


def _ollama_message(message: Message) -> dict[str, Any]:
    entry: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool and message.role == "assistant":
        entry["tool_calls"] = [{"function": {"name": message.tool, "arguments": {}}}]
    elif message.tool:
        entry["tool_name"] = message.tool
    return entry


def _openai_message(message: Message) -> dict[str, Any]:
    entry: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool and message.role == "assistant":
        function = {"name": message.tool, "arguments": "{}"}
        entry["tool_calls"] = [{"id": _CALL_ID, "type": "function", "function": function}]
    elif message.tool:
        entry["tool_call_id"] = _CALL_ID
    return entry


def _tool(tool: Tool) -> dict[str, Any]:
    parameters = {"type": "object", "properties": {}}
    function = {"name": tool.name, "description": tool.description, "parameters": parameters}
    return {"type": "function", "function": function}


def _entry(answer: object, key: str) -> object:
    """A value of a JSON object; None where it is missing or the answer is no object."""
    return answer.get(key) if isinstance(answer, dict) else None


def _reply(message: object, provider: str) -> Reply:
    """The turn in a message of either style. Content may be null beside calls or a refusal."""
    content, calls = _entry(message, "content"), _entry(message, "tool_calls")
    if not isinstance(message, dict) or not isinstance(content, str | None):
        raise ProviderError(provider, OPERATION, "the answer holds no message")
    if not isinstance(calls, list | None):
        raise ProviderError(provider, OPERATION, "the tool calls are no list")
    names = (_entry(_entry(call, "function"), "name") for call in calls or ())
    return Reply(content or "", tuple(name for name in names if isinstance(name, str)))
