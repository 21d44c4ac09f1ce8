"""The index as this process holds it: read from the tables, checked while reading."""

import gc
import hashlib
import sys
from collections.abc import Collection, Generator, Iterator
from contextlib import closing, contextmanager
from typing import Final

import numpy as np
from django.db.models import Count, Exists, OuterRef, QuerySet

from rag import models
from rag.core.errors import IndexDamaged, IndexMissing, SourceDamaged
from rag.core.index import (
    ChunkRow,
    Manifest,
    Snapshot,
    StoredPassage,
    build_snapshot,
    embedding_input,
)
from rag.core.lexical import Gathered
from rag.models import Chunk, Revision
from rag.queries.holding import Holder, Tables

# The columns of a ``ChunkRow``, in its order.
FIELDS: Final = (
    *("revision_id", "revision__document_id", "revision__source__source_id", "part"),
    *("start_char", "end_char", "start_line", "end_line", "section", "context", "passage_id"),
)
TEXT: Final = ("source__source_id", "text", "text_sha256")
SWITCH_SECONDS: Final = 0.0005


def stored_manifest() -> tuple[Manifest, str]:
    """The manifest and its generation. Raises ``IndexMissing``."""
    row = models.Manifest.objects.filter(pk=1).first()
    if row is None:
        raise IndexMissing
    return Manifest.from_dict(row.content), row.generation


def stored_generation() -> str:
    """The generation alone, which every request asks for. Raises ``IndexMissing``."""
    generation = models.Manifest.objects.filter(pk=1).values_list("generation", flat=True).first()
    if generation is None:
        raise IndexMissing
    return generation


def snapshot_for(revisions: Collection[int]) -> Snapshot:
    """A snapshot that ranks these eligible revisions as the index of the open transaction does.

    It may be an older one while a new index is loaded, if both hold the same chunks of them.
    """
    return _holder.snapshot_for(revisions)


def current_snapshot() -> Snapshot:
    """The snapshot of the very index that the open transaction sees."""
    return _holder.snapshot_of(stored_generation())


def current_manifest() -> Manifest:
    """The manifest that the open transaction sees; not parsed again if its index is held."""
    held = _holder.held(stored_generation())
    return held.manifest if held else stored_manifest()[0]


def load_snapshot(manifest: Manifest, generation: str) -> Snapshot:
    """Read and check the whole index. Raises ``IndexDamaged`` naming what is wrong."""
    with _beside_requests():
        return _loaded(manifest, generation)


@contextmanager
def _beside_requests() -> Iterator[None]:
    """Hold up the process's other threads as little as may be. Measured at 100,000 chunks.

    Python's collections of garbage stop them all for a sixth of a second, and would find nothing:
    everything that is read is kept. And a search gives the interpreter away whenever it reads or
    calculates, to get it back only after the switch interval: the longest took 0.6 s with Python's
    5 ms, 0.15 s with this one.
    """
    collecting, interval = gc.isenabled(), sys.getswitchinterval()
    gc.disable()
    sys.setswitchinterval(SWITCH_SECONDS)
    try:
        yield
    finally:
        sys.setswitchinterval(interval)
        if collecting:
            gc.enable()


def _loaded(manifest: Manifest, generation: str) -> Snapshot:
    places, count = _places()
    if count != manifest.chunks:
        raise IndexDamaged(f"it holds {count} chunks, but its manifest says {manifest.chunks}")
    matrix = np.empty((count, manifest.dimension), dtype=np.float32)
    rows: dict[int, ChunkRow] = {}
    terms: dict[int, bytes] = {}
    with closing(_stored_rows()) as stored:
        for row, passage in stored:
            at = next(places[row.revision])
            matrix[at] = passage.vector_of(manifest.dimension, row)
            terms[at] = passage.terms_of(row)
            rows[at] = row
    in_order = range(count)
    # What was read goes before the inverted lists are built, which take as much again.
    gathered = Gathered.of([terms.pop(at) for at in in_order])
    return build_snapshot(manifest, generation, [rows[at] for at in in_order], matrix, gathered)


def stored_chunks() -> Iterator[ChunkRow]:
    """Every indexed chunk in the order of (source id, document id, part)."""
    rows = _in_order().values_list(*FIELDS)
    return (ChunkRow._make(row) for row in rows.iterator(chunk_size=2000))


def differing_revisions(snapshot: Snapshot) -> frozenset[int]:
    """Keys of the revisions whose chunks the open transaction sees otherwise than ``snapshot``.

    A digest covers every field of a chunk, and which chunks there are. What a passage's key covers
    (text, vector, terms) is the same where the key is.
    """
    indexed = Revision.objects.filter(indexed=True).values_list("pk", "chunks_sha256")
    stored, held = dict(indexed), snapshot.digests
    differing = {key for key, digest in stored.items() if digest != held.of(key)}
    return frozenset(differing | (held.each.keys() - stored.keys()))


def _in_order() -> QuerySet[Chunk]:
    # SQLite compares text by bytes, and UTF-8 keeps the order of code points.
    return Chunk.objects.order_by("revision__source__source_id", "revision__document_id", "part")


def _places() -> tuple[dict[int, Iterator[int]], int]:
    """The rows of each revision, and how many there are: rows are in the order of ``_in_order``."""
    places: dict[int, Iterator[int]] = {}
    total = 0
    counted = Chunk.objects.values_list("revision_id").annotate(chunks=Count("pk"))
    in_order = counted.order_by("revision__source__source_id", "revision__document_id")
    for revision, chunks in in_order:
        places[revision] = iter(range(total, total + chunks))
        total += chunks
    return places, total


def _stored_rows() -> Generator[tuple[ChunkRow, StoredPassage]]:
    """Every chunk in the order of (revision, part), which an index gives, its text checked.

    Sorting 100,000 chunks with their vectors would write 350 MB of temporary files.
    """
    passages = ("passage__text", "passage__vector", "passage__vector_sha256", "passage__terms")
    columns = (*FIELDS, *passages, "passage__terms_sha256")
    stored = Chunk.objects.order_by("revision_id", "part").values_list(*columns)
    revision, whole = 0, ""
    # Closed here: an error would keep its cursor beyond the end of the connection.
    with closing(_texts()) as texts:
        for values in stored.iterator(500):
            row, text = ChunkRow._make(values[: len(FIELDS)]), values[len(FIELDS)]
            while revision != row.revision:
                revision, whole = next(texts)
            if embedding_input(row.context, whole[row.start_char : row.end_char]) != text:
                raise IndexDamaged("a passage is not the text of its source", row.label)
            yield row, StoredPassage._make(values[len(FIELDS) + 1 :])


def _texts() -> Generator[tuple[int, str]]:
    """Key and checked text of every indexed revision, in the order of their keys."""
    rows = Revision.objects.filter(Exists(Chunk.objects.filter(revision=OuterRef("pk"))))
    for revision, *stored in rows.order_by("pk").values_list("pk", *TEXT).iterator(20):
        yield revision, _sound(*stored)


def checked_text(row: ChunkRow) -> str:
    """The text of the chunk's revision, or ``SourceDamaged``."""
    return _sound(*Revision.objects.values_list(*TEXT).get(pk=row.revision))


def _sound(source_id: str, text: str, sha256: str) -> str:
    if hashlib.sha256(text.encode()).hexdigest() != sha256:
        raise SourceDamaged(source_id)
    return text


TABLES: Final = Tables(stored_generation, stored_manifest, load_snapshot, differing_revisions)
_holder = Holder(TABLES)
