"""A retriever without embeddings: the share of the question's words that a passage holds."""

from collections.abc import Iterator

from rag.core.lexical import content_tokens, tokens
from rag.core.retrievers import EligibleRows, RetrievalRequest


class SharedWords:
    """EVIDENCE_RETRIEVER=examples.parts.retriever:SharedWords"""

    name = "shared-words-v1"

    def retrieve(
        self, request: RetrievalRequest, rows: EligibleRows
    ) -> Iterator[tuple[str, float]]:
        asked = {token.word for token in content_tokens(request.question, request.languages)}
        for done, row in enumerate(rows, start=1):
            if request.cancelled():
                return
            held = {token.word for token in tokens(f"{row.context}\n{row.text}")}
            request.progress(done)
            if asked & held:
                yield row.chunk_id, len(asked & held) / len(asked)
