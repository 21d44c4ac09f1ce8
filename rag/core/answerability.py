"""Whether what was found can answer the question: named gates over a few figures.

A gate decides on figures of the excerpts that an answer would be made of, and these are rows that
the asker may read: what is hidden moves no figure. What a question looks like is no figure here:
its length and first word told sets of questions apart, not what can be answered.
"""

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Any, Final

from rag.core.errors import GateMismatch, InvalidOption
from rag.core.hits import Hit
from rag.core.lexical import content_tokens, identifiers, tokens
from rag.core.matches import matches

FIGURES: Final = (
    "first", "margin", "nearness", "cosine", "cosine_margin", "coverage", "identifiers",
    "sentence",
)  # fmt: skip
CALIBRATED: Final = "calibrated"


@dataclass(frozen=True)
class Support:
    """What an answer to one question would rest on. A figure that was not computed is None.

    ``first`` is the best relevance of an excerpt and ``margin`` what the next one lies below it,
    both on the judge's scale; ``nearness`` is the share, above 0 to 1, of the excerpts that do not
    lie nearer than that one by their cosine. ``cosine`` is the best one in [-1, 1] and
    ``cosine_margin`` what the next one lies below it; where words alone ranked, these three are
    None. ``coverage`` and ``identifiers`` are the largest shares, 0 to 1,
    of the question's content words and identifiers in one passage.
    ``sentence`` is the score of the best sentence, known only after a proposal.
    """

    first: float
    margin: float
    nearness: float | None
    cosine: float | None
    cosine_margin: float | None
    coverage: float
    identifiers: float
    sentence: float | None = None


def support(
    question: str, scored: Sequence[tuple[Hit, float]], languages: Sequence[str]
) -> Support:
    """The figures of the hits considered (at least one, best first), each with its relevance."""
    hits = [hit for hit, _ in scored]
    ranked = sorted((relevance for _, relevance in scored), reverse=True)
    near = sorted((hit.cosine for hit in hits if hit.cosine is not None), reverse=True)
    passages = [f"{hit.context}\n{hit.text}" for hit in hits]
    return Support(
        first=ranked[0],
        margin=_lead(ranked),
        nearness=_nearness(scored, ranked[0]) if near else None,
        cosine=near[0] if near else None,
        cosine_margin=_lead(near) if near else None,
        coverage=max(_coverage(question, passage, languages) for passage in passages),
        identifiers=max(_identifiers(question, passage) for passage in passages),
    )


def _nearness(scored: Sequence[tuple[Hit, float]], highest: float) -> float:
    """Whether judge and embedder agree, without asking which policy ranked."""
    cosines = [hit.cosine or 0.0 for hit, _ in scored]
    liked = [hit.cosine or 0.0 for hit, relevance in scored if relevance == highest]
    return sum(cosine <= max(liked) for cosine in cosines) / len(cosines)


def _lead(ranked: Sequence[float]) -> float:
    """What the second lies below the first; 0 where there is none."""
    return ranked[0] - ranked[1] if len(ranked) > 1 else 0.0


def _coverage(question: str, passage: str, languages: Sequence[str]) -> float:
    asked = {t.word for t in content_tokens(question, languages) or tokens(question)}
    held = frozenset[str]().union(*(m.asked for m in matches(passage, question, languages)))
    return len(asked & held) / max(len(asked), 1)


def _identifiers(question: str, passage: str) -> float:
    asked = identifiers(question)
    return len(asked & identifiers(passage)) / len(asked) if asked else 1.0


@dataclass(frozen=True)
class Gate:
    """A named rule: who passes may be answered, all others are refused. Raises InvalidOption.

    With ``weights`` (of ``FIGURES``) a question passes if the logistic value of
    bias + Σ weight · figure reaches ``least``. With ``near_and_shared`` an excerpt counts only if
    it is near and shares a word. ``judge`` is who gives the relevances that were fitted to, or
    how the name begins; empty where none are weighed.
    """

    name: str
    weights: tuple[tuple[str, float], ...] = ()
    bias: float = 0.0
    least: float = 0.5
    judge: str = ""
    near_and_shared: bool = False

    def __post_init__(self) -> None:
        for name, weight in (*self.weights, ("bias", self.bias)):
            if name not in (*FIGURES, "bias") or not math.isfinite(weight):
                hint = f"a gate has finite weights of {', '.join(FIGURES)}"
                raise InvalidOption("gate weight", f"{name}={weight}", hint)
        if not 0 <= self.least <= 1:  # NaN fails here as well
            raise InvalidOption("gate least", self.least, "it must lie between 0 and 1")

    @property
    def weighs_sentences(self) -> bool:
        """Whether it can decide only after a proposal, and then instead of a fixed least score."""
        return any(name == "sentence" for name, _ in self.weights)

    def chance(self, found: Support) -> float:
        """The logistic value in [0, 1]; 1 without weights, 0 where a weighed figure is missing."""
        if not self.weights:
            return 1.0
        figures = asdict(found)
        if any(figures[name] is None for name, _ in self.weights):
            return 0.0
        return logistic(math.fsum([self.bias, *(w * figures[name] for name, w in self.weights)]))

    def passes(self, found: Support) -> bool:
        """Whether the question may be answered."""
        return self.chance(found) >= self.least

    def admits(
        self, question: str, hit: Hit, least_cosine: float | None, languages: Sequence[str]
    ) -> bool:
        """Whether an excerpt counts. In lexical mode, without cosines, only the words decide."""
        if not self.near_and_shared:
            return True
        near = hit.cosine is None or least_cosine is None or hit.cosine >= least_cosine
        asked = {token.word for token in content_tokens(question, languages)}
        return near and any(token.word in asked for token in tokens(f"{hit.title}\n{hit.text}"))

    def check_judge(self, name: str) -> None:
        """Raise GateMismatch unless the relevances come from whom the gate was fitted to."""
        if self.judge and not name.startswith(self.judge):
            raise GateMismatch(self.name, self.judge, name)

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"weights": dict(self.weights)}


def logistic(value: float) -> float:
    """1 / (1 + exp(−value)), without overflow."""
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    raised = math.exp(value)
    return raised / (1.0 + raised)


def gate_of(entry: Mapping[str, Any]) -> Gate:
    """A calibrated gate from its JSON object; InvalidOption where it is not one.

    Its name follows from its parameters: whoever changes one by hand has another gate.
    """
    try:
        weights = tuple((str(name), float(w)) for name, w in dict(entry["weights"]).items())
        bias, least, judge = float(entry["bias"]), float(entry["least"]), str(entry["judge"])
    except (KeyError, TypeError, ValueError) as error:
        hint = "a gate is an object with weights, bias, least and judge"
        raise InvalidOption("gate", str(error), hint) from None
    return named(Gate(CALIBRATED, weights, bias, least, judge))


def named(gate: Gate) -> Gate:
    """The gate under ``calibrated-`` and 12 hex digits of the SHA-256 of its parameters."""
    parameters = gate.to_dict() | {"name": CALIBRATED}
    digest = hashlib.sha256(json.dumps(parameters, sort_keys=True).encode()).hexdigest()
    return replace(gate, name=f"{CALIBRATED}-{digest[:12]}")


# No gate beyond excerpts and exact quotations: the proposer's least score alone decides.
OPEN: Final = Gate("excerpts-3-quotes-20-v1")
# The reference: an excerpt counts if its cosine reaches the threshold and it shares a word.
REFERENCE: Final = Gate("cosine-overlap-v1", near_and_shared=True)

GATES: Final[Mapping[str, Gate]] = MappingProxyType(
    {known.name: known for known in (OPEN, REFERENCE)}
)
