"""Where the relevant passages of a case lie in the texts and in the index."""

from dataclasses import replace

from django.db.models import Q, QuerySet

from rag.core.cases import Case, Relevant
from rag.core.errors import InvalidCase
from rag.core.sources import Access, Selection
from rag.models import Chunk, Revision
from rag.queries.eligibility import eligible_revisions


def located(case: Case, access: Access, selection: Selection) -> tuple[Relevant, ...]:
    """The case's spans, with offsets for those that name a quotation alone.

    Its first place counts. A quotation that no eligible text holds raises ``InvalidCase``.
    """
    return tuple(_located(span, case, access, selection) for span in case.relevant)


def _located(span: Relevant, case: Case, access: Access, selection: Selection) -> Relevant:
    if span.start_char is not None or not span.quote:
        return span
    for text in _revisions(span, access, selection).values_list("text", flat=True):
        at = text.find(span.quote)
        if at >= 0:
            return replace(span, start_char=at, end_char=at + len(span.quote))
    raise InvalidCase(case.case_id, "quote", f"a quotation of {span.source_id}, which has no such")


def relevant_chunks(case: Case, access: Access, selection: Selection) -> int:
    """How many chunks that may be found overlap one of the case's spans."""
    wanted = Q(pk__in=[])
    for span in case.relevant:
        inside = Q(revision__in=_revisions(span, access, selection))
        if span.start_char is not None:
            inside &= Q(start_char__lt=span.end_char, end_char__gt=span.start_char)
        wanted |= inside
    return Chunk.objects.filter(wanted).distinct().count() if case.relevant else 0


def _revisions(span: Relevant, access: Access, selection: Selection) -> QuerySet[Revision]:
    rows = eligible_revisions(access, selection).filter(source__source_id=span.source_id)
    return rows.filter(version=span.version) if span.version else rows
