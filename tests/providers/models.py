"""Model servers as a test plays them: words counted by the hashing embedder, sent as JSON."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from pytest_django import Settings

from rag.core.embeddings import HashingEmbedder
from tests.fault_server import FaultServer, Script, computed, json_answer

DIMENSION: Final = 64
MODEL: Final = "tiny:1m"
_HASHING: Final = HashingEmbedder(DIMENSION)


def vectors(texts: Sequence[str]) -> list[list[float]]:
    """A vector of each text."""
    return [[float(value) for value in _HASHING.embed_query(text)] for text in texts]


def backwards(texts: Sequence[str]) -> list[list[float]]:
    """Another model of the same dimension."""
    return [vector[::-1] for vector in vectors(texts)]


Model = Callable[[Sequence[str]], list[list[float]]]


def ollama_embeds(model: Model = vectors) -> Script:
    return computed(lambda body: {"model": MODEL, "embeddings": model(body["input"])})


def ollama_serves(server: FaultServer, model: Model = vectors, digest: str = "sha256:one") -> None:
    """The server has one model, with this digest."""
    tags = {"models": [{"name": "other:1b", "digest": "x"}, {"name": MODEL, "digest": digest}]}
    server.plays("/api/tags", json_answer(tags))
    server.plays("/api/embed", ollama_embeds(model))


def openai_answer(texts: Sequence[str], model: Model = vectors) -> dict[str, Any]:
    pairs = enumerate(model(texts))
    return {"data": [{"index": index, "embedding": vector} for index, vector in pairs]}


def openai_serves(server: FaultServer, model: Model = vectors) -> None:
    server.plays("/v1/embeddings", computed(lambda body: openai_answer(body["input"], model)))


def configure(settings: Settings, server: FaultServer, profile: str, **more: object) -> None:
    """The site embeds by this server; ``more`` are settings without EVIDENCE_EMBEDDING_."""
    settings.EVIDENCE_PROFILE = profile
    given = {"ENDPOINT": server.address, "MODEL": MODEL, "DIMENSION": DIMENSION, "CONTEXT": 2048}
    for name, value in (given | more).items():
        setattr(settings, f"EVIDENCE_EMBEDDING_{name}", value)
