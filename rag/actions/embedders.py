"""From settings to an embedder behind an endpoint. Building one contacts nobody."""

from dataclasses import replace
from pathlib import Path
from typing import Final

from django.conf import settings

from rag.adapters import ollama, openai
from rag.adapters.http import JsonClient
from rag.adapters.known_models import EmbeddingModel, model_named
from rag.adapters.places import Places
from rag.adapters.remote import RemoteEmbedder, Wire
from rag.core.errors import InvalidOption, Misconfigured

PROFILES: Final = (ollama.PROVIDER, openai.PROVIDER)
# How long a question may take: a model that has to be loaded first needs some of it.
QUESTION_SECONDS: Final = 60.0


def remote_embedder(profile: str) -> RemoteEmbedder:
    """The embedder of a profile in ``PROFILES``. Raises Misconfigured, naming what is wrong."""
    try:
        model = _model(profile)
        return RemoteEmbedder(_wire(profile, model), model)
    except InvalidOption as error:
        raise Misconfigured(profile, str(error)) from None


def _model(profile: str) -> EmbeddingModel:
    """The named model; a setting that is given goes before what is known of it."""
    name = settings.EVIDENCE_EMBEDDING_MODEL
    if not name and profile != ollama.PROVIDER:
        raise InvalidOption("model", name, "set EVIDENCE_EMBEDDING_MODEL")
    model = model_named(name or ollama.MODEL)
    return replace(
        model,
        dimension=settings.EVIDENCE_EMBEDDING_DIMENSION or model.dimension,
        context=settings.EVIDENCE_EMBEDDING_CONTEXT or model.context,
        query_prefix=_given(settings.EVIDENCE_EMBEDDING_QUERY_PREFIX, model.query_prefix),
        document_prefix=_given(settings.EVIDENCE_EMBEDDING_DOCUMENT_PREFIX, model.document_prefix),
    )


def _given(setting: str | None, known: str) -> str:
    return known if setting is None else setting


def _wire(profile: str, model: EmbeddingModel) -> Wire:
    longest = float(settings.EVIDENCE_EMBEDDING_DEADLINE)
    places = Places(settings.EVIDENCE_EMBEDDING_WAITING)
    client = _client(profile, longest, places)
    waited_for = _client(profile, min(longest, QUESTION_SECONDS), places)
    if profile == ollama.PROVIDER:
        return ollama.OllamaEmbeddings(client, waited_for, model.name, model.context)
    return openai.OpenAIEmbeddings(client, waited_for, model.name)


def _client(profile: str, deadline: float, places: Places) -> JsonClient:
    endpoint = settings.EVIDENCE_EMBEDDING_ENDPOINT
    if not endpoint and profile != ollama.PROVIDER:
        raise InvalidOption("endpoint", endpoint, "set EVIDENCE_EMBEDDING_ENDPOINT")
    return JsonClient(
        profile,
        endpoint or ollama.ENDPOINT,
        key=key_of(settings.EVIDENCE_EMBEDDING_KEY, settings.EVIDENCE_EMBEDDING_KEY_FILE),
        deadline=deadline,
        allowed_hosts=settings.EVIDENCE_MODEL_HOSTS,
        place=places.taken,
    )


def key_of(key: str, file: str) -> str:
    """The key of a provider, or the content of the file that holds it. Raises InvalidOption."""
    if key or not file:
        return key
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeError):
        # Without the reason: a decoding error would show bytes of the file.
        raise InvalidOption("key file", file, "it cannot be read as text") from None
