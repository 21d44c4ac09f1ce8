"""The parts that a site runs with: embedder, chunker, proposer. Chosen by settings."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

from django.conf import settings

from rag.adapters import bundled
from rag.adapters.kernels import byte_kernel
from rag.core.chunks import Chunker, chunker
from rag.core.embeddings import ContextualEmbedder, Embedder, HashingEmbedder
from rag.core.errors import InvalidOption
from rag.core.extractive import LEXICAL, Extractive, Scorer
from rag.core.lexical import ANALYSER
from rag.core.policies import WEIGHTED, Policy, policy
from rag.core.quantised import Kernel
from rag.core.retrieval import check_threshold

PROFILES: Final = ("embedded", "hashing")
# Of the cross-encoder's logits, measured on the handbooks (docs/decisions/0003).
MINIMUM: Final = 3.0
MARGIN: Final = 1.5


@dataclass(frozen=True)
class Parts:
    """Everything replaceable that a request or a rebuild uses. Loading happens at first use."""

    profile_name: str
    chunking: str
    analyser: str = ANALYSER

    @cached_property
    def embedder(self) -> Embedder | ContextualEmbedder:
        """The embedder; its model is loaded when it first embeds."""
        return HashingEmbedder() if self.profile_name == "hashing" else bundled.embedder()

    @cached_property
    def chunker(self) -> Chunker:
        return chunker(self.chunking)

    @cached_property
    def kernel(self) -> Kernel | None:
        """What makes an exact search quicker where the machine has it."""
        return byte_kernel()

    @cached_property
    def proposer(self) -> Extractive:
        """Who chooses sentences: the cross-encoder, or counted words in the hashing profile."""
        if self.profile_name == "hashing":
            return Extractive(LEXICAL)
        judge = bundled.cross_encoder()
        return Extractive(
            Scorer(f"{judge.model}@{judge.digest[:12]}", MINIMUM, MARGIN, judge.score)
        )


def configured(profile: str | None = None) -> Parts:
    """The parts that the settings name, or those of another profile of the site."""
    name = profile or settings.EVIDENCE_PROFILE
    if name not in PROFILES:
        raise InvalidOption("profile", name, f"known are {', '.join(PROFILES)}")
    return Parts(name, settings.EVIDENCE_CHUNKING)


def default_policy() -> Policy:
    """The site's ranking policy."""
    return policy(settings.EVIDENCE_POLICY) if settings.EVIDENCE_POLICY else WEIGHTED


def min_cosine(parts: Parts) -> float | None:
    """The least cosine of a hit: the site's, or the profile's own."""
    threshold: float | None = settings.EVIDENCE_MIN_COSINE
    check_threshold(threshold)
    return parts.embedder.profile.min_cosine if threshold is None else threshold
