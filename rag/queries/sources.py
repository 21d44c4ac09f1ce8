"""Sources as people browse and open them. Rows that the access may not read are never looked at."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet

from rag.core.errors import NotFound, SourceDamaged
from rag.core.sources import Access, Selection
from rag.core.text import fold
from rag.models import Answer, Revision
from rag.queries.eligibility import eligible_revisions, readable_revisions

# The catalogue lists copies, too: they are in force, only a search leaves them out.
_IN_FORCE = Selection(canonical_only=False)


@dataclass(frozen=True)
class Wanted:
    """What a person narrows the catalogue to; ``scope`` and ``words`` empty mean all.

    ``everything``: what may be opened although it is not in force, too.
    """

    scope: str = ""
    words: str = ""
    everything: bool = False


def listed(access: Access, reviews: bool, wanted: Wanted) -> list[int]:
    """Keys of the wanted revisions, by title, id and first day in force, newest first.

    Compared in Python: SQLite folds the case of ASCII letters only.
    """
    rows = _wanted_rows(access, reviews, wanted)
    words = fold(wanted.words).split()
    found = []
    for key, title, source_id, start in rows.values_list(
        "pk", "title", "source__source_id", "valid_from"
    ):
        title = fold(title)
        searched = f"{title} {fold(source_id)}"
        if all(word in searched for word in words):
            found.append((title, source_id, -_first_day(start).toordinal(), -key))
    return [-minus for *_, minus in sorted(found)]


def _wanted_rows(access: Access, reviews: bool, wanted: Wanted) -> QuerySet[Revision]:
    if wanted.everything:
        rows = readable_revisions(access, reviews)
    else:
        rows = eligible_revisions(access, _IN_FORCE)
    return rows.filter(source__scope__name=wanted.scope) if wanted.scope else rows


def in_force_by_scope(access: Access) -> list[tuple[str, int]]:
    """How many sources each scope of the access has in force; every scope is named."""
    rows = eligible_revisions(access, _IN_FORCE).values_list("source__scope__name")
    counts = dict.fromkeys(sorted(access.scopes), 0)
    counts |= dict(rows.annotate(Count("source", distinct=True)))
    return list(counts.items())


def revisions_by_key(keys: Sequence[int]) -> list[Revision]:
    """Those revisions without their texts, in the order of ``keys`` (one page of them)."""
    rows = Revision.objects.defer("text").select_related("source__scope").in_bulk(keys)
    return [rows[key] for key in keys]


def opened(document_id: str, access: Access, reviews: bool) -> Revision:
    """The revision with its text; ``NotFound`` if it is missing or may not be opened.

    ``SourceDamaged`` if the text is not the one that was imported: no mark would be right.
    """
    rows = readable_revisions(access, reviews).filter(document_id=document_id)
    revision = rows.select_related("source__scope").prefetch_related("attributes").first()
    if revision is None:
        raise NotFound("source", document_id)
    if hashlib.sha256(revision.text.encode()).hexdigest() != revision.text_sha256:
        raise SourceDamaged(revision.source.source_id)
    return revision


def versions(revision: Revision, access: Access, reviews: bool) -> list[Revision]:
    """The revisions of the same source that may be opened, without texts, newest first."""
    rows = readable_revisions(access, reviews).filter(source_id=revision.source_id).defer("text")
    return sorted(
        rows.select_related("source__scope"),
        key=lambda row: (_first_day(row.valid_from), row.pk),
        reverse=True,
    )


def answers_quoting(revision: Revision, person: User) -> int:
    """How many of the person's own answers quote this revision, or a product fact of it."""
    cited = Q(citations__revision=revision) | Q(facts__revision=revision)
    return Answer.objects.filter(cited, person=person).distinct().count()


def _first_day(day: date | None) -> date:
    """For sorting: what has no first day yet is the newest."""
    return day or date.max
