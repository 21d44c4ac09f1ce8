"""The index as this process holds it: loaded once per generation, checked while loading."""

import hashlib
import threading
from collections.abc import Iterator
from typing import Final

import numpy as np
from django.db.models import QuerySet

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
from rag.core.lexical import TermCounts
from rag.models import Chunk, Revision

# The columns of a ``ChunkRow``, in its order.
FIELDS: Final = (
    *("revision_id", "revision__document_id", "revision__source__source_id", "part"),
    *("start_char", "end_char", "start_line", "end_line", "section", "context", "passage_id"),
)
# The new index, and the one that a request begun before it still reads.
KEPT: Final = 2
_lock: Final = threading.Lock()
_held: dict[str, Snapshot] = {}


def stored_manifest() -> tuple[Manifest, str]:
    """The manifest and its generation. Raises ``IndexMissing``."""
    row = models.Manifest.objects.filter(pk=1).first()
    if row is None:
        raise IndexMissing
    return Manifest.from_dict(row.content), row.generation


def current_snapshot() -> Snapshot:
    """The snapshot of the index that the open read transaction sees."""
    manifest, generation = stored_manifest()
    with _lock:
        if generation not in _held:
            _held[generation] = load_snapshot(manifest, generation)
            for old in list(_held)[:-KEPT]:
                del _held[old]
        return _held[generation]


def load_snapshot(manifest: Manifest, generation: str) -> Snapshot:
    """Read and check the whole index. Raises ``IndexDamaged`` naming what is wrong."""
    count = Chunk.objects.count()
    if count != manifest.chunks:
        raise IndexDamaged(f"it holds {count} chunks, but its manifest says {manifest.chunks}")
    matrix = np.empty((count, manifest.dimension), dtype=np.float32)
    rows: list[ChunkRow] = []
    terms: list[TermCounts] = []
    for row, passage in _stored_rows():
        matrix[len(rows)] = passage.vector_of(manifest.dimension, row.label)
        terms.append(passage.terms_of(row.label))
        rows.append(row)
    return build_snapshot(manifest, generation, rows, matrix, terms)


def stored_chunks() -> Iterator[ChunkRow]:
    """Every indexed chunk in the order of (source id, document id, part)."""
    rows = _in_order().values_list(*FIELDS)
    return (ChunkRow(*row) for row in rows.iterator(chunk_size=2000))


def _in_order() -> QuerySet[Chunk]:
    # SQLite compares text by bytes, and UTF-8 keeps the order of code points.
    return Chunk.objects.order_by("revision__source__source_id", "revision__document_id", "part")


def _stored_rows() -> Iterator[tuple[ChunkRow, StoredPassage]]:
    """Every chunk in the order of (source id, document id, part), its text checked."""
    texts: dict[int, str] = {}
    passages = ("passage__text", "passage__vector", "passage__vector_sha256", "passage__terms")
    stored = _in_order().values_list(*FIELDS, *passages, "passage__terms_sha256")
    for *fields, text, vector, vector_sha256, terms, terms_sha256 in stored.iterator(500):
        row = ChunkRow(*fields)
        if row.revision not in texts:
            texts = {row.revision: checked_text(row)}
        slice_ = texts[row.revision][row.start_char : row.end_char]
        if embedding_input(row.context, slice_) != text:
            raise IndexDamaged("a passage is not the text of its source", row.label)
        yield row, StoredPassage(bytes(vector), vector_sha256, bytes(terms), terms_sha256)


def checked_text(row: ChunkRow) -> str:
    """The text of the chunk's revision, or ``SourceDamaged``."""
    text, sha256 = Revision.objects.values_list("text", "text_sha256").get(pk=row.revision)
    if hashlib.sha256(text.encode()).hexdigest() != sha256:
        raise SourceDamaged(row.source_id)
    return text
