"""The whole index, read from the tables and checked while reading."""

import gc
import hashlib
import sys
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np
from django.db.models import Count, Exists, OuterRef

from rag.core.errors import IndexDamaged, SourceDamaged
from rag.core.index import Manifest, Snapshot, StoredPassage, build_snapshot
from rag.core.rows import ChunkRow, ChunkRows
from rag.models import Chunk, Revision

SWITCH_SECONDS: Final = 0.0001
# The columns of a ``ChunkRow``, in its order, but for what all rows of a revision share.
CHUNK: Final = (
    *("part", "start_char", "end_char", "start_line", "end_line"),
    *("section", "context", "passage_id"),
)
# Those of a ``StoredPassage``.
PASSAGE: Final = tuple(f"passage__{name}" for name in StoredPassage._fields)
TEXT: Final = ("source__source_id", "text", "text_sha256")


def load_snapshot(manifest: Manifest, generation: str, hurried: bool = True) -> Snapshot:
    """Read and check the whole index. Raises ``IndexDamaged`` naming what is wrong.

    Not ``hurried``, it leaves a core to the requests that are served meanwhile.
    """
    with _beside_requests():
        return _loaded(manifest, generation, hurried)


@contextmanager
def _beside_requests() -> Iterator[None]:
    """Hold up the process's other threads as little as may be. Measured at 100,000 chunks.

    Python's collections of garbage stop them all for a sixth of a second, and would find nothing:
    everything that is read is kept. And a search gives the interpreter away whenever it reads or
    calculates, to get it back only after the switch interval: the longest took 0.6 s with Python's
    5 ms, and takes 0.08 s with this one.
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


class Stored(NamedTuple):
    """A revision with its chunks and their passages, as the tables have them."""

    source_id: str
    text: str
    text_sha256: str
    chunks: list[ChunkRow]
    passages: list[StoredPassage]

    def check(self, dimension: int) -> None:
        """Raises ``SourceDamaged`` or ``IndexDamaged``."""
        text = sound(self.source_id, self.text, self.text_sha256)
        for chunk, passage in zip(self.chunks, self.passages, strict=True):
            passage.check(chunk, text, dimension)


def _loaded(manifest: Manifest, generation: str, hurried: bool) -> Snapshot:
    firsts, count = _first_rows()
    if count != manifest.chunks:
        raise IndexDamaged(f"it holds {count} chunks, but its manifest says {manifest.chunks}")
    matrix = np.empty((count, manifest.dimension), dtype=np.float32)
    rows, terms = ChunkRows(count), [b""] * count
    # Checked here: an error would keep the frames it comes through, and with them the cursors,
    # beyond the end of the connection.
    with closing(_revisions()) as revisions:
        for revision in revisions:
            revision.check(manifest.dimension)
            first = firsts[revision.chunks[0].revision]
            at = slice(first, first + len(revision.chunks))
            vectors = b"".join([passage.vector for passage in revision.passages])
            matrix[at] = np.frombuffer(vectors, dtype="<f4").reshape(-1, manifest.dimension)
            terms[at] = [passage.terms for passage in revision.passages]
            rows.put(first, revision.chunks)
    return build_snapshot(manifest, generation, rows, matrix, terms, hurried=hurried)


def _first_rows() -> tuple[dict[int, int], int]:
    """The first row of each revision, in the order of the index, and how many rows there are."""
    firsts: dict[int, int] = {}
    total = 0
    counted = Chunk.objects.values_list("revision_id").annotate(chunks=Count("pk"))
    in_order = counted.order_by("revision__source__source_id", "revision__document_id")
    for revision, chunks in in_order:
        firsts[revision] = total
        total += chunks
    return firsts, total


def _revisions() -> Generator[Stored]:
    """The indexed revisions in the order of their keys.

    That order an index gives; sorting 100,000 chunks with their vectors would write 350 MB of
    temporary files.
    """
    columns = ("revision_id", *CHUNK, *PASSAGE)
    stored = Chunk.objects.order_by("revision_id", "part").values_list(*columns)
    texts = _texts()
    for key, group in groupby(stored.iterator(500), itemgetter(0)):
        about = next(each for each in texts if each[0] == key)
        _, document_id, source_id, text, text_sha256 = about
        chunks, passages = [], []
        for _, *values in group:
            chunks.append(ChunkRow(key, document_id, source_id, *values[: len(CHUNK)]))
            passages.append(StoredPassage._make(values[len(CHUNK) :]))
        yield Stored(source_id, text, text_sha256, chunks, passages)


def _texts() -> Iterator[tuple[int, str, str, str, str]]:
    """Key, document id, source id, text and its digest of every indexed revision, by key."""
    rows = Revision.objects.filter(Exists(Chunk.objects.filter(revision=OuterRef("pk"))))
    return rows.order_by("pk").values_list("pk", "document_id", *TEXT).iterator(20)


def sound(source_id: str, text: str, sha256: str) -> str:
    if hashlib.sha256(text.encode()).hexdigest() != sha256:
        raise SourceDamaged(source_id)
    return text
