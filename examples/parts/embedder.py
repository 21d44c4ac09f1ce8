"""An embedder: pairs of letters. A real one would call its model in the same two methods."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from rag.core.embeddings import Cancel, Profile, Progress, stop_if


class LetterPairs:
    """EVIDENCE_PROFILE=examples.parts.embedder:LetterPairs"""

    profile = Profile(
        name="letter-pairs", provider="letters", endpoint="", model="letter-pairs", digest="1",
        dimension=26 * 26, max_tokens=0, min_cosine=0.3,
    )  # fmt: skip

    def embed_batch(self, texts: Sequence[str], *, cancelled: Cancel, progress: Progress) -> object:
        vectors = []
        for text in texts:
            stop_if(cancelled)
            vectors.append(self.embed_query(text))
            progress(len(vectors))
        return vectors

    def embed_query(self, text: str) -> object:
        letters = [ord(letter) - ord("a") for letter in text.lower() if "a" <= letter <= "z"]
        vector = np.zeros(self.profile.dimension)
        for first, second in pairwise(letters):
            vector[26 * first + second] += 1
        return vector
