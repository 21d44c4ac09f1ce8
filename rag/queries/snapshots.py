"""The index as this process holds it, and what of it the tables say."""

from collections.abc import Collection, Iterator
from typing import Final

from rag import models
from rag.core.errors import IndexMissing
from rag.core.index import Manifest, Snapshot
from rag.core.rows import ChunkRow
from rag.models import Chunk, Revision
from rag.queries.holding import Holder, Tables
from rag.queries.loading import CHUNK, TEXT, load_snapshot, sound

# The columns of a ``ChunkRow``, in its order.
FIELDS: Final = ("revision_id", "revision__document_id", "revision__source__source_id", *CHUNK)


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


def stored_chunks() -> Iterator[ChunkRow]:
    """Every indexed chunk in the order of (source id, document id, part)."""
    # SQLite compares text by bytes, and UTF-8 keeps the order of code points.
    order = ("revision__source__source_id", "revision__document_id", "part")
    rows = Chunk.objects.order_by(*order).values_list(*FIELDS)
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


def checked_text(row: ChunkRow) -> str:
    """The text of the chunk's revision, or ``SourceDamaged``."""
    return sound(*Revision.objects.values_list(*TEXT).get(pk=row.revision))


TABLES: Final = Tables(stored_generation, stored_manifest, load_snapshot, differing_revisions)
_holder = Holder(TABLES)
