"""Ollama: embeddings over its own API, with the digest of the model that answers.

Source: docs/api.md of ollama/ollama (``/api/embed``, ``/api/tags``).
"""

from collections.abc import Sequence
from typing import Final

from rag.adapters.http import JsonClient
from rag.core.embeddings import DOCUMENTS, QUESTION, Cancel
from rag.core.errors import ProviderError

PROVIDER: Final = "ollama"
ENDPOINT: Final = "http://127.0.0.1:11434"
MODEL: Final = "embeddinggemma:300m"


class OllamaEmbeddings:
    """Embeddings of one model. ``waited_for`` is the client while somebody waits."""

    provider = PROVIDER

    def __init__(
        self, client: JsonClient, waited_for: JsonClient, model: str, context: int
    ) -> None:
        self._client, self._waited_for = client, waited_for
        self._model, self._context = model, context

    @property
    def address(self) -> str:
        return self._client.endpoint.url("")

    def digest(self, cancelled: Cancel) -> str:
        """The digest of the model's files, by which Ollama knows it."""
        operation = "looking up the model"
        names = {self._model, f"{self._model}:latest"}
        answer = self._waited_for.get("/api/tags", operation, cancelled)
        models = answer.get("models") if isinstance(answer, dict) else None
        for model in models if isinstance(models, list) else ():
            if isinstance(model, dict) and model.get("name") in names:
                digest = model.get("digest")
                if isinstance(digest, str) and digest:
                    return digest
        cause = f"it has no model {self._model!r}; run: ollama pull {self._model}"
        raise ProviderError(PROVIDER, operation, cause)

    def documents(self, texts: Sequence[str], cancelled: Cancel) -> list[object]:
        return self._vectors(self._client, texts, DOCUMENTS, cancelled)

    def question(self, texts: Sequence[str], cancelled: Cancel) -> list[object]:
        return self._vectors(self._waited_for, texts, QUESTION, cancelled)

    def _vectors(
        self, client: JsonClient, texts: Sequence[str], operation: str, cancelled: Cancel
    ) -> list[object]:
        # Without truncate=false a text that is too long loses its end, and nobody is told.
        asked = {
            "model": self._model,
            "input": list(texts),
            "truncate": False,
            "options": {"num_ctx": self._context},
        }
        answer = client.post("/api/embed", asked, operation, cancelled)
        vectors = answer.get("embeddings") if isinstance(answer, dict) else None
        if not isinstance(vectors, list):
            raise ProviderError(PROVIDER, operation, "the answer holds no embeddings")
        return vectors
