"""What stays on record of a question: who asked what of whom, the verdict, and its citations."""

import hashlib
import uuid
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from rag.actions.profiles import Parts
from rag.actions.searching import Found
from rag.core.answerability import Support
from rag.core.answers import Quotation, Verdict
from rag.core.chat import AnswerMode, Calls
from rag.core.errors import ProviderError
from rag.core.facts import StatedFact
from rag.core.hits import Hit
from rag.core.prompts import PROMPT
from rag.core.retrieval import Options
from rag.core.sources import Access, Selection
from rag.models import Answer, Citation, FactCitation, Revision


@dataclass(frozen=True)
class Request:
    """A question with all that it is answered by, and the id that its record will have."""

    question: str
    access: Access
    selection: Selection
    options: Options
    mode: AnswerMode
    answer_id: uuid.UUID = field(default_factory=uuid.uuid4)
    asked_at: datetime = field(default_factory=timezone.now)


@dataclass(frozen=True)
class Decision:
    """What the gates made of a question; ``failure`` if the model's provider failed instead."""

    found: Found
    verdict: Verdict
    warnings: tuple[tuple[str, ...], ...]
    support: Support | None
    calls: Calls
    failure: ProviderError | None = None
    fact_warnings: tuple[tuple[str, ...], ...] = ()


def record(request: Request, parts: Parts, decision: Decision) -> Answer:
    """Store the answer in the caller's transaction."""
    found, verdict, access = decision.found, decision.verdict, request.access
    answer = Answer.objects.create(
        id=request.answer_id,
        asked_at=request.asked_at,
        asker=access.user,
        person=User.objects.filter(username=access.user).first() if access.live else None,
        scopes=sorted(access.scopes),
        question=request.question,
        as_of=access.as_of,
        options=options_of(request.selection, request.options),
        policy=request.options.policy.name,
        proposer=proposer_name(request.mode, parts),
        gate=parts.gate.name,
        manifest=found.manifest,
        status="accepted" if verdict.accepted else "refused",
        text=verdict.text,
        reason_code=verdict.reason_code,
        reason=verdict.reason,
        hits=without_texts(found.hits),
        retrieval_calls=decision.calls.retrieval,
        chat_calls=decision.calls.chat,
    )
    for position, quotation in enumerate(verdict.quotations):
        _cite(answer, position, quotation, decision.warnings[position])
    for position, fact in enumerate(verdict.facts):
        _state(answer, position, fact, decision.fact_warnings[position])
    return answer


def proposer_name(mode: AnswerMode, parts: Parts) -> str:
    """Who proposes: the extractive proposer, or mode, model and version of the prompt."""
    if mode is AnswerMode.EXTRACTIVE:
        return parts.proposer.name
    return f"{mode}/{parts.answering.model.profile.name}/{PROMPT}"


def options_of(selection: Selection, options: Options) -> dict[str, Any]:
    """How the question was searched for, as it stands on record."""
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


def without_texts(hits: Iterable[Hit]) -> list[dict[str, Any]]:
    """Hits by place and figures: recorded answers hold no more text than they cite."""
    kept = ("chunk_id", "document_id", "start_char", "end_char", "cosine", "lexical", "rank")
    return [{key: value for key, value in hit.to_dict().items() if key in kept} for hit in hits]


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
