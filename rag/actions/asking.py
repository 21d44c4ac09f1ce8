"""Ask: search, gate, propose, gate again, record. What is published is decided here by code."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction

from rag.actions.profiles import Parts
from rag.actions.proposing import Proposed, proposed_for
from rag.actions.searching import Found, resolved
from rag.core.answerability import Support
from rag.core.answers import (
    Quotation,
    Supplied,
    Verdict,
    gate,
    refused_without_excerpts,
    with_facts,
)
from rag.core.conflicts import disagree
from rag.core.errors import SourceDamaged
from rag.core.facts import StatedFact
from rag.core.hits import Hit
from rag.core.product_questions import contradicts
from rag.core.retrieval import Options
from rag.core.sources import Access, Selection
from rag.core.text import goes_on_with_exception, is_partial
from rag.models import Answer, Citation, FactCitation, Revision
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


@dataclass(frozen=True)
class Decision:
    """What the gates made of a question; nothing is recorded yet."""

    found: Found
    verdict: Verdict
    warnings: tuple[tuple[str, ...], ...]
    support: Support | None = None
    fact_warnings: tuple[tuple[str, ...], ...] = ()


def ask(
    question: str, access: Access, selection: Selection, options: Options, parts: Parts
) -> Asked:
    """Answer with exact quotations or refuse; recorded either way."""
    options = resolved(options, parts, question)
    proposed = proposed_for(question, access, selection, options, parts)
    with transaction.atomic():
        decision = _decided(proposed, access, selection)
        answer = _record(question, access, selection, options, parts, decision)
    both = decision.warnings, decision.fact_warnings
    return Asked(answer, decision.verdict, decision.found, *both)


def decide(
    question: str, access: Access, selection: Selection, options: Options, parts: Parts
) -> Decision:
    """What ``ask`` would answer now, without a record: for an evaluation."""
    proposed = proposed_for(question, access, selection, options, parts)
    with reading():
        return _decided(proposed, access, selection)


def _decided(proposed: Proposed, access: Access, selection: Selection) -> Decision:
    """The last gate, in the caller's transaction: what is quoted is served at this moment."""
    access, facts = access_now(access), proposed.facts
    texts = _served_texts(access, selection, proposed.supplied)
    if proposed.supplied:
        verdict = gate(proposed.proposal, proposed.supplied, lambda s: s.revision in texts)
    else:
        verdict = refused_without_excerpts()
    verdict = with_facts(verdict, facts, stand(facts, access, selection))
    warnings = tuple(_warnings(q, verdict, texts, selection) for q in verdict.quotations)
    stated = tuple(_fact_warnings(fact, verdict, selection) for fact in verdict.facts)
    return Decision(proposed.found, verdict, warnings, proposed.support, stated)


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


def _record(
    question: str,
    access: Access,
    selection: Selection,
    options: Options,
    parts: Parts,
    decision: Decision,
) -> Answer:
    found, verdict = decision.found, decision.verdict
    answer = Answer.objects.create(
        asker=access.user,
        person=User.objects.filter(username=access.user).first() if access.live else None,
        scopes=sorted(access.scopes),
        question=question,
        as_of=access.as_of,
        options=_options(selection, options),
        policy=options.policy.name,
        proposer=parts.proposer.name,
        gate=parts.gate.name,
        manifest=found.manifest,
        status="accepted" if verdict.accepted else "refused",
        text=verdict.text,
        reason_code=verdict.reason_code,
        reason=verdict.reason,
        hits=[_without_text(hit) for hit in found.hits],
    )
    for position, quotation in enumerate(verdict.quotations):
        _cite(answer, position, quotation, decision.warnings[position])
    for position, fact in enumerate(verdict.facts):
        _state(answer, position, fact, decision.fact_warnings[position])
    return answer


def _options(selection: Selection, options: Options) -> dict[str, Any]:
    return {
        "mode": options.mode.value,
        "k": options.k,
        "min_cosine": options.min_cosine,
        "required_terms": list(options.required_terms),
        "statuses": sorted(status.value for status in selection.statuses),
        "product": selection.product,
        "filters": sorted([list(pair) for pair in selection.filters]),
        "canonical_only": selection.canonical_only,
    }


def _without_text(hit: Hit) -> dict[str, Any]:
    """A hit by place and figures: recorded answers hold no more text than they cite."""
    kept = ("chunk_id", "document_id", "start_char", "end_char", "cosine", "lexical", "rank")
    return {key: value for key, value in hit.to_dict().items() if key in kept}


def _cite(answer: Answer, position: int, quotation: Quotation, warnings: tuple[str, ...]) -> None:
    revision = Revision.objects.get(pk=quotation.supplied.revision)
    Citation.objects.create(
        answer=answer,
        position=position,
        revision=revision,
        chunk_id=quotation.supplied.chunk_id,
        label=quotation.supplied.label,
        start_char=quotation.start_char,
        end_char=quotation.end_char,
        quote=quotation.quote,
        quote_sha256=hashlib.sha256(quotation.quote.encode()).hexdigest(),
        source_sha256=revision.source_sha256,
        warnings=list(warnings),
    )


def _state(answer: Answer, position: int, stated: StatedFact, warnings: tuple[str, ...]) -> None:
    revision, fact = Revision.objects.get(pk=stated.revision), stated.fact
    FactCitation.objects.create(
        answer=answer,
        position=position,
        revision=revision,
        label=stated.source_id,
        product=fact.product,
        name=fact.name,
        value=fact.value,
        fact_sha256=fact.sha256,
        source_sha256=revision.source_sha256,
        warnings=list(warnings),
    )
