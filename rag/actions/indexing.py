"""The index's rows in the database: replaced by a rebuild, cut by an erasure."""

import hashlib
import json
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace

from django.db import connection, transaction

from rag import models
from rag.core.errors import IndexDamaged
from rag.core.index import Manifest
from rag.core.rows import ChunkRow, chunk_digests
from rag.core.sources import State
from rag.models import Chunk, Passage, ProductFact, Revision
from rag.queries.snapshots import stored_chunks

INDEXABLE = (State.PENDING.value, State.APPROVED.value)
PURGE = (
    "DELETE FROM rag_passage WHERE key = %s"
    " AND NOT EXISTS (SELECT 1 FROM rag_chunk WHERE passage_id = rag_passage.key)"
)
# Deleting 100,000 in one go keeps every other writer out for seconds, and one that was kept out
# looks again after a tenth of a second.
PURGED_AT_ONCE, PAUSE_SECONDS = 2000, 0.15
INSERT_CHUNK = (
    "INSERT INTO rag_chunk (revision_id, part, start_char, end_char, start_line, end_line,"
    " section, context, passage_id) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)"
)


def insert_chunks(rows: Iterable[ChunkRow]) -> None:
    """Insert rows by one prepared statement: the model layer takes ten times as long."""
    with connection.cursor() as cursor:
        cursor.executemany(INSERT_CHUNK, [_values(row) for row in rows])


def _values(row: ChunkRow) -> tuple[int | str, ...]:
    return (
        *(row.revision, row.part, row.start_char, row.end_char, row.start_line, row.end_line),
        *(row.section, row.context, row.passage),
    )


def corpus_sha256(revisions: Iterable[Revision]) -> str:
    """SHA-256 of what is indexed: source and document ids and file hashes, facts files too."""
    digest = hashlib.sha256()
    for entry in sorted((r.source.source_id, r.document_id, r.source_sha256) for r in revisions):
        digest.update(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()


def write_manifest(manifest: Manifest) -> None:
    """Replace the one manifest row; its new generation tells every process to load anew.

    An index that is what it was keeps its generation: nobody has to load it again.
    """
    row = models.Manifest.objects.filter(pk=1).first()
    if row is not None and _reads_as(row, manifest):
        return
    models.Manifest.objects.update_or_create(
        pk=1, defaults={"content": manifest.to_dict(), "generation": uuid.uuid4().hex}
    )


def _reads_as(row: models.Manifest, manifest: Manifest) -> bool:
    try:
        return Manifest.from_dict(row.content) == manifest
    except IndexDamaged:
        return False


def drop_from_index(revisions: Sequence[Revision]) -> None:
    """Remove the revisions' chunks and passages, and both from the manifest."""
    keys = set(Chunk.objects.filter(revision__in=revisions).values_list("passage", flat=True))
    Chunk.objects.filter(revision__in=revisions).delete()
    ProductFact.objects.filter(revision__in=revisions).delete()
    _purge_of([revision.text for revision in revisions], keys)
    row = models.Manifest.objects.filter(pk=1).first()
    if row is None:
        return
    kept = Revision.objects.filter(indexed=True).exclude(pk__in=[r.pk for r in revisions])
    write_manifest(
        replace(
            Manifest.from_dict(row.content),
            corpus_sha256=corpus_sha256(kept.select_related("source")),
            chunks=Chunk.objects.count(),
            chunks_sha256=chunk_digests(stored_chunks()).whole,
        )
    )


def empty_write_ahead_log() -> bool:
    """Move the log into the database and cut it: a constant reader lets it grow to 835 MB.

    False if a reader or writer kept it from being emptied for the busy timeout.
    """
    if connection.in_atomic_block:
        return True
    with connection.cursor() as cursor:
        busy, _, _ = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def _purge_of(texts: Sequence[str], keys: set[str]) -> None:
    """Delete unused passages made from ``texts``: indexed ones, and those of a broken rebuild.

    What a running rebuild has paid for other sources stays. A passage ends with its chunk, so
    its last line stands in the text it was made from; that others' may, too, costs only money.
    """
    for passage in Passage.objects.filter(chunks__isnull=True).only("key", "text").iterator():
        last_line = passage.text.rpartition("\n")[2]
        if passage.key in keys or any(last_line in text for text in texts):
            passage.delete()


def purge_passages() -> None:
    """Delete passages that no chunk uses, some at a time: others write in between."""
    unused = Passage.objects.filter(chunks__isnull=True).values_list("key", flat=True)
    keys = [(key,) for key in unused.iterator()]
    for start in range(0, len(keys), PURGED_AT_ONCE):
        if start:
            time.sleep(PAUSE_SECONDS)
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.executemany(PURGE, keys[start : start + PURGED_AT_ONCE])
