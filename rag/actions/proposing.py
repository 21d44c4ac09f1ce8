"""From a question to a proposal: search, excerpts, the answer gate, and who proposes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from rag.actions.chatting import put_to_model
from rag.actions.profiles import Parts
from rag.actions.searching import Found, resolved, search
from rag.core.answerability import Support, support
from rag.core.answers import (
    Proposal,
    Supplied,
    Verdict,
    admissible,
    considered,
    refused_for_length,
    refused_without_excerpts,
)
from rag.core.chat import AnswerMode, Calls, ChatClient
from rag.core.errors import ProviderError
from rag.core.extractive import Extractive
from rag.core.facts import StatedFact
from rag.core.hits import Hit
from rag.core.lexical import identifiers
from rag.core.product_questions import codes_of
from rag.core.prompts import fitting
from rag.core.retrieval import Options
from rag.core.rows import embedding_input
from rag.core.sources import Access, Selection
from rag.queries.facts import asked_facts


@dataclass(frozen=True)
class Proposed:
    """What lies before the last gate.

    ``support`` is None where nothing was found or weighed, ``refusal`` where there is something
    to judge, and ``failure`` unless the model's provider failed. ``facts`` are the product facts
    that the question names; ``facts_alone``: it asks for nothing else, so they may answer without
    a quotation. ``asks_model``: a chat model must still be asked for a proposal.
    """

    found: Found
    supplied: Sequence[Supplied]
    proposal: Proposal | None = None
    support: Support | None = None
    refusal: Verdict | None = None
    failure: ProviderError | None = None
    calls: Calls = field(default_factory=Calls)
    facts: tuple[StatedFact, ...] = ()
    facts_alone: bool = False
    asks_model: bool = False


def offered_for(
    question: str,
    access: Access,
    selection: Selection,
    options: Options,
    parts: Parts,
    mode: AnswerMode,
) -> Proposed:
    """All of it that needs no chat model; where one is to be asked, the excerpts for it.

    A question with a code that is neither a product's nor in an excerpt gets nothing at all, and
    no model is asked: whether the code is unknown or may not be known makes no difference.
    """
    found = search(question, access, selection, options, parts)
    facts, whole = asked_facts(question, access, selection)
    if not _all_known(question, found, facts):
        return Proposed(found, [], refusal=refused_without_excerpts())
    alone = whole and identifiers(question) <= codes_of(facts)
    given = Proposed(found, [], facts=facts, facts_alone=alone)
    return _proposed(question, given, options, parts, mode)


def proposed_by_model(
    question: str, offered: Proposed, connect: Callable[[], ChatClient], mode: AnswerMode
) -> Proposed:
    """With what the model proposes to the excerpts. It touches no table, and may take minutes."""
    said = put_to_model(mode, question, offered.supplied, connect)
    return replace(
        offered,
        asks_model=False,
        proposal=said.proposal,
        failure=said.failure,
        calls=said.calls,
    )


def _all_known(question: str, found: Found, facts: Sequence[StatedFact]) -> bool:
    """Whether each code in the question is a product's with facts, or stands in what was found."""
    missing = identifiers(question) - codes_of(facts)
    for hit in found.hits if missing else ():
        missing -= identifiers(hit.text) | identifiers(hit.context)
    return not missing


def _proposed(
    question: str, given: Proposed, options: Options, parts: Parts, mode: AnswerMode
) -> Proposed:
    found = given.found
    least = resolved(options, parts, question).min_cosine
    hits = [h for h in found.hits if parts.gate.admits(question, h, least, found.languages)]
    scored = _relevance(question, considered(hits), parts.proposer)
    supplied = _supplied(question, scored, codes_of(given.facts))
    if not supplied:
        return replace(given, refusal=refused_without_excerpts())
    figures = support(question, scored, found.languages) if parts.gate.weights else None
    offered = replace(given, supplied=supplied, support=figures)
    if mode is AnswerMode.EXTRACTIVE:
        return _extracted(question, offered, parts)
    return _for_model(question, offered, parts, mode)


def _extracted(question: str, offered: Proposed, parts: Parts) -> Proposed:
    """With the extractive proposal, if the gate lets it pass; not made where that is known."""
    if not _passes(offered.support, parts, before=True):
        return offered
    # A proposer that is no part of this site may give None.
    proposal: Proposal | None = parts.proposer.propose(question, offered.supplied)
    if offered.support is None:
        return replace(offered, proposal=proposal)
    weighed = replace(offered.support, sentence=proposal.score if proposal else None)
    passed = proposal if _passes(weighed, parts) else None
    return replace(offered, proposal=passed, support=weighed)


def _for_model(question: str, offered: Proposed, parts: Parts, mode: AnswerMode) -> Proposed:
    """With the excerpts that fit; a model is asked only where the gate lets the question pass.

    A gate that weighs sentences weighs those that code would choose: a model gives no score.
    """
    weighed = _extracted(question, offered, parts) if parts.gate.weighs_sentences else offered
    if not _passes(weighed.support, parts):
        return replace(weighed, proposal=None)
    budget, known = parts.answering.model.profile.budget, codes_of(offered.facts)
    fitted = fitting(mode, question, offered.supplied, budget, known)
    if not fitted:
        return replace(weighed, proposal=None, refusal=refused_for_length())
    return replace(weighed, supplied=fitted, proposal=None, asks_model=True)


def _passes(figures: Support | None, parts: Parts, *, before: bool = False) -> bool:
    """Whether the gate lets pass, as far as that is known (``before``: without a proposal)."""
    if figures is None or (before and parts.gate.weighs_sentences):
        return True
    return parts.gate.passes(figures)


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
