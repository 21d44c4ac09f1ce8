"""What the index was made from (manifest) and the index as a process holds it (snapshot)."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from heapq import merge
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np

from rag.core.embeddings import Profile
from rag.core.errors import IndexDamaged, IndexMismatch
from rag.core.lexical import Floats, Gathered, Listed, Rows
from rag.core.postings import Mask, Postings
from rag.core.quantised import Codes
from rag.core.rows import ChunkDigests, ChunkRow, ChunkRows, chunk_digests, embedding_input
from rag.core.slices import Slices
from rag.core.sources import chunk_id, label
from rag.core.vectors import Matrix, row_norms

BLOCK: Final = 4096
Made = TypeVar("Made")
# Fields that must equal the configuration before a vector is compared with another.
EMBEDDING_FIELDS: Final = (
    "provider", "endpoint", "model", "model_digest", "dimension", "similarity", "fingerprint",
    "chunking", "analyser",
)  # fmt: skip


@dataclass(frozen=True)
class Manifest:
    """The one row that says what made the index. ``corpus_sha256`` includes product facts.

    ``epoch`` is part of every vector's key. It lasts as long as the canaries stay the same, so a
    model that changed behind its name can never be mixed with, or overwrite, what was before.
    """

    provider: str
    endpoint: str
    model: str
    model_digest: str
    dimension: int
    similarity: str
    fingerprint: str
    chunking: str
    analyser: str
    corpus_sha256: str
    chunks: int
    chunks_sha256: str
    epoch: str
    canaries: tuple[tuple[float, ...], ...]

    @classmethod
    def of(
        cls,
        profile: Profile,
        chunking: str,
        analyser: str,
        **made: Any,
    ) -> "Manifest":
        """The manifest of an index made now; ``made`` are the fields that the corpus gives."""
        return cls(
            provider=profile.provider,
            endpoint=profile.endpoint,
            model=profile.model,
            model_digest=profile.digest,
            dimension=profile.dimension,
            similarity=profile.similarity,
            fingerprint=profile.fingerprint,
            chunking=chunking,
            analyser=analyser,
            **made,
        )

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Manifest":
        known = {item.name for item in fields(cls)}
        if set(data) != known:
            raise IndexDamaged("the manifest's fields are not those of this version")
        canaries = tuple(tuple(float(x) for x in row) for row in data["canaries"])
        return cls(**{**data, "canaries": canaries})

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the manifest's canonical JSON, recorded with every answer."""
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def check_manifest(manifest: Manifest, profile: Profile, chunking: str, analyser: str) -> None:
    """Raise ``IndexMismatch`` naming the first field that differs, with both values."""
    for name, indexed, configured in differences(manifest, profile, chunking, analyser):
        raise IndexMismatch(name, indexed, configured)


def differences(
    manifest: Manifest, profile: Profile, chunking: str, analyser: str
) -> list[tuple[str, object, object]]:
    """Every (field, indexed value, configured value) in which index and configuration differ."""
    kept = {
        "corpus_sha256": manifest.corpus_sha256,
        "chunks": manifest.chunks,
        "chunks_sha256": manifest.chunks_sha256,
        "epoch": manifest.epoch,
        "canaries": manifest.canaries,
    }
    now = Manifest.of(profile, chunking, analyser, **kept)
    pairs = ((name, getattr(manifest, name), getattr(now, name)) for name in EMBEDDING_FIELDS)
    return [(name, old, new) for name, old, new in pairs if old != new]


@dataclass(frozen=True)
class Snapshot:
    """The index in memory: immutable, rows of a revision contiguous.

    ``matrix`` (n, d) float32, ``norms`` (n,) float64, ``lengths`` (n,) tokens, ``plain`` the
    words as they are written, ``ties`` (n,) the position of each row in the order of (label, chunk
    id), ``revisions`` (m,) the keys of the revisions as their rows follow each other, ``sizes``
    (m,) how many rows each has, ``repeats`` (n,) whether the row's passage stands in its revision
    before, ``slices`` the codes of the vectors by what is eligible.
    """

    manifest: Manifest
    generation: str
    rows: ChunkRows
    digests: ChunkDigests
    matrix: Matrix
    norms: Floats
    lengths: Rows
    stems: Postings
    plain: Listed
    ties: Rows
    revisions: Rows
    sizes: Rows
    repeats: Mask
    slices: Slices

    @cached_property
    def words(self) -> Postings:
        """The plain words inverted, when a policy first asks for them: the default never does."""
        return Postings.build(self.plain)

    @cached_property
    def running(self) -> Rows:
        """How many tokens stand before each row, and behind the last: shape (n + 1,)."""
        return np.append(0, np.cumsum(self.lengths))

    @cached_property
    def _bounds(self) -> tuple[Rows, Rows]:
        ends = np.cumsum(self.sizes)
        return np.repeat(ends - self.sizes, self.sizes), np.repeat(ends, self.sizes)

    @cached_property
    def _around(self) -> dict[int | None, Rows]:
        return {}

    def bounds_of(self, rows: Rows) -> tuple[Rows, Rows]:
        """The first row of each row's revision, and the row behind its last."""
        first, end = self._bounds
        return first[rows], end[rows]

    def tokens_around(self, reach: int | None) -> Rows:
        """For each revision (m,) how many tokens the spans around its rows hold together.

        A span is a row with ``reach`` rows of its revision on either side; None: with all.
        """
        if reach not in self._around:
            rows = np.arange(len(self.rows))
            first, end = self._bounds
            farthest = len(rows) if reach is None else reach
            holding = np.minimum(rows - first, farthest) + np.minimum(end - 1 - rows, farthest) + 1
            tokens = np.append(0, np.cumsum(self.lengths * holding))
            ends = np.cumsum(self.sizes)
            self._around[reach] = tokens[ends] - tokens[ends - self.sizes]
        return self._around[reach]

    def chosen(self, revisions: Iterable[int]) -> Mask:
        """Which of the snapshot's revisions are among ``revisions``, shape (m,)."""
        wanted = np.fromiter(revisions, dtype=np.int64)
        chosen: Mask = np.isin(self.revisions, wanted)
        return chosen

    def rows_of(self, chosen: Mask) -> Mask:
        """Which rows belong to the revisions ``chosen`` (m,): shape (n,)."""
        rows: Mask = np.repeat(chosen, self.sizes)
        return rows

    def mask(self, revisions: Iterable[int]) -> Mask:
        """Which rows belong to ``revisions``, shape (n,)."""
        return self.rows_of(self.chosen(revisions))


