"""The API that OpenAI made common: vLLM, llama.cpp, LM Studio and hosted ones speak it.

Source: the API reference of ``/v1/embeddings``.
"""

from collections.abc import Sequence
from typing import Final

from rag.adapters.http import JsonClient
from rag.core.embeddings import DOCUMENTS, QUESTION, Cancel
from rag.core.errors import ProviderError

PROVIDER: Final = "openai"


class OpenAIEmbeddings:
    """Embeddings of one model. ``waited_for`` is the client while somebody waits."""

    provider = PROVIDER

    def __init__(self, client: JsonClient, waited_for: JsonClient, model: str) -> None:
        self._client, self._waited_for, self._model = client, waited_for, model

    @property
    def address(self) -> str:
        return self._client.endpoint.url("")

    def digest(self, cancelled: Cancel) -> str:
        """Empty: the API tells nothing of a model but its name; the canaries tell two apart."""
        return ""

    def documents(self, texts: Sequence[str], cancelled: Cancel) -> list[object]:
        return self._vectors(self._client, texts, DOCUMENTS, cancelled)

    def question(self, texts: Sequence[str], cancelled: Cancel) -> list[object]:
        return self._vectors(self._waited_for, texts, QUESTION, cancelled)

    def _vectors(
        self, client: JsonClient, texts: Sequence[str], operation: str, cancelled: Cancel
    ) -> list[object]:
        asked = {"model": self._model, "input": list(texts), "encoding_format": "float"}
        answer = client.post("/v1/embeddings", asked, operation, cancelled)
        data = answer.get("data") if isinstance(answer, dict) else None
        if not isinstance(data, list) or not all(isinstance(item, dict) for item in data):
            raise ProviderError(PROVIDER, operation, "the answer holds no embeddings")
        return _in_order(data, len(texts), operation)


def _in_order(data: Sequence[dict[str, object]], count: int, operation: str) -> list[object]:
    """The vectors by their indexes, which say to which text each belongs, in whatever order."""
    if len(data) != count:
        cause = f"{len(data)} vectors for {count} texts"
        raise ProviderError(PROVIDER, operation, cause)
    vectors: dict[int, object] = {}
    for item in data:
        index = item.get("index")
        if isinstance(index, int) and not isinstance(index, bool):
            vectors[index] = item.get("embedding")
    if set(vectors) != set(range(count)):
        cause = f"the indexes of its vectors are not those of the {count} texts"
        raise ProviderError(PROVIDER, operation, cause)
    return [vectors[position] for position in range(count)]
