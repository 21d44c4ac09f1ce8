"""What an index of the imported revisions consists of, and which of it has no vector yet."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from rag.actions.indexing import INDEXABLE
from rag.actions.profiles import Parts
from rag.core.chunks import Chunk, check_chunks
from rag.core.embeddings import is_contextual
from rag.core.errors import SourceDamaged
from rag.core.facts import Fact, product_facts
from rag.core.lexical import TermCounts, term_counts
from rag.core.rows import ChunkDigests, ChunkRow, chunk_digests, embedding_input
from rag.core.sources import digest_of
from rag.models import Passage, Revision


@dataclass(frozen=True)
class PlannedPassage:
    """A passage as it must stand in the table; its vector is stored or still to be paid for."""

    key: str
    vector_key: str
    revision: int
    title: str
    context: str
    text: str
    language: str

    @property
    def input(self) -> str:
        return embedding_input(self.context, self.text)

    def terms(self) -> TermCounts:
        return term_counts(self.title, self.context, self.text, self.language)


@dataclass(frozen=True)
class Plan:
    """The whole index to be: chunks in the order of (source id, document id, part)."""

    revisions: tuple[Revision, ...]
    rows: tuple[ChunkRow, ...]
    passages: dict[str, PlannedPassage]
    facts: dict[int, tuple[Fact, ...]] = field(default_factory=dict)

    @cached_property
    def digests(self) -> ChunkDigests:
        return chunk_digests(self.rows)


def plan(parts: Parts, epoch: str) -> Plan:
    """Chunk every pending and approved revision. Raises what a custom splitter's result breaks."""
    split = parts.chunker.split  # an unknown policy is refused, even if nothing is to be cut
    revisions = list(
        Revision.objects.filter(state__in=INDEXABLE)
        .select_related("source")
        .order_by("source__source_id", "document_id")
    )
    rows: list[ChunkRow] = []
    passages: dict[str, PlannedPassage] = {}
    facts: dict[int, tuple[Fact, ...]] = {}
    for revision in revisions:
        _check_text(revision)
        if revision.kind == Revision.Kind.FACTS:
            facts[revision.pk] = product_facts(revision.text)
            continue
        chunks = tuple(split(revision.text, revision.title))
        for chunk, passage in _passages(revision, chunks, parts, epoch):
            rows.append(_row(revision, chunk, passage.key))
            passages.setdefault(passage.key, passage)
    return Plan(tuple(revisions), tuple(rows), passages, facts)


def _check_text(revision: Revision) -> None:
    if hashlib.sha256(revision.text.encode()).hexdigest() != revision.text_sha256:
        raise SourceDamaged(revision.source.source_id)


def _passages(
    revision: Revision, chunks: Sequence[Chunk], parts: Parts, epoch: str
) -> Iterator[tuple[Chunk, PlannedPassage]]:
    check_chunks(chunks, revision.text)
    whole = _document_digest(revision, chunks) if is_contextual(parts.embedder) else ""
    for chunk in chunks:
        place = f"{whole}:{chunk.part}" if whole else ""
        yield chunk, _passage(revision, chunk, parts, epoch, place)


def _passage(
    revision: Revision, chunk: Chunk, parts: Parts, epoch: str, whole: str
) -> PlannedPassage:
    fingerprint = parts.embedder.profile.fingerprint
    made_of = embedding_input(chunk.context, chunk.text)
    vector_key = digest_of(fingerprint, epoch, made_of, whole)
    title, language = revision.title, revision.language
    return PlannedPassage(
        key=digest_of(vector_key, parts.analyser, language, title, chunk.context),
        vector_key=vector_key,
        revision=revision.pk,
        title=title,
        context=chunk.context,
        text=chunk.text,
        language=language,
    )


def _document_digest(revision: Revision, chunks: Sequence[Chunk]) -> str:
    """What every vector of a document depends on when it is embedded whole."""
    return digest_of(revision.document_id, revision.title, *(chunk.text for chunk in chunks))


def _row(revision: Revision, chunk: Chunk, passage: str) -> ChunkRow:
    return ChunkRow(
        revision=revision.pk,
        document_id=revision.document_id,
        source_id=revision.source.source_id,
        part=chunk.part,
        start_char=chunk.start_char,
        end_char=chunk.end_char,
        start_line=chunk.start_line,
        end_line=chunk.end_line,
        section=chunk.section,
        context=chunk.context,
        passage=passage,
    )


def sound_keys(planned: dict[str, PlannedPassage], dimension: int) -> set[str]:
    """Keys of stored passages that are whole; a damaged one counts as missing and is made anew."""
    stored = Passage.objects.defer("vector_key")
    return {
        row.key
        for row in stored.iterator(chunk_size=500)
        if row.key in planned and row.is_sound(planned[row.key].input, dimension)
    }