def build_snapshot(
    manifest: Manifest,
    generation: str,
    rows: ChunkRows,
    matrix: Matrix,
    terms: list[bytes],
    *,
    hurried: bool = True,
) -> Snapshot:
    """Assemble a snapshot and check it against its manifest. Raises ``IndexDamaged``.

    ``terms`` are those of the rows' passages as they are stored. The list is emptied: they go
    before the inverted lists are built, which take as much again. ``hurried`` takes two cores, for
    whoever waits for it; one is left to those who do not.
    """
    # A second thread runs beside this one while numpy sorts and encodes.
    with ThreadPoolExecutor(1, "index") if hurried else nullcontext() as second:
        gathered = Gathered.of(terms)
        terms.clear()
        stems = _begun(second, Postings.build, gathered.stems)
        digests = _checked(manifest, rows)
        norms = row_norms(matrix)
        codes = _begun(second, Codes.of, matrix, norms)
        revisions, sizes = _revisions(rows)
        ties, repeats = _ties(rows), _repeats(rows)
    return Snapshot(
        manifest=manifest,
        generation=generation,
        rows=rows,
        digests=digests,
        matrix=matrix,
        norms=norms,
        lengths=gathered.lengths,
        stems=stems(),
        plain=gathered.words,
        ties=ties,
        revisions=revisions,
        sizes=sizes,
        repeats=repeats,
        slices=Slices(codes()),
    )


def _begun(second: Executor | None, work: Callable[..., Made], *given: Any) -> Callable[[], Made]:
    """Begin work in ``second``, or do it here and now; how to get what it makes."""
    if second is None:
        made = work(*given)
        return lambda: made
    return second.submit(work, *given).result


class StoredPassage(NamedTuple):
    """A passage as it is stored: its text, and two BLOBs with the digests they have."""

    text: str
    vector: bytes
    vector_sha256: str
    terms: bytes
    terms_sha256: str

    def check(self, row: ChunkRow, text: str, dimension: int) -> None:
        """That it is what ``row`` says of its revision's ``text``; else ``IndexDamaged``."""
        if embedding_input(row.context, text[row.start_char : row.end_char]) != self.text:
            raise IndexDamaged("a passage is not the text of its source", row.label)
        if len(self.vector) != 4 * dimension:
            size = f"a vector has {len(self.vector)} bytes, not {4 * dimension}"
            raise IndexDamaged(size, row.label)
        if hashlib.sha256(self.vector).hexdigest() != self.vector_sha256:
            raise IndexDamaged("a vector does not match its SHA-256", row.label)
        if hashlib.sha256(self.terms).hexdigest() != self.terms_sha256:
            raise IndexDamaged("the terms of a passage do not match their SHA-256", row.label)


def _checked(manifest: Manifest, rows: ChunkRows) -> ChunkDigests:
    if len(rows) != manifest.chunks:
        raise IndexDamaged(f"it holds {len(rows)} chunks, but its manifest says {manifest.chunks}")
    digests = chunk_digests(rows)
    if digests.whole != manifest.chunks_sha256:
        raise IndexDamaged("the chunks are not those of its manifest")
    return digests


def _ties(rows: ChunkRows) -> Rows:
    sources, documents, parts = map(rows.column, ("source_id", "document_id", "part"))
    names = list(zip(map(label, sources, parts), map(chunk_id, documents, parts), strict=True))
    # Sorting all at once would keep the interpreter from all other threads until it is done.
    blocks = [range(len(names))[at : at + BLOCK] for at in range(0, len(names), BLOCK)]
    in_order = merge(*(sorted(b, key=names.__getitem__) for b in blocks), key=names.__getitem__)
    ties = np.empty(len(names), dtype=np.int64)
    ties[list(in_order)] = np.arange(len(names))
    return ties


def _repeats(rows: ChunkRows) -> Mask:
    repeats = np.zeros(len(rows), dtype=np.bool_)
    seen, last = set[str](), None
    pairs = zip(rows.column("revision"), rows.column("passage"), strict=True)
    for at, (revision, passage) in enumerate(pairs):  # those of a revision stand together
        if revision != last:
            seen, last = set(), revision
        repeats[at] = passage in seen
        seen.add(passage)
    return repeats


def _revisions(rows: ChunkRows) -> tuple[Rows, Rows]:
    """The revisions in the order of their rows, and how many rows each has."""
    each = np.array(rows.column("revision"), dtype=np.int64)
    starts = np.flatnonzero(np.diff(each, prepend=each[:1] - 1))
    revisions, torn = each[starts], np.unique(each[starts], return_index=True)[1]
    if len(torn) < len(revisions):
        at = starts[np.setdiff1d(np.arange(len(revisions)), torn)[0]]
        raise IndexDamaged("the chunks of a source do not stand together", rows[at].source_id)
    return revisions, np.diff(starts, append=len(each))
