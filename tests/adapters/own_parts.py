"""Parts that tests name by path: good ones, and one for each thing that can be wrong."""

from rag.core.chunks import CharacterWindows, Chunk, Sections
from rag.core.embeddings import HashingEmbedder

__all__ = ["HashingEmbedder"]

an_embedder = HashingEmbedder()
windows = CharacterWindows()
nothing = object()


def made_embedder() -> HashingEmbedder:
    return an_embedder


def fails() -> None:
    raise RuntimeError("no model\nhere")


class Place:
    at = an_embedder


class NeedsArguments:
    def __init__(self, model: str) -> None:
        self.model = model


class WithoutBatch:
    profile = an_embedder.profile

    def embed_query(self, text: str) -> object:
        return an_embedder.embed_query(text)


class WithoutProfile(WithoutBatch):
    profile = None  # type: ignore[assignment]
    embed_batch = None


class Splitter:
    id = "own-v1"

    def split(self, text: str, title: str) -> tuple[Chunk, ...]:
        return Sections().split(text, title)


class Unnamed(Splitter):
    id = " "


class Imposter:
    name = "rrf-60-v1"

    def retrieve(self, request: object, rows: object) -> object:
        return []
