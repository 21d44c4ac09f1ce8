"""The parts that a site runs with: embedder, chunker, proposer. Chosen by settings."""

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final

from django.conf import settings

from rag.actions import embedders
from rag.actions.answering import configured_answering
from rag.adapters import bundled
from rag.adapters.custom import custom_embedder, custom_retriever, custom_splitter, is_path
from rag.adapters.kernels import byte_kernel
from rag.core.answerability import CALIBRATED, GATES, OPEN, Gate, gate_of
from rag.core.chat import EXTRACTIVE_ALONE, Answering
from rag.core.chunks import Chunker, chunker
from rag.core.embeddings import ContextualEmbedder, Embedder, HashingEmbedder
from rag.core.errors import InvalidFile, InvalidOption
from rag.core.extractive import LEXICAL, Extractive, Scorer
from rag.core.lexical import ANALYSER
from rag.core.policies import WEIGHTED, Policy, policy
from rag.core.quantised import Kernel
from rag.core.retrieval import check_threshold
from rag.core.retrievers import Retriever

PROFILES: Final = ("embedded", "hashing", *embedders.PROFILES)
# Of the cross-encoder's logits, measured on five sets of questions (docs/decisions/0003).
MINIMUM: Final = 2.75
MARGIN: Final = 1.5
# The gate that goes with a profile's judge (docs/decisions/0007).
DEFAULT_GATES: Final = dict.fromkeys(PROFILES, OPEN)


@dataclass(frozen=True)
class Parts:
    """Everything replaceable that a request or a rebuild uses. Loading happens at first use.

    ``splitter`` cuts in the place of the policy that ``chunking`` names, and has that id;
    ``retriever_path`` names who finds in the place of the index's own figures.
    """

    profile_name: str
    chunking: str
    analyser: str = ANALYSER
    gate: Gate = OPEN
    answering: Answering = EXTRACTIVE_ALONE
    splitter: Chunker | None = None
    retriever_path: str = ""

    @cached_property
    def embedder(self) -> Embedder | ContextualEmbedder:
        """The embedder; its model is loaded, or its endpoint contacted, when it first embeds."""
        if is_path(self.profile_name):
            return custom_embedder(self.profile_name)
        if self.profile_name in embedders.PROFILES:
            return embedders.remote_embedder(self.profile_name)
        return HashingEmbedder() if self.profile_name == "hashing" else bundled.embedder()

    @cached_property
    def chunker(self) -> Chunker:
        return self.splitter or chunker(self.chunking)

    @cached_property
    def retriever(self) -> Retriever | None:
        """Who finds without embeddings, if the settings name somebody."""
        return custom_retriever(self.retriever_path) if self.retriever_path else None

    @cached_property
    def kernel(self) -> Kernel | None:
        """What makes an exact search quicker where the machine has it."""
        return byte_kernel()

    @cached_property
    def scorer(self) -> Scorer:
        """Who judges passages: the cross-encoder, or counted words in the hashing profile."""
        if self.profile_name == "hashing":
            return LEXICAL
        judge = bundled.cross_encoder()
        return Scorer(f"{judge.model}@{judge.digest[:12]}", MINIMUM, MARGIN, judge.score)

    @cached_property
    def proposer(self) -> Extractive:
        """Who chooses sentences. A gate that weighs them takes the place of a least score.

        Raises GateMismatch if the gate was fitted to another judge.
        """
        scorer = self.scorer
        self.gate.check_judge(scorer.name)
        open_scorer = replace(scorer, minimum=float("-inf"))
        return Extractive(open_scorer if self.gate.weighs_sentences else scorer)


def configured(profile: str | None = None) -> Parts:
    """The parts that the settings name, or those of another profile of the site."""
    name = profile or settings.EVIDENCE_PROFILE
    if name not in PROFILES and not is_path(name):
        known = ", ".join([*PROFILES, "package.module:object"])
        raise InvalidOption("profile", name, f"known are {known}")
    cut = settings.EVIDENCE_CHUNKING
    splitter = custom_splitter(cut) if is_path(cut) else None
    return Parts(
        profile_name=name,
        chunking=splitter.id if splitter else cut,
        gate=_gate(name),
        answering=configured_answering(),
        splitter=splitter,
        retriever_path=settings.EVIDENCE_RETRIEVER,
    )


def gate_file() -> Path:
    """Where ``calibrate --save`` keeps the site's own gate."""
    return Path(settings.EVIDENCE_HOME) / "gate.json"


def _gate(profile: str) -> Gate:
    """The gate that the settings name; else the profile's own."""
    name = settings.EVIDENCE_GATE
    if not name:
        return DEFAULT_GATES.get(profile, OPEN)
    if name == CALIBRATED:
        return _calibrated_gate(gate_file())
    if name not in GATES:
        raise InvalidOption("gate", name, f"known are {', '.join([*GATES, CALIBRATED])}")
    return GATES[name]


def _calibrated_gate(file: Path) -> Gate:
    try:
        entry = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        hint = "run: manage.py calibrate CASES.jsonl --save"
        raise InvalidFile(str(file), f"the gate cannot be read ({error}); {hint}") from None
    return gate_of(entry)


def default_policy() -> Policy:
    """The site's ranking policy."""
    return policy(settings.EVIDENCE_POLICY) if settings.EVIDENCE_POLICY else WEIGHTED


def min_cosine(parts: Parts) -> float | None:
    """The least cosine of a hit: the site's, or the profile's own."""
    threshold: float | None = settings.EVIDENCE_MIN_COSINE
    check_threshold(threshold)
    return parts.embedder.profile.min_cosine if threshold is None else threshold
