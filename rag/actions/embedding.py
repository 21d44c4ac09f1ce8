"""Pay for the vectors that are missing, batch by batch, outside the index."""

import hashlib
from collections.abc import Iterator, Sequence

import numpy as np
from django.db import transaction

from rag.actions.planning import Plan, PlannedPassage
from rag.core.embeddings import (
    Cancel,
    ContextualEmbedder,
    Embedder,
    Vectors,
    checked_batch,
    embed_in_batches,
    is_contextual,
    stop_if,
)
from rag.core.sources import State
from rag.models import Passage, Revision


class Overtaken(Exception):
    """The corpus lost something that this rebuild had planned with; plan again."""


def embed(
    embedder: Embedder | ContextualEmbedder,
    unpaid: Sequence[PlannedPassage],
    planned: Plan,
    cancelled: Cancel,
) -> Iterator[Sequence[PlannedPassage]]:
    """Embed and store; yields each batch once it is committed.

    Raises ``Cancelled``, ``Overtaken``, and whatever the embedder raises.
    """
    for batch, vectors in _vectors(embedder, unpaid, planned, cancelled):
        _store(batch, vectors)
        yield batch


def _vectors(
    embedder: Embedder | ContextualEmbedder,
    unpaid: Sequence[PlannedPassage],
    planned: Plan,
    cancelled: Cancel,
) -> Iterator[tuple[Sequence[PlannedPassage], Vectors]]:
    if is_contextual(embedder):
        yield from _whole_documents(embedder, unpaid, planned, cancelled)
        return
    texts = [passage.input for passage in unpaid]
    batches = embed_in_batches(embedder, texts, cancelled=cancelled, progress=lambda done: None)
    for positions, vectors in batches:
        yield unpaid[positions.start : positions.stop], vectors


def _whole_documents(
    embedder: ContextualEmbedder,
    unpaid: Sequence[PlannedPassage],
    planned: Plan,
    cancelled: Cancel,
) -> Iterator[tuple[Sequence[PlannedPassage], Vectors]]:
    """All chunks of each document that has an unpaid one, a document a call."""
    chunks: dict[int, list[PlannedPassage]] = {passage.revision: [] for passage in unpaid}
    for row in planned.rows:
        if row.revision in chunks:
            chunks[row.revision].append(planned.passages[row.passage])
    for number, revision in enumerate(planned.revisions, start=1):
        whole = chunks.get(revision.pk)
        if not whole:
            continue
        stop_if(cancelled)
        raw = embedder.embed_document(
            revision.document_id,
            revision.title,
            [passage.text for passage in whole],
            cancelled=cancelled,
            progress=lambda done: None,
        )
        yield whole, checked_batch(raw, len(whole), embedder.profile, number)


def reuse_vectors(missing: Sequence[PlannedPassage], dimension: int) -> list[PlannedPassage]:
    """Store what needs only new terms, under a vector already paid for; the rest is returned."""
    unpaid = []
    for passage in missing:
        row = Passage.objects.filter(vector_key=passage.vector_key).first()
        if row is None or not row.has_sound_vector(passage.input, dimension):
            unpaid.append(passage)
        else:
            _store([passage], np.frombuffer(bytes(row.vector), dtype="<f4").reshape(1, -1))
    return unpaid


def _store(batch: Sequence[PlannedPassage], vectors: Vectors) -> None:
    """Write a batch outside the index. Nothing of a source erased meanwhile is written."""
    blobs = [vector.astype("<f4").tobytes() for vector in vectors]
    rows = [_row(passage, blob) for passage, blob in zip(batch, blobs, strict=True)]
    with transaction.atomic():
        _check_none_erased({passage.revision for passage in batch})
        Passage.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["key"],
            update_fields=[
                *("vector_key", "text", "vector", "vector_sha256", "terms", "terms_sha256")
            ],
        )


def _row(passage: PlannedPassage, vector: bytes) -> Passage:
    terms = passage.terms().to_bytes()
    return Passage(
        key=passage.key,
        vector_key=passage.vector_key,
        text=passage.input,
        vector=vector,
        vector_sha256=hashlib.sha256(vector).hexdigest(),
        terms=terms,
        terms_sha256=hashlib.sha256(terms).hexdigest(),
    )


def _check_none_erased(revisions: set[int]) -> None:
    if Revision.objects.filter(pk__in=revisions, state=State.ERASED.value).exists():
        raise Overtaken
