"""From a question to a proposal: search, excerpts, the answer gate, and who proposes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.actions.profiles import Parts
from rag.actions.searching import Found, resolved, search
from rag.core.answerability import Support, support
from rag.core.answers import Proposal, Supplied, admissible, considered
from rag.core.extractive import Extractive
from rag.core.facts import StatedFact
from rag.core.hits import Hit
from rag.core.index import embedding_input
from rag.core.lexical import identifiers
from rag.core.product_questions import codes_of
from rag.core.retrieval import Options
from rag.core.sources import Access, Selection
from rag.queries.facts import asked_facts


@dataclass(frozen=True)
class Proposed:
    """What lies before the last gate. ``support`` is None where nothing was found or weighed.

    ``facts`` are the product facts that the question asks for.
    """

    found: Found
    supplied: list[Supplied]
    proposal: Proposal | None = None
    support: Support | None = None
    facts: tuple[StatedFact, ...] = ()


def proposed_for(
    question: str, access: Access, selection: Selection, options: Options, parts: Parts
) -> Proposed:
    """What would be quoted; no proposal where the answer gate refuses.

    A question with a code that is neither a product's nor in an excerpt gets nothing at all, and
    no model is asked: whether the code is unknown or may not be known makes no difference.
    """
    found = search(question, access, selection, options, parts)
    facts = asked_facts(question, access, selection)
    if not _all_known(question, found, facts):
        return Proposed(found, [])
    proposed = _proposed(question, found, codes_of(facts), options, parts)
    stands_alone = identifiers(question) <= codes_of(facts)
    return replace(proposed, facts=facts if proposed.supplied or stands_alone else ())


def _all_known(question: str, found: Found, facts: Sequence[StatedFact]) -> bool:
    """Whether each code in the question is a product's with facts, or stands in what was found."""
    missing = identifiers(question) - codes_of(facts)
    for hit in found.hits if missing else ():
        missing -= identifiers(hit.text) | identifiers(hit.context)
    return not missing


def _proposed(
    question: str, found: Found, known: frozenset[str], options: Options, parts: Parts
) -> Proposed:
    least = resolved(options, parts, question).min_cosine
    hits = [h for h in found.hits if parts.gate.admits(question, h, least, found.languages)]
    scored = _relevance(question, considered(hits), parts.proposer)
    supplied = _supplied(question, scored, known)
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


def _supplied(
    question: str, scored: Sequence[tuple[Hit, float]], known: frozenset[str]
) -> list[Supplied]:
    """The excerpts that pass the gates, most relevant first, under a proposer's aliases."""
    offered = [_as_supplied(hit, score) for hit, score in scored]
    ordered = sorted(offered, key=lambda excerpt: -excerpt.relevance)
    kept = admissible(question, ordered, known)
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
