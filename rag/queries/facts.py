"""Product facts as a request may be told them: those of live eligible revisions alone."""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from django.db.models import QuerySet

from rag.core.errors import IndexDamaged, SourceDamaged
from rag.core.facts import Fact, StatedFact, product_facts
from rag.core.product_questions import asks_no_more, facts_asked, products_named
from rag.core.sources import Access, Selection
from rag.models import ProductFact, Revision
from rag.queries.eligibility import access_now, eligible_revisions
from rag.queries.reading import reading

_FIELDS = ("product", "name", "value", "revision_id", "revision__source__source_id",
           "revision__language")  # fmt: skip


class AskedFacts(NamedTuple):
    """The facts that a question names; ``whole``: it asks for their values and nothing besides."""

    facts: tuple[StatedFact, ...] = ()
    whole: bool = False


def asked_facts(question: str, access: Access, selection: Selection) -> AskedFacts:
    """The facts that the question names, of what ``access`` is served on the day asked for."""
    with reading():
        rows = _eligible(access_now(access), selection)
        named = products_named(question, set(rows.values_list("product", flat=True).distinct()))
        if not named:
            return AskedFacts()
        stored = rows.filter(product__in=named).values_list(*_FIELDS)
        stated = [_stated(*row) for row in stored]
        return AskedFacts(facts_asked(question, stated), asks_no_more(question, stated))


def stand(facts: Iterable[StatedFact], access: Access, selection: Selection) -> bool:
    """Whether each fact is eligible in this transaction and equals the stored value.

    Raises ``SourceDamaged`` or ``IndexDamaged`` if a stored text, or a stored fact, is not what
    was approved.
    """
    return all(_stands(each, access, selection) for each in facts)


def _stands(stated: StatedFact, access: Access, selection: Selection) -> bool:
    fact = stated.fact
    key = {"revision": stated.revision, "product": fact.product, "name": fact.name}
    row = _eligible(access, selection).filter(**key).select_related("revision__source").first()
    if row is None:
        return False
    if Fact(row.product, row.name, row.value) not in facts_of(row.revision):
        raise IndexDamaged("a product fact is not what its source states", stated.source_id)
    return row.value == fact.value


def facts_of(revision: Revision) -> tuple[Fact, ...]:
    """What the text of a facts file states. Raises ``SourceDamaged`` if it was altered."""
    if hashlib.sha256(revision.text.encode()).hexdigest() != revision.text_sha256:
        raise SourceDamaged(revision.source.source_id)
    return product_facts(revision.text)


def _eligible(access: Access, selection: Selection) -> QuerySet[ProductFact]:
    """The facts of eligible revisions. What a search is narrowed to is a fact's own product."""
    revisions = eligible_revisions(access, replace(selection, product=""))
    rows = ProductFact.objects.filter(revision__in=revisions.values("pk"))
    return rows.filter(product=selection.product) if selection.product else rows


def _stated(
    product: str, name: str, value: str, revision: int, source_id: str, language: str
) -> StatedFact:
    return StatedFact(Fact(product, name, value), revision, source_id, language)
