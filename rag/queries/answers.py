"""A person's recorded answers, and what stands behind their citations now."""

from dataclasses import dataclass, replace
from datetime import date
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import QuerySet

from rag.core.chat import AnswerMode
from rag.core.citations import Sight, is_intact, sight
from rag.core.errors import InvalidText, NotFound
from rag.core.facts import Fact, product_facts
from rag.core.paths import SEPARATOR, path_at
from rag.core.sources import Access, Governed, Selection, Status
from rag.models import (
    Answer,
    AskedQuestion,
    Citation,
    FactCitation,
    PendingAnswer,
    Revision,
)
from rag.queries.eligibility import eligible_revisions, governed, readable_revisions


@dataclass(frozen=True)
class Opened:
    """A citation with what stands behind it, for who may read that."""

    citation: Citation
    revision: Revision
    governed: Governed
    section: str
    in_force_today: str  # document id of another version of the source, if one is


@dataclass(frozen=True)
class Cited:
    """A citation's place in its answer, from 1; ``opened`` is None unless it may be read."""

    number: int
    sight: Sight
    opened: Opened | None


@dataclass(frozen=True)
class StatedNow:
    """A recorded product fact as it may be shown; ``revision`` is None unless it may be read.

    ``letter`` is its mark in its answer: A, B, C.
    """

    letter: str
    citation: FactCitation
    sight: Sight
    governed: Governed
    revision: Revision | None
    in_force_today: str  # document id of another version of the source, if one is


def mode_of(asked: AskedQuestion) -> str:
    """The answer mode: a chat mode stands before the model's name in the record of who proposed."""
    if isinstance(asked, PendingAnswer):
        return asked.mode
    mode = asked.proposer.partition("/")[0] if isinstance(asked, Answer) else ""
    return mode if mode in set(AnswerMode) else AnswerMode.EXTRACTIVE.value


def own_answers(person: User) -> QuerySet[Answer]:
    """The person's questions, newest first, without what was found."""
    rows = Answer.objects.filter(person=person).order_by("-asked_at", "-pk")
    return rows.defer("text", "hits", "options", "scopes")


def own_answer(person: User, answer_id: UUID) -> Answer:
    """One of the person's answers. Somebody else's is as unknown as one that never was."""
    answer = Answer.objects.filter(person=person, pk=answer_id).first()
    if answer is None:
        raise NotFound("answer", str(answer_id))
    return answer


def products_of(access: Access) -> list[str]:
    """The products that texts of the person's scopes are about, whatever the day."""
    rows = readable_revisions(access, reviews=False).exclude(kind=Revision.Kind.FACTS)
    named = rows.exclude(product="").order_by("product").values_list("product", flat=True)
    return list(named.distinct())


def selection_of(answer: AskedQuestion) -> Selection:
    """What the recorded question was narrowed to."""
    return Selection(
        statuses=frozenset(Status(status) for status in answer.options["statuses"]),
        product=answer.options["product"],
        filters=frozenset((key, value) for key, value in answer.options["filters"]),
        canonical_only=answer.options["canonical_only"],
    )


def cited(answer: Answer, access: Access, reviews: bool, today: date) -> tuple[Cited, ...]:
    """The answer's citations as ``access`` may see them now."""
    rows = answer.citations.select_related("revision__source__scope").order_by("position")
    return tuple(_cited(row, access, reviews, today) for row in rows)


def _cited(citation: Citation, access: Access, reviews: bool, today: date) -> Cited:
    revision = citation.revision
    facts = governed(revision)
    place = citation.start_char, citation.end_char
    intact = is_intact(revision.text, *place, citation.quote, citation.quote_sha256)
    seen = sight(facts, access, reviews, intact)
    opened = None
    if seen.opens_source:
        newer = _in_force(revision, replace(access, as_of=today))
        section = SEPARATOR.join(path_at(revision.text, *place))
        opened = Opened(citation, revision, facts, section, newer)
    return Cited(citation.position + 1, seen, opened)


def stated(answer: Answer, access: Access, reviews: bool, today: date) -> tuple[StatedNow, ...]:
    """The answer's product facts as ``access`` may see them now."""
    rows = answer.facts.select_related("revision__source__scope").order_by("position")
    return tuple(_stated(row, access, reviews, today) for row in rows)


def _stated(citation: FactCitation, access: Access, reviews: bool, today: date) -> StatedNow:
    revision = citation.revision
    standing = governed(revision)
    seen = sight(standing, access, reviews, _is_stated(citation, revision.text))
    opened = seen.opens_source
    newer = _in_force(revision, replace(access, as_of=today)) if opened else ""
    letter = chr(ord("A") + citation.position)
    return StatedNow(letter, citation, seen, standing, revision if opened else None, newer)


def fact_of(citation: FactCitation) -> Fact:
    """The fact that was recorded."""
    return Fact(citation.product, citation.name, citation.value)


def _is_stated(citation: FactCitation, text: str) -> bool:
    """Whether the text states the fact, and it has the SHA-256 that was recorded."""
    fact = fact_of(citation)
    try:
        return fact.sha256 == citation.fact_sha256 and fact in product_facts(text)
    except InvalidText:
        return False


def _in_force(revision: Revision, access: Access) -> str:
    """Another version of the same source that is in force on the day of ``access``."""
    others = eligible_revisions(access, Selection(canonical_only=False)).filter(
        source=revision.source
    )
    newest = others.exclude(pk=revision.pk).order_by("-valid_from", "-pk")
    return newest.values_list("document_id", flat=True).first() or ""
