"""From ranked rows to hits with their provenance, read in the request's own transaction."""

from collections.abc import Sequence

from django.db.models import F
from django.db.models.functions import Substr

from rag.core.errors import IndexDamaged
from rag.core.hits import Hit
from rag.core.index import ChunkRow, Snapshot, embedding_input
from rag.core.retrieval import Ranked
from rag.models import Passage, Revision
from rag.queries.snapshots import checked_text


def slice_of(row: ChunkRow) -> str:
    """The chunk's slice of its revision's text; SQLite counts code points, from 1.

    Raises ``IndexDamaged`` if it is not what was indexed: the snapshot was checked when it was
    loaded, the tables may have been altered since.
    """
    piece = Substr(F("text"), row.start_char + 1, row.end_char - row.start_char)
    text = str(Revision.objects.filter(pk=row.revision).values_list(piece, flat=True).get())
    indexed = Passage.objects.filter(key=row.passage).values_list("text", flat=True).first()
    if embedding_input(row.context, text) != indexed:
        checked_text(row)
        raise IndexDamaged("a passage is not the text of its source", row.label)
    return text


def texts_of(snapshot: Snapshot, rows: Sequence[int]) -> list[str]:
    """Title and text of rows, for re-ranking by required terms."""
    chunks = [snapshot.rows[row] for row in rows]
    titles = dict(
        Revision.objects.filter(pk__in={c.revision for c in chunks}).values_list("pk", "title")
    )
    return [f"{titles[chunk.revision]}\n{slice_of(chunk)}" for chunk in chunks]


def hits_of(snapshot: Snapshot, ranked: Sequence[Ranked], in_force: bool) -> tuple[Hit, ...]:
    """The hits in the order of ``ranked``."""
    keys = {snapshot.rows[hit.row].revision for hit in ranked}
    revisions = Revision.objects.defer("text").select_related("source__scope").in_bulk(list(keys))
    return tuple(
        _hit(snapshot.rows[hit.row], revisions[snapshot.rows[hit.row].revision], hit, in_force)
        for hit in ranked
    )


def _hit(row: ChunkRow, revision: Revision, ranked: Ranked, in_force: bool) -> Hit:
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
        start_char=row.start_char,
        end_char=row.end_char,
        start_line=row.start_line,
        end_line=row.end_line,
        text=slice_of(row),
        context=row.context,
        cosine=ranked.cosine,
        lexical=ranked.lexical,
        rank=ranked.rank,
        revision=row.revision,
    )
