"""The answer modes and the chat model that the settings name."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from django.conf import settings

from rag.adapters.chat import OllamaChat, OpenAIChat, Poster, WithinDeadline
from rag.adapters.endpoints import Endpoint
from rag.adapters.http import JsonClient
from rag.core.chat import Answering, AnswerMode, Budget, Chat, ChatClient, ChatProfile, JsonMode

_STYLES: Final[Mapping[str, Callable[[ChatProfile, Poster], ChatClient]]] = MappingProxyType(
    {"ollama": OllamaChat, "openai": OpenAIChat}
)
_MOST_BYTES: Final = 2 * 1024 * 1024  # a reply of 1,024 tokens is some kilobytes


def configured_answering() -> Answering:
    """Who may propose on this site. Changing any of it never touches the index.

    Raises InvalidOption for an address that may not be asked; nothing is asked yet.
    """
    mode = AnswerMode(settings.EVIDENCE_ANSWER_MODE)
    allowed = frozenset(map(AnswerMode, settings.EVIDENCE_ANSWER_MODES))
    if allowed | {mode} == {AnswerMode.EXTRACTIVE}:
        return Answering(mode, allowed)
    profile = chat_profile()
    Endpoint.of(profile.endpoint, settings.EVIDENCE_PROVIDER_HOSTS)
    return Answering(mode, allowed, Chat(profile, lambda: connect(profile)))


def chat_profile() -> ChatProfile:
    """The chat model of the settings; without its key."""
    return ChatProfile(
        provider=settings.EVIDENCE_CHAT_PROVIDER,
        endpoint=settings.EVIDENCE_CHAT_ENDPOINT,
        model=settings.EVIDENCE_CHAT_MODEL,
        json_mode=JsonMode(settings.EVIDENCE_CHAT_JSON),
        budget=Budget(
            settings.EVIDENCE_CHAT_CONTEXT_CHARACTERS,
            settings.EVIDENCE_CHAT_CONTEXT_TOKENS,
            settings.EVIDENCE_CHAT_OUTPUT_TOKENS,
        ),
        deadline=settings.EVIDENCE_CHAT_SECONDS,
    )


def connect(profile: ChatProfile) -> ChatClient:
    """A client for one question; made when it is put to the model, never before."""

    def client(seconds: float) -> JsonClient:
        return JsonClient(
            profile.provider,
            profile.endpoint,
            key=settings.EVIDENCE_CHAT_KEY,
            deadline=seconds,
            most_bytes=_MOST_BYTES,
            allowed_hosts=tuple(settings.EVIDENCE_PROVIDER_HOSTS),
        )

    http = WithinDeadline(profile.provider, profile.deadline, client)
    return _STYLES[profile.provider](profile, http)


def in_mode(answering: Answering, mode: AnswerMode | None) -> Answering:
    """With another of the allowed modes as the site's own: for an evaluation."""
    return replace(answering, mode=answering.chosen(mode))
