"""A contextual embedder: each chunk's vector leans towards the whole document."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from examples.parts.embedder import LetterPairs
from rag.core.embeddings import Cancel, Progress


class InContext:
    """EVIDENCE_PROFILE=examples.parts.contextual:InContext"""

    profile = replace(LetterPairs.profile, name="in-context", model="letter-pairs-in-context")

    def embed_document(
        self, document_id: str, title: str, chunks: Sequence[str], *,
        cancelled: Cancel, progress: Progress,
    ) -> object:  # fmt: skip
        own = LetterPairs().embed_batch(chunks, cancelled=cancelled, progress=progress)
        whole = self.embed_query(" ".join([title, *chunks]))
        return np.asarray(own) + 0.1 * np.asarray(whole)

    def embed_query(self, text: str) -> object:
        return LetterPairs().embed_query(text)
