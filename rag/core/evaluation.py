"""From cases with known passages to figures: what was found, and what was answered.

A hit is relevant if it overlaps a relevant span. Where whole sources are relevant, the hits of a
source count once, at the first of them.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from statistics import fmean
from typing import Any, Final

from rag.core.cases import Case, Place, Relevant


@dataclass(frozen=True)
class Outcome:
    """What a case brought. ``relevant_chunks`` counts those of the index that overlap a span.

    ``quotations`` is None where no answer was asked for, and empty where it was refused or made
    of product facts alone; ``stated``: whether it has some.
    """

    case: Case
    hits: tuple[Place, ...]
    out_of_scope: int
    relevant_chunks: int
    quotations: tuple[Place, ...] | None = None
    stated: bool = False


@dataclass(frozen=True)
class CaseFigures:
    """The figures of one case; None where it has none. All but the counts lie in [0, 1]."""

    recall: float | None = None
    reciprocal_rank: float | None = None
    ndcg: float | None = None
    char_recall: float | None = None
    char_precision: float | None = None
    char_iou: float | None = None
    quote_recall: float | None = None
    quote_precision: float | None = None
    quote_iou: float | None = None
    citations: int = 0
    valid_citations: int = 0
    wrongly_answered: int = 0
    wrongly_refused: int = 0
    out_of_scope: int = 0

    @property
    def failed(self) -> bool:
        """Something relevant is missing among the hits, or the answer should not be as it is."""
        incomplete = self.recall is not None and self.recall < 1
        return bool(
            incomplete or self.wrongly_answered or self.wrongly_refused or self.out_of_scope
        )


# What is averaged over the cases that have it, and what is summed.
AVERAGED: Final = tuple(f.name for f in fields(CaseFigures) if f.default is None)
SUMMED: Final = tuple(f.name for f in fields(CaseFigures) if f.default == 0)


def figures_of(outcome: Outcome, k: int) -> CaseFigures:
    """The figures of one case over its first ``k`` hits.

    An answerable case without relevant spans has recall 0; an unanswerable one carries no
    retrieval score.
    """
    case = outcome.case
    found = _found(outcome, k) if case.answerable else {}
    answered = _answered(outcome) if outcome.quotations is not None else {}
    return CaseFigures(**found, **answered, out_of_scope=outcome.out_of_scope)


def summary(cases: Sequence[CaseFigures], case_ids: Sequence[str]) -> dict[str, Any]:
    """The figures of all cases together, with ``failed_case_ids``.

    Citation precision is that of all citations together: 2 of 3 in two cases are 2/3. It is 1.0
    where nothing was cited. A mean over no case is None.
    """
    means = {name: _mean(getattr(case, name) for case in cases) for name in AVERAGED}
    sums = {name: sum(getattr(case, name) for case in cases) for name in SUMMED}
    cited = sums["citations"]
    failed = [id_ for id_, case in zip(case_ids, cases, strict=True) if case.failed]
    return {
        "cases": len(cases),
        **means,
        **sums,
        "citation_precision": sums["valid_citations"] / cited if cited else 1.0,
        "failed_case_ids": failed,
    }


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _found(outcome: Outcome, k: int) -> dict[str, Any]:
    """Recall, reciprocal rank, nDCG and the shares of characters of an answerable case."""
    spans = outcome.case.relevant
    ranked = _once_each(outcome.hits) if outcome.case.by_source else outcome.hits
    hits = ranked[:k]
    gains = [any(span.meets(hit) for span in spans) for hit in hits]
    recall = sum(any(span.meets(hit) for hit in hits) for span in spans) / max(len(spans), 1)
    total = len(spans) if outcome.case.by_source else outcome.relevant_chunks
    found = {"recall": recall, "reciprocal_rank": _reciprocal_rank(gains)}
    found["ndcg"] = ndcg(gains, total, k)
    return found | _shares("char", spans, hits)


def _answered(outcome: Outcome) -> dict[str, Any]:
    """What the quotations are worth: those of a refusal are none."""
    spans, quotations = outcome.case.relevant, outcome.quotations or ()
    valid = sum(any(span.meets(quotation) for span in spans) for quotation in quotations)
    answerable = outcome.case.answerable
    answered = bool(quotations) or outcome.stated
    return {
        **(_shares("quote", spans, quotations) if answerable else {}),
        "citations": len(quotations),
        "valid_citations": valid,
        "wrongly_answered": int(answered and not answerable),
        "wrongly_refused": int(not answered and answerable),
    }


def _once_each(hits: Sequence[Place]) -> tuple[Place, ...]:
    """The first hit of each source."""
    first: dict[str, Place] = {}
    for hit in hits:
        first.setdefault(hit.source_id, hit)
    return tuple(first.values())


def _reciprocal_rank(gains: Sequence[bool]) -> float:
    return 1 / (gains.index(True) + 1) if True in gains else 0.0


def ndcg(gains: Sequence[bool], relevant: int, k: int) -> float:
    """Normalised discounted cumulative gain at ``k``, binary (Järvelin and Kekäläinen 2002).

    ``relevant`` is how many relevant ones there are, found or not; 0 gives 0.
    """
    ideal = sum(_discount(rank) for rank in range(min(relevant, k)))
    gained = sum(_discount(rank) for rank, gain in enumerate(gains[:k]) if gain)
    return gained / ideal if ideal else 0.0


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 2)


def _shares(name: str, spans: Sequence[Relevant], places: Sequence[Place]) -> dict[str, float]:
    """Recall, precision and intersection over union by characters; none without offsets.

    A character counts once, however many spans or places hold it.
    """
    if not spans or any(span.start_char is None for span in spans):
        return {}
    versions = any(span.version for span in spans)
    gold, shown = _characters(spans, versions), _characters(places, versions)
    both = len(gold & shown)
    return {
        f"{name}_recall": both / len(gold) if gold else 0.0,
        f"{name}_precision": both / len(shown) if shown else 0.0,
        f"{name}_iou": both / len(gold | shown) if gold | shown else 0.0,
    }


def _characters(places: Iterable[Relevant | Place], versions: bool) -> set[tuple[str, str, int]]:
    """Every character of the places, told apart by version where that matters."""
    return {
        (place.source_id, place.version if versions else "", at)
        for place in places
        for at in range(place.start_char or 0, place.end_char or 0)
    }
