"""From ranked rows to hits with their provenance, read in the request's own transaction."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from django.db import connection

from rag.core.errors import IndexDamaged
from rag.core.hits import Hit
from rag.core.index import Snapshot
from rag.core.retrieval import Ranked
from rag.core.retrievers import EligibleRows, Row
from rag.core.rows import ChunkRow, embedding_input
from rag.models import Revision
from rag.queries.snapshots import checked_text

# Rows read by one statement. They are its one parameter: SQLite takes 32,766 at most.
BATCH: Final = 500
# SQLite counts code points, from 1.
SLICES: Final = """
SELECT revision.title, substr(revision.text, wanted.value ->> 1, wanted.value ->> 2), passage.text
FROM json_each(%s) AS wanted
JOIN rag_revision AS revision ON revision.id = wanted.value ->> 0
LEFT JOIN rag_passage AS passage ON passage.key = wanted.value ->> 3
ORDER BY wanted.key
"""


def passages_of(rows: Sequence[ChunkRow]) -> list[tuple[str, str]]:
    """Title and slice of text of each chunk, in the order of ``rows``.

    Raises ``IndexDamaged`` if a slice is not what was indexed: the snapshot was checked when it
    was loaded, the tables may have been altered since. A snapshot that stands in for a newer
    index is no exception. It does so only for revisions whose chunks are the same in both, so
    the tables of this transaction hold their passages: a rebuild purges what no chunk uses.
    """
    found = []
    for first in range(0, len(rows), BATCH):
        batch = rows[first : first + BATCH]
        for row, (title, text, indexed) in zip(batch, _stored(batch), strict=True):
            if embedding_input(row.context, text) != indexed:
                checked_text(row)
                raise IndexDamaged("a passage is not the text of its source", row.label)
            found.append((title, text))
    return found


def _stored(rows: Sequence[ChunkRow]) -> list[tuple[str, str, str | None]]:
    """Title, slice and passage of each row as the tables hold them now."""
    wanted = [
        (row.revision, row.start_char + 1, row.end_char - row.start_char, row.passage)
        for row in rows
    ]
    with connection.cursor() as cursor:
        cursor.execute(SLICES, [json.dumps(wanted)])
        stored: list[tuple[str, str, str | None]] = cursor.fetchall()
    return stored


def texts_of(snapshot: Snapshot, rows: Sequence[int]) -> list[str]:
    """Title and text of rows, for re-ranking by required terms."""
    return [f"{title}\n{text}" for title, text in passages_of([snapshot.rows[at] for at in rows])]


def rows_of(snapshot: Snapshot, revisions: Iterable[int]) -> EligibleRows:
    """The rows of eligible revisions for a retriever; texts are read a batch at a time."""
    rows = [snapshot.rows[at] for at in np.flatnonzero(snapshot.mask(revisions)).tolist()]
    return EligibleRows(tuple(row.chunk_id for row in rows), lambda: _read(rows))


def _read(rows: Sequence[ChunkRow]) -> Iterator[Row]:
    for first in range(0, len(rows), BATCH):
        batch = rows[first : first + BATCH]
        for row, (_, text) in zip(batch, passages_of(batch), strict=True):
            yield Row(row.chunk_id, row.label, row.source_id, row.context, text)


def hits_of(snapshot: Snapshot, ranked: Sequence[Ranked], in_force: bool) -> tuple[Hit, ...]:
    """The hits in the order of ``ranked``."""
    rows = [snapshot.rows[hit.row] for hit in ranked]
    revisions = Revision.objects.defer("text").select_related("source__scope")
    found = revisions.in_bulk({row.revision for row in rows})
    return tuple(
        _hit(row, text, found[row.revision], hit, in_force)
        for row, (_, text), hit in zip(rows, passages_of(rows), ranked, strict=True)
    )


def _hit(row: ChunkRow, text: str, revision: Revision, ranked: Ranked, in_force: bool) -> Hit:
    return Hit(
        chunk_id=row.chunk_id,
        label=row.label,
        source_id=row.source_id,
        document_id=row.document_id,
        version=revision.version,
        source_sha256=revision.source_sha256,
        text_sha256=revision.text_sha256,
        title=revision.title,
        section=row.section,
        scope=revision.source.scope.name,
        status=revision.status,
        in_force=in_force,
        valid_from=revision.valid_from.isoformat() if revision.valid_from else None,
        valid_until=revision.valid_until.isoformat() if revision.valid_until else None,
        approved_at=revision.approved_at.isoformat() if revision.approved_at else None,
        start_char=row.start_char,
        end_char=row.end_char,
        start_line=row.start_line,
        end_line=row.end_line,
        text=text,
        context=row.context,
        cosine=ranked.cosine,
        lexical=ranked.lexical,
        rank=ranked.rank,
        revision=row.revision,
    )
