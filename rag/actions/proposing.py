"""From a question to a proposal: search, excerpts, the answer gate, and who proposes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.actions.profiles import Parts
from rag.actions.searching import Found, resolved, search
from rag.core.answerability import Support, support
from rag.core.answers import Proposal, Supplied, admissible, considered
from rag.core.extractive import Extractive
from rag.core.hits import Hit
from rag.core.index import embedding_input
from rag.core.retrieval import Options
from rag.core.sources import Access, Selection


@dataclass(frozen=True)
class Proposed:
    """What lies before the last gate. ``support`` is None where nothing was found or weighed."""

    found: Found
    supplied: list[Supplied]
    proposal: Proposal | None = None
    support: Support | None = None


def proposed_for(
    question: str, access: Access, selection: Selection, options: Options, parts: Parts
) -> Proposed:
    """What would be quoted; no proposal where the answer gate refuses."""
    found = search(question, access, selection, options, parts)
    least = resolved(options, parts, question).min_cosine
    hits = [h for h in found.hits if parts.gate.admits(question, h, least, found.languages)]
    scored = _relevance(question, considered(hits), parts.proposer)
    supplied = _supplied(question, scored)
    if not supplied:
        return Proposed(found, supplied)
    if not parts.gate.weights:
        return Proposed(found, supplied, parts.proposer.propose(question, supplied))
    figures = support(question, scored, found.languages)
    return Proposed(found, supplied, *_gated(question, supplied, figures, parts))


def _gated(
    question: str, supplied: Sequence[Supplied], figures: Support, parts: Parts
) -> tuple[Proposal | None, Support]:
    """The proposal, if the gate lets it pass; it is not made where that is known before."""
    if not parts.gate.weighs_sentences and not parts.gate.passes(figures):
        return None, figures
    # A proposer that is no part of this site may give None.
    proposal: Proposal | None = parts.proposer.propose(question, supplied)
    figures = replace(figures, sentence=proposal.score if proposal else None)
    return proposal if parts.gate.passes(figures) else None, figures


def _relevance(question: str, hits: Sequence[Hit], proposer: Extractive) -> list[tuple[Hit, float]]:
    """Each hit with how well it fits the question, on the proposer's scale."""
    if not hits:
        return []
    passages = [embedding_input(hit.context, hit.text) for hit in hits]
    scores = proposer.relevance(question, passages)
    return [(hit, float(score)) for hit, score in zip(hits, scores, strict=True)]


def _supplied(question: str, scored: Sequence[tuple[Hit, float]]) -> list[Supplied]:
    """The excerpts that pass the gates, most relevant first, under a proposer's aliases."""
    offered = [_as_supplied(hit, score) for hit, score in scored]
    kept = admissible(question, sorted(offered, key=lambda excerpt: -excerpt.relevance))
    return [replace(excerpt, alias=f"S{number}") for number, excerpt in enumerate(kept, start=1)]


def _as_supplied(hit: Hit, relevance: float) -> Supplied:
    return Supplied(
        alias="",
        revision=hit.revision,
        chunk_id=hit.chunk_id,
        label=hit.label,
        document_id=hit.document_id,
        source_id=hit.source_id,
        start_char=hit.start_char,
        end_char=hit.end_char,
        text=hit.text,
        context=hit.context,
        section=hit.section,
        text_sha256=hit.text_sha256,
        relevance=relevance,
    )
