"""An embedder behind an endpoint: the same for every provider but for the words on the wire."""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

import numpy as np

from rag.adapters.known_models import EmbeddingModel
from rag.core.embeddings import (
    BATCH_SIZE,
    DOCUMENTS,
    QUESTION,
    Cancel,
    Profile,
    Progress,
    Vectors,
    checked_batch,
    stop_if,
)
from rag.core.errors import InvalidEmbedding, InvalidOption, ProviderError
from rag.core.pieces import SPECIAL_TOKENS, joined, pieces, token_bound

Ask = Callable[[Sequence[str], Cancel], list[object]]
# Beside its prefix a text has room for at least a sentence.
LEAST_ROOM: Final = 64


class Wire(Protocol):
    """How a provider is asked. Each call raises ProviderError, soon after it was cancelled too."""

    @property
    def provider(self) -> str: ...

    @property
    def address(self) -> str: ...

    def digest(self, cancelled: Cancel) -> str:
        """What tells one model from another behind the same name; empty if nothing does."""

    def documents(self, texts: Sequence[str], cancelled: Cancel) -> list[object]:
        """A vector of each text, in order, unchecked."""

    def question(self, texts: Sequence[str], cancelled: Cancel) -> list[object]:
        """The same while somebody waits."""


class RemoteEmbedder:
    """Embeds through a provider; nothing is contacted before the profile or a vector is needed.

    A text that could exceed the model's context is embedded in pieces (``core.pieces``). Raises
    InvalidOption.
    """

    def __init__(self, wire: Wire, model: EmbeddingModel) -> None:
        if model.dimension < 1:
            hint = "this model is not known here: say how many dimensions its vectors have"
            raise InvalidOption("dimension", model.dimension, hint)
        for prefix in (model.query_prefix, model.document_prefix):
            if _room(model, prefix) < LEAST_ROOM:
                raise InvalidOption("context", model.context, "it leaves no room for a text")
        self._wire, self._model = wire, model
        self._profile: Profile | None = None

    @property
    def profile(self) -> Profile:
        """The profile with the digest that was last seen. Raises ProviderError."""
        return self._profile or self._look()

    def embed_batch(self, texts: Sequence[str], *, cancelled: Cancel, progress: Progress) -> object:
        """Vectors (n, d) of documents. Raises Cancelled, ProviderError, InvalidEmbedding.

        A model that was exchanged since the profile was last read is an error: what is embedded
        now would be stored as the other's.
        """
        stop_if(cancelled)
        before = self.profile
        try:
            if self._look(cancelled) != before:
                cause = f"the model behind {self._model.name!r} was exchanged meanwhile"
                raise ProviderError(self._wire.provider, DOCUMENTS, cause)
            prefix = self._model.document_prefix
            vectors = self._vectors(self._wire.documents, texts, prefix, cancelled)
        except ProviderError:
            stop_if(cancelled)  # what ended the call is no fault of the provider
            raise
        progress(len(texts))
        return vectors

    def embed_query(self, text: str) -> object:
        """Vector (d,) of a question, by the model that is there now; raises as above."""
        self._look()
        prefix = self._model.query_prefix
        vectors = self._vectors(self._wire.question, [text], prefix, lambda: False)
        if len(vectors) != 1:
            cause = f"{len(vectors)} vectors for one text"
            raise InvalidEmbedding(self._wire.provider, QUESTION, cause)
        return vectors[0]

    def _look(self, cancelled: Cancel = lambda: False) -> Profile:
        model = self._model
        self._profile = profile = Profile(
            name=self._wire.provider,
            provider=self._wire.provider,
            endpoint=self._wire.address,
            model=model.name,
            digest=self._wire.digest(cancelled),
            dimension=model.dimension,
            query_prefix=model.query_prefix,
            document_prefix=model.document_prefix,
            max_tokens=model.context,
            min_cosine=model.min_cosine,
        )
        return profile

    def _vectors(
        self, ask: Ask, texts: Sequence[str], prefix: str, cancelled: Cancel
    ) -> list[object] | Vectors:
        """Vectors of texts, unchecked where none had to be cut."""
        room = _room(self._model, prefix)
        cut = [[prefix + piece for piece in pieces(text, room)] for text in texts]
        flat = [piece for parts in cut for piece in parts]
        if len(flat) == len(texts):
            return ask(flat, cancelled)
        found = []
        for number, start in enumerate(range(0, len(flat), BATCH_SIZE), 1):
            stop_if(cancelled)
            batch = flat[start : start + BATCH_SIZE]
            found.append(checked_batch(ask(batch, cancelled), len(batch), self.profile, number))
        return _means(np.concatenate(found), cut)


def _room(model: EmbeddingModel, prefix: str) -> int:
    return model.context - SPECIAL_TOKENS - token_bound(prefix)


def _means(vectors: Vectors, cut: Sequence[Sequence[str]]) -> Vectors:
    """A vector (d,) for each text, of those of its pieces, which stand one after another."""
    means = np.empty((len(cut), vectors.shape[1]), dtype=np.float32)
    start = 0
    for row, parts in enumerate(cut):
        end = start + len(parts)
        means[row] = joined(vectors[start:end], [len(part) for part in parts])
        start = end
    return means
