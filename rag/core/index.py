"""What the index was made from (manifest) and the index as a process holds it (snapshot)."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from functools import cached_property
from json.encoder import encode_basestring
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rag.core.embeddings import Profile
from rag.core.errors import IndexDamaged, IndexMismatch
from rag.core.lexical import Floats, Gathered, Listed, Rows
from rag.core.postings import Mask, Postings
from rag.core.quantised import Codes
from rag.core.slices import Slices
from rag.core.sources import chunk_id, label
from rag.core.vectors import Matrix, row_norms

NO_ROWS: Final = hashlib.sha256().hexdigest()
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


class ChunkRow(NamedTuple):
    """One chunk as it is indexed."""

    revision: int
    document_id: str
    source_id: str
    part: int
    start_char: int
    end_char: int
    start_line: int
    end_line: int
    section: str
    context: str
    passage: str

    @property
    def chunk_id(self) -> str:
        return chunk_id(self.document_id, self.part)

    @property
    def label(self) -> str:
        return label(self.source_id, self.part)

    @property
    def fingerprint(self) -> bytes:
        """Everything but the database's own key, as ``json.dumps`` writes a list of it."""
        where = (self.part, self.start_char, self.end_char, self.start_line, self.end_line)
        what = (self.document_id, self.source_id, self.section, self.context, self.passage)
        return f"[{', '.join([*map(encode_basestring, what), *map(str, where)])}]".encode()


class ChunkDigests(NamedTuple):
    """SHA-256 over all rows, and over those of each revision."""

    whole: str
    each: dict[int, str]

    def of(self, revision: int) -> str:
        """That of a revision; one without rows has the digest of nothing."""
        return self.each.get(revision, NO_ROWS)


def chunk_digests(rows: Iterable[ChunkRow]) -> ChunkDigests:
    """Of rows that come in the order of (source id, document id, part)."""
    whole, each = hashlib.sha256(), dict[int, Any]()
    for row in rows:
        line = row.fingerprint + b"\n"
        whole.update(line)
        if row.revision not in each:
            each[row.revision] = hashlib.sha256()
        each[row.revision].update(line)
    return ChunkDigests(whole.hexdigest(), {key: each[key].hexdigest() for key in each})


def embedding_input(context: str, text: str) -> str:
    """What embedder and analyser are given for a chunk: its context, then its text."""
    return f"{context}\n\n{text}" if context else text


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
    rows: tuple[ChunkRow, ...]
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

    def mask(self, revisions: Iterable[int]) -> Mask:
        """Which rows belong to ``revisions``, shape (n,)."""
        wanted = np.fromiter(revisions, dtype=np.int64)
        mask: Mask = np.repeat(np.isin(self.revisions, wanted), self.sizes)
        return mask


def build_snapshot(
    manifest: Manifest,
    generation: str,
    rows: Sequence[ChunkRow],
    matrix: Matrix,
    terms: Gathered,
) -> Snapshot:
    """Assemble a snapshot and check it against its manifest. Raises ``IndexDamaged``."""
    digests = _checked(manifest, rows)
    revisions, sizes = _revisions(rows)
    norms = row_norms(matrix)
    return Snapshot(
        manifest=manifest,
        generation=generation,
        rows=tuple(rows),
        digests=digests,
        matrix=matrix,
        norms=norms,
        lengths=terms.lengths,
        stems=Postings.build(terms.stems),
        plain=terms.words,
        ties=_ties(rows),
        revisions=revisions,
        sizes=sizes,
        repeats=_repeats(rows),
        slices=Slices(Codes.of(matrix, norms)),
    )


class StoredPassage(NamedTuple):
    """A passage's two BLOBs with the digests they were stored under."""

    vector: bytes
    vector_sha256: str
    terms: bytes
    terms_sha256: str

    def vector_of(self, dimension: int, row: ChunkRow) -> NDArray[np.float32]:
        """The vector (dimension,), or ``IndexDamaged`` naming the chunk."""
        if len(self.vector) != 4 * dimension:
            size = f"a vector has {len(self.vector)} bytes, not {4 * dimension}"
            raise IndexDamaged(size, row.label)
        if hashlib.sha256(self.vector).hexdigest() != self.vector_sha256:
            raise IndexDamaged("a vector does not match its SHA-256", row.label)
        return np.frombuffer(self.vector, dtype="<f4")

    def terms_of(self, row: ChunkRow) -> bytes:
        """The terms as they are stored, or ``IndexDamaged`` naming the chunk."""
        if hashlib.sha256(self.terms).hexdigest() != self.terms_sha256:
            raise IndexDamaged("the terms of a passage do not match their SHA-256", row.label)
        return self.terms


def _checked(manifest: Manifest, rows: Sequence[ChunkRow]) -> ChunkDigests:
    if len(rows) != manifest.chunks:
        raise IndexDamaged(f"it holds {len(rows)} chunks, but its manifest says {manifest.chunks}")
    digests = chunk_digests(rows)
    if digests.whole != manifest.chunks_sha256:
        raise IndexDamaged("the chunks are not those of its manifest")
    return digests


def _ties(rows: Sequence[ChunkRow]) -> Rows:
    order = sorted(range(len(rows)), key=lambda i: (rows[i].label, rows[i].chunk_id))
    ties = np.empty(len(rows), dtype=np.int64)
    ties[order] = np.arange(len(rows))
    return ties


def _repeats(rows: Sequence[ChunkRow]) -> Mask:
    seen: set[tuple[int, str]] = set()
    repeats = np.zeros(len(rows), dtype=np.bool_)
    for at, row in enumerate(rows):
        repeats[at] = (row.revision, row.passage) in seen
        seen.add((row.revision, row.passage))
    return repeats


def _revisions(rows: Sequence[ChunkRow]) -> tuple[Rows, Rows]:
    """The revisions in the order of their rows, and how many rows each has."""
    sizes: dict[int, int] = {}
    last = None
    for row in rows:
        if row.revision != last and row.revision in sizes:
            raise IndexDamaged("the chunks of a source do not stand together", row.source_id)
        sizes[row.revision] = sizes.get(row.revision, 0) + 1
        last = row.revision
    keys, counts = list(sizes), list(sizes.values())
    return np.array(keys, dtype=np.int64), np.array(counts, dtype=np.int64)
