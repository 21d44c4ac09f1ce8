"""What lies near a refused question: recorded hits that the person may still be shown."""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db.models import QuerySet

from rag.core.index import Snapshot
from rag.core.lexical import term_id
from rag.core.postings import Mask
from rag.core.refusals import codes
from rag.core.sources import Access, Governed, Selection
from rag.models import Answer, AskedQuestion, Chunk, ProductFact, Revision
from rag.queries.answers import selection_of
from rag.queries.eligibility import eligible_revisions, governed
from rag.queries.reading import reading
from rag.queries.snapshots import snapshot_for


@dataclass(frozen=True)
class Near:
    """A passage that was found and did not answer; offsets are those of the revision's text."""

    revision: Revision
    governed: Governed
    section: str
    context: str
    start_char: int
    end_char: int
    cosine: float | None

    @property
    def text(self) -> str:
        return self.revision.text[self.start_char : self.end_char]


def near(answer: AskedQuestion, access: Access, most: int) -> tuple[Near, ...]:
    """The best recorded hits whose revisions ``access`` is still served on the day asked for.

    The hits of an answer are those of a search, before the answer's own gates; those of a pending
    one are the excerpts that its model was given.
    """
    rows = eligible_revisions(access, selection_of(answer))
    served = set(
        rows.filter(document_id__in={hit["document_id"] for hit in answer.hits}).values_list(
            "document_id", flat=True
        )
    )
    kept = [hit for hit in answer.hits if hit["document_id"] in served][:most]
    found = rows.filter(document_id__in={hit["document_id"] for hit in kept})
    sound = {r.document_id: r for r in found.select_related("source__scope") if _is_sound(r)}
    return tuple(_near(h, sound[h["document_id"]]) for h in kept if h["document_id"] in sound)


def _is_sound(revision: Revision) -> bool:
    return hashlib.sha256(revision.text.encode()).hexdigest() == revision.text_sha256


def _near(hit: dict[str, Any], revision: Revision) -> Near:
    place = {"start_char": hit["start_char"], "end_char": hit["end_char"]}
    chunk = Chunk.objects.filter(revision=revision, **place).first()
    return Near(
        revision=revision,
        governed=governed(revision),
        section=chunk.section if chunk else "",
        context=chunk.context if chunk else revision.title,
        cosine=hit["cosine"],
        **place,
    )


def unmentioned(answer: Answer, access: Access) -> tuple[str, ...]:
    """The question's codes, as typed, in no source that ``access`` is served on the day asked for.

    Looked up in the index over the eligible rows alone, so what may not be read says nothing.
    """
    asked = codes(answer.question)
    if not asked:
        return ()
    # Whatever the question was narrowed to: "no source" must mean none.
    everything = Selection(selection_of(answer).statuses, canonical_only=False)
    with reading():
        rows = eligible_revisions(access, everything)
        products, keys = _products(rows), list(rows.values_list("pk", flat=True))
        snapshot = snapshot_for(keys)
    eligible = snapshot.mask(keys)
    return tuple(
        written
        for code, written in asked.items()
        if code not in products and not _is_indexed(code, snapshot, eligible)
    )


def _products(rows: QuerySet[Revision]) -> set[str]:
    """The folded codes of the products that sources are about and that facts are stated of."""
    facts = ProductFact.objects.filter(revision__in=rows).values_list("product", flat=True)
    named = set(facts) | set(rows.values_list("product", flat=True))
    return {code for product in named for code in codes(product)}


def _is_indexed(code: str, snapshot: Snapshot, eligible: Mask) -> bool:
    """Whether title or text of any eligible row holds the code; contexts repeat only those."""
    rows = snapshot.plain.rows_with(np.uint64(term_id("", code)))
    return bool(eligible[rows].any())
