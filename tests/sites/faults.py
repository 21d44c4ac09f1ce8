"""The rules of access, each of which can be taken out to see whether a test would notice."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from unittest.mock import patch

import numpy as np
from django.db.models import Q, QuerySet

from rag.core.index import Snapshot
from rag.core.lexical import Floats, Ids, Rows
from rag.core.postings import Mask, Postings, bm25
from rag.core.sources import Access, Selection, State, Status
from rag.core.surroundings import bm25_around
from rag.models import Revision

# Conditions of the one eligibility query.
CONDITIONS: Final = ("scope", "state", "window", "status", "canonical")
# ``nothing`` is the control: the query of this file with all its conditions.
NOTHING: Final = "nothing"
# Figures over every row of the index, shown for the eligible ones alone.
STATISTICS: Final = "statistics"
SURROUNDINGS: Final = "surroundings"


@contextmanager
def fault(name: str) -> Iterator[None]:
    """Do without the rule of that name, in search and in ask."""
    if name == STATISTICS:
        with patch("rag.core.retrieval.bm25", bm25_over_all_rows):
            yield
        return

    if name == SURROUNDINGS:
        with patch("rag.core.retrieval.bm25_around", bm25_around_all_rows):
            yield
        return

    def without(access: Access, selection: Selection) -> QuerySet[Revision]:
        return eligible(access, selection, name)

    with (
        patch("rag.queries.groups.eligible_revisions", without),
        patch("rag.actions.asking.eligible_revisions", without),
    ):
        yield


def eligible(access: Access, selection: Selection, missing: str) -> QuerySet[Revision]:
    """``rag.queries.eligibility.eligible_revisions`` without one of its conditions."""
    assert missing in (*CONDITIONS, NOTHING)
    kept = [rule for name, rule in _rules(access, selection).items() if name != missing]
    rows = Revision.objects.filter(*kept)
    for key, value in selection.filters:
        rows = rows.filter(attributes__key=key, attributes__value=value)
    return rows


def _rules(access: Access, selection: Selection) -> dict[str, Q]:
    served = Q(status=Status.CURRENT) | Q(status=Status.SUPERSEDED, valid_until__isnull=False)
    begun = Q(valid_from__lte=access.as_of)
    lasts = Q(valid_until__isnull=True) | Q(valid_until__gte=access.as_of)
    return {
        "scope": Q(source__scope__name__in=access.scopes),
        "state": Q(state=State.APPROVED),
        "window": Q() if selection.archive else begun & lasts,
        "status": Q() if selection.archive else served,
        "canonical": Q(canonical=True) if selection.canonical_only else Q(),
        "product": Q(product=selection.product) if selection.product else Q(),
        "statuses": Q(status__in=selection.statuses) if selection.statuses else Q(),
    }


def bm25_over_all_rows(postings: Postings, lengths: Rows, eligible: Mask, terms: Ids) -> Floats:
    """What SQLite's FTS5 does: the statistics of hidden rows move the scores of visible ones."""
    scores = bm25(postings, lengths, np.ones_like(eligible), terms)
    return np.where(eligible, scores, 0.0)


def bm25_around_all_rows(
    index: Snapshot, revisions: Mask, terms: Ids, rows: Rows, reaches: Sequence[int | None]
) -> list[Floats]:
    """The same with what stands around a passage."""
    return bm25_around(index, np.ones_like(revisions), terms, rows, reaches)
