"""Ask: search, gate, propose, gate again, record. What is published is decided here by code."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from rag.actions.profiles import Parts
from rag.actions.proposing import Proposed, offered_for, proposed_by_model
from rag.actions.recording import Decision, Request, record
from rag.actions.searching import Found, resolved
from rag.core.answers import Quotation, Supplied, Verdict, gate, refused_for_failure, with_facts
from rag.core.chat import AnswerMode
from rag.core.conflicts import disagree
from rag.core.errors import SourceDamaged
from rag.core.facts import StatedFact
from rag.core.product_questions import contradicts
from rag.core.retrieval import Options
from rag.core.sources import Access, Selection
from rag.core.text import goes_on_with_exception, is_partial
from rag.models import Answer
from rag.queries.eligibility import access_now, eligible_revisions
from rag.queries.facts import stand
from rag.queries.reading import reading


@dataclass(frozen=True)
class Asked:
    """A recorded answer with what it was made from; warnings of its quotations and its facts."""

    answer: Answer
    verdict: Verdict
    found: Found
    warnings: tuple[tuple[str, ...], ...]
    fact_warnings: tuple[tuple[str, ...], ...] = ()


def ask(
    question: str,
    access: Access,
    selection: Selection,
    options: Options,
    parts: Parts,
    mode: AnswerMode | None = None,
) -> Asked:
    """Answer with exact quotations or refuse; recorded either way.

    ``mode`` is one of those that the site allows, None for the site's own. A chat provider that
    fails is recorded with the question, then raised: ProviderError.
    """
    request, offered = prepare(question, access, selection, options, parts, mode)
    proposed = _completed(request, offered, parts)
    with transaction.atomic():
        answer, decision = settle(request, proposed, parts)
    if decision.failure:
        raise decision.failure
    both = decision.warnings, decision.fact_warnings
    return Asked(answer, decision.verdict, decision.found, *both)


def prepare(
    question: str,
    access: Access,
    selection: Selection,
    options: Options,
    parts: Parts,
    mode: AnswerMode | None = None,
) -> tuple[Request, Proposed]:
    """The question, and all of its proposal that needs no chat model; nothing is recorded."""
    chosen, options = parts.answering.chosen(mode), resolved(options, parts, question)
    request = Request(question, access, selection, options, chosen)
    return request, offered_for(question, access, selection, options, parts, chosen)


def settle(request: Request, proposed: Proposed, parts: Parts) -> tuple[Answer, Decision]:
    """The last gate and the record, in the caller's transaction."""
    decision = _decided(proposed, request.access, request.selection)
    return record(request, parts, decision), decision


def decide(
    question: str, access: Access, selection: Selection, options: Options, parts: Parts
) -> Decision:
    """What ``ask`` would answer now in the site's mode, without a record: for an evaluation."""
    request, offered = prepare(question, access, selection, options, parts)
    proposed = _completed(request, offered, parts)
    if proposed.failure:
        raise proposed.failure
    with reading():
        return _decided(proposed, access, selection)


def _completed(request: Request, offered: Proposed, parts: Parts) -> Proposed:
    """The proposal itself: a chat model is asked here, if one is to be asked."""
    if not offered.asks_model:
        return offered
    connect = parts.answering.model.connect
    return proposed_by_model(request.question, offered, connect, request.mode)


def _decided(proposed: Proposed, access: Access, selection: Selection) -> Decision:
    """The last gate, in the caller's transaction: what is quoted is served at this moment."""
    access, facts = access_now(access), proposed.facts
    texts = _served_texts(access, selection, proposed.supplied)
    verdict = _verdict(proposed, texts)
    # Beside quotations, or alone where nothing else was asked for; never in a failed model's place.
    if verdict.accepted or (proposed.facts_alone and not proposed.failure):
        verdict = with_facts(verdict, facts, stand(facts, access, selection))
    warnings = tuple(_warnings(q, verdict, texts, selection) for q in verdict.quotations)
    return Decision(
        found=proposed.found,
        verdict=verdict,
        warnings=warnings,
        support=proposed.support,
        calls=proposed.calls,
        failure=proposed.failure,
        fact_warnings=tuple(_fact_warnings(each, verdict, selection) for each in verdict.facts),
    )


def _verdict(proposed: Proposed, texts: dict[int, str]) -> Verdict:
    if proposed.failure:
        return refused_for_failure(proposed.failure)
    if proposed.refusal:
        return proposed.refusal
    return gate(proposed.proposal, proposed.supplied, lambda s: s.revision in texts)


def _served_texts(
    access: Access, selection: Selection, supplied: Sequence[Supplied]
) -> dict[int, str]:
    """Texts of the excerpts' revisions that are eligible now and say now what was retrieved.

    Raises ``SourceDamaged`` if a stored text is not the one that was approved.
    """
    rows = eligible_revisions(access, selection).filter(pk__in={s.revision for s in supplied})
    texts = {}
    for revision in rows.select_related("source"):
        sha256 = hashlib.sha256(revision.text.encode()).hexdigest()
        if sha256 != revision.text_sha256:
            raise SourceDamaged(revision.source.source_id)
        texts[revision.pk] = (sha256, revision.text)
    same = {s.revision for s in supplied if texts.get(s.revision, ("",))[0] == s.text_sha256}
    return {key: text for key, (_, text) in texts.items() if key in same}


def _warnings(
    quotation: Quotation, verdict: Verdict, texts: dict[int, str], selection: Selection
) -> tuple[str, ...]:
    """What the reader must know beside the quotation; found by code, not by a model."""
    text = texts[quotation.supplied.revision]
    others = (q for q in verdict.quotations if q.supplied.source_id != quotation.supplied.source_id)
    notices = {
        "partial sentence": is_partial(text, quotation.start_char, quotation.end_char),
        "the passage goes on with an exception": goes_on_with_exception(text, quotation.end_char),
        "sources disagree": any(disagree(quotation.quote, other.quote) for other in others),
        "not in force": selection.archive,
    }
    return tuple(notice for notice, applies in notices.items() if applies)


def _fact_warnings(fact: StatedFact, verdict: Verdict, selection: Selection) -> tuple[str, ...]:
    notices = {
        "sources disagree": any(contradicts(fact.fact, other.fact) for other in verdict.facts),
        "not in force": selection.archive,
    }
    return tuple(notice for notice, applies in notices.items() if applies)
