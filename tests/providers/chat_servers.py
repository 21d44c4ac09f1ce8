"""A site whose answers a chat model behind an endpoint proposes."""

from typing import Any, Final

from pytest_django import Settings

from rag.core.prompts import RETRIEVE
from tests.chatting import quotes
from tests.fault_server import FaultServer, Script, json_answer
from tests.providers.faults import KEY

RULE: Final = "Meals on business trips are reimbursed up to EUR 52 per day."
GOOD: Final = quotes(("S1", RULE))
ASK: Final = ("ask", "Which meals are reimbursed?", "--scopes", "public")
PATHS: Final = {"ollama": "/api/chat", "openai": "/v1/chat/completions"}
CALL: Final[dict[str, Any]] = {"function": {"name": RETRIEVE.name, "arguments": {}}}


def configure(settings: Settings, server: FaultServer) -> None:
    """Baseline mode by a model of this server, which asks for a key."""
    settings.EVIDENCE_PROFILE = "hashing"
    settings.EVIDENCE_ANSWER_MODE = "baseline"
    settings.EVIDENCE_CHAT_ENDPOINT = server.address
    settings.EVIDENCE_CHAT_MODEL = "chatty:1b"
    settings.EVIDENCE_CHAT_KEY = KEY
    settings.EVIDENCE_CHAT_DEADLINE = 5


def says(style: str, content: object = GOOD, **message: object) -> Script:
    """A whole answer of this style of server."""
    turn = {"role": "assistant", "content": content, **message}
    choices = {"choices": [{"index": 0, "message": turn, "finish_reason": "stop"}]}
    return json_answer({"message": turn, "done": True} if style == "ollama" else choices)
