"""The answer modes and the chat model that the settings name. Building them contacts nobody."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from django.conf import settings

from rag.actions.embedders import key_of
from rag.adapters.chat import OllamaChat, OpenAIChat, Poster, WithinDeadline
from rag.adapters.http import JsonClient
from rag.adapters.ollama import ENDPOINT
from rag.core.chat import (
    DEFAULT_MODEL,
    Answering,
    AnswerMode,
    Budget,
    Chat,
    ChatClient,
    ChatProfile,
    JsonMode,
)
from rag.core.errors import InvalidOption, Misconfigured

_STYLES: Final[Mapping[str, Callable[[ChatProfile, Poster], ChatClient]]] = MappingProxyType(
    {"ollama": OllamaChat, "openai": OpenAIChat}
)
_MOST_BYTES: Final = 2 * 2**20  # a reply of 1,024 tokens is some kilobytes


def configured_answering() -> Answering:
    """Who may propose on this site. Changing any of it never touches the index."""
    profile = chat_profile()
    return Answering(
        AnswerMode(settings.EVIDENCE_ANSWER_MODE),
        frozenset(map(AnswerMode, settings.EVIDENCE_ANSWER_MODES)),
        Chat(profile, lambda: connect(profile)),
    )


def chat_profile() -> ChatProfile:
    """The chat model of the settings, without its key; Ollama's on this machine if none is set."""
    own = settings.EVIDENCE_CHAT_PROVIDER == "ollama"
    return ChatProfile(
        provider=settings.EVIDENCE_CHAT_PROVIDER,
        endpoint=settings.EVIDENCE_CHAT_ENDPOINT or (ENDPOINT if own else ""),
        model=settings.EVIDENCE_CHAT_MODEL or (DEFAULT_MODEL if own else ""),
        json_mode=JsonMode(settings.EVIDENCE_CHAT_JSON),
        budget=Budget(
            settings.EVIDENCE_CHAT_CHARACTERS,
            settings.EVIDENCE_CHAT_CONTEXT,
            settings.EVIDENCE_CHAT_OUTPUT,
        ),
        deadline=settings.EVIDENCE_CHAT_DEADLINE,
    )


def connect(profile: ChatProfile) -> ChatClient:
    """A client for one question; made when it is put to the model, never before.

    Raises Misconfigured, naming what is wrong.
    """
    try:
        for name in ("endpoint", "model"):
            if not getattr(profile, name):
                raise InvalidOption(name, "", f"set EVIDENCE_CHAT_{name.upper()}")
        key = key_of(settings.EVIDENCE_CHAT_KEY, settings.EVIDENCE_CHAT_KEY_FILE)
        http = WithinDeadline(_client(profile, key), profile.deadline)
    except InvalidOption as error:
        raise Misconfigured(profile.name, str(error)) from None
    return _STYLES[profile.provider](profile, http)


def _client(profile: ChatProfile, key: str) -> JsonClient:
    return JsonClient(
        profile.provider,
        profile.endpoint,
        key=key,
        deadline=profile.deadline,
        most_bytes=_MOST_BYTES,
        allowed_hosts=settings.EVIDENCE_MODEL_HOSTS,
    )


def in_mode(answering: Answering, mode: AnswerMode | None) -> Answering:
    """With another of the allowed modes as the site's own: for an evaluation."""
    return replace(answering, mode=answering.chosen(mode))
