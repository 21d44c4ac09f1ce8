"""Embedding models known by name: what to put before a text, and how much of it they read.

Prefixes, dimensions and lengths are those of the models' cards. The cards name no threshold: .60
is the one that the reference system used with its profile (docs/decisions/0010).
"""

from dataclasses import dataclass
from typing import Final

# For a model that nobody knows here: the shortest that is common.
SHORTEST_CONTEXT: Final = 512


@dataclass(frozen=True, kw_only=True)
class EmbeddingModel:
    """An embedding model; ``context`` in tokens, ``dimension`` 0 if it is not known."""

    name: str
    dimension: int = 0
    context: int = SHORTEST_CONTEXT
    query_prefix: str = ""
    document_prefix: str = ""
    min_cosine: float | None = None


_GEMMA: Final = EmbeddingModel(
    name="embeddinggemma:300m",
    dimension=768,
    context=2048,
    query_prefix="task: search result | query: ",
    document_prefix="title: none | text: ",
    min_cosine=0.60,
)
_QWEN: Final = EmbeddingModel(
    name="qwen3-embedding:0.6b",
    dimension=1024,
    # It was trained on 32,768; the card's own example reads 8,192, at a quarter of the memory.
    context=8192,
    query_prefix=(
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\n"
        "Query:"
    ),
    min_cosine=0.60,
)
_NAMES: Final = {
    "embeddinggemma": _GEMMA,
    "embeddinggemma:300m": _GEMMA,
    "google/embeddinggemma-300m": _GEMMA,
    "qwen3-embedding:0.6b": _QWEN,
    "qwen/qwen3-embedding-0.6b": _QWEN,
}


def model_named(name: str) -> EmbeddingModel:
    """What is known of a model by its name at Ollama or on the model hub."""
    known = _NAMES.get(name.lower(), EmbeddingModel(name=name))
    return EmbeddingModel(**{**vars(known), "name": name})
