"""Rebuild: embed what is new outside the index, then replace the index in one short transaction.

A failure, a cancel, a full disk or a kill at any moment leaves the old index whole; vectors that
were paid for stay in the passage table, so the next run goes on from there.
"""

import fcntl
import hashlib
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from django.conf import settings
from django.db import connection, transaction

from rag.actions.audit import OPERATOR, record
from rag.actions.governing import approve_in_transaction, today
from rag.actions.indexing import (
    INDEXABLE,
    corpus_sha256,
    insert_chunks,
    purge_passages,
    stored_chunks,
    write_manifest,
)
from rag.actions.planning import Plan, PlannedPassage, plan, sound_keys
from rag.actions.profiles import Parts
from rag.core.embeddings import (
    Cancel,
    Vectors,
    canary_vectors,
    check_canaries,
    checked_batch,
    embed_in_batches,
    is_contextual,
    stop_if,
)
from rag.core.errors import Busy, Cancelled, RagError
from rag.core.index import Manifest, chunks_sha256
from rag.core.sources import State
from rag.models import Passage, ProductFact, RebuildRun, Revision
from rag.queries.reading import reading

ATTEMPTS: Final = 5


@dataclass(frozen=True)
class RebuildReport:
    """What a rebuild did. ``removed`` counts chunks that left the index."""

    manifest: dict[str, Any]
    chunks: int
    embedded: int
    reused: int
    removed: int
    approved: list[str]
    seconds: float
    peak_rss_mb: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


Report = Callable[[str, int, int], None]


class _Overtaken(Exception):
    """The corpus lost something that this rebuild had planned with; plan again."""


def rebuild(parts: Parts, *, cancelled: Cancel, report: Report) -> RebuildReport:
    """Index every pending and approved revision and carry out the requested approvals.

    ``report`` gets (stage, done, total). Raises ``Busy`` while another rebuild runs.
    """
    with _only_one(), _recorded() as run:
        return _Rebuild(parts, cancelled, report, run).run()


class _Rebuild:
    """One rebuild under way."""

    def __init__(self, parts: Parts, cancelled: Cancel, report: Report, run: RebuildRun) -> None:
        self.parts, self.cancelled, self.report, self.record = parts, cancelled, report, run
        self.started = time.monotonic()
        self.embedded = 0

    def run(self) -> RebuildReport:
        before = canary_vectors(self.parts.embedder)
        for _ in range(ATTEMPTS):
            try:
                return self._attempt(before)
            except _Overtaken:
                continue
        raise Busy("Sources were erased while the index was rebuilt, again and again. Try later.")

    def _attempt(self, canaries: Vectors) -> RebuildReport:
        self._stage("chunk", 0, 0)
        with reading():
            planned = plan(self.parts)
            sound = sound_keys(planned.passages, self.parts.embedder.profile.dimension)
        missing = [p for key, p in planned.passages.items() if key not in sound]
        self._embed(missing, planned)
        check_canaries(canaries, canary_vectors(self.parts.embedder))
        stop_if(self.cancelled)
        self._stage("publish", 0, 1)
        manifest = _manifest(self.parts, planned, canaries)
        with transaction.atomic():
            removed = _publish(planned, manifest)
            approved = _carry_out_requests(planned)
        self._stage("publish", 1, 1)
        _tidy()
        return RebuildReport(
            manifest=manifest.to_dict() | {"digest": manifest.digest},
            chunks=len(planned.rows),
            embedded=self.embedded,
            reused=len(planned.rows) - len([r for r in planned.rows if r.passage not in sound]),
            removed=removed,
            approved=approved,
            seconds=round(time.monotonic() - self.started, 3),
            peak_rss_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        )

    def _embed(self, missing: Sequence[PlannedPassage], planned: Plan) -> None:
        self._stage("embed", 0, len(missing))
        unpaid = _with_known_vectors(missing)
        done = len(missing) - len(unpaid)
        for batch, vectors in self._vectors(unpaid, planned):
            _store(batch, vectors)
            self.embedded += len(batch)
            done += len(batch)
            self._stage("embed", done, len(missing))

    def _vectors(
        self, unpaid: Sequence[PlannedPassage], planned: Plan
    ) -> Iterator[tuple[Sequence[PlannedPassage], Vectors]]:
        embedder = self.parts.embedder
        if is_contextual(embedder):
            yield from self._whole_documents(unpaid, planned)
            return
        texts = [passage.input for passage in unpaid]
        for positions, vectors in embed_in_batches(
            embedder, texts, cancelled=self.cancelled, progress=lambda done: None
        ):
            yield unpaid[positions.start : positions.stop], vectors

    def _whole_documents(
        self, unpaid: Sequence[PlannedPassage], planned: Plan
    ) -> Iterator[tuple[Sequence[PlannedPassage], Vectors]]:
        """A contextual embedder gets all chunks of each document that has an unpaid one."""
        embedder = self.parts.embedder
        if not is_contextual(embedder):
            return
        revisions = {r.pk: r for r in planned.revisions}
        for number, key in enumerate(dict.fromkeys(p.revision for p in unpaid), start=1):
            stop_if(self.cancelled)
            whole = [planned.passages[r.passage] for r in planned.rows if r.revision == key]
            revision = revisions[key]
            raw = embedder.embed_document(
                revision.document_id,
                revision.title,
                [passage.text for passage in whole],
                cancelled=self.cancelled,
                progress=lambda done: None,
            )
            yield whole, checked_batch(raw, len(whole), embedder.profile, number)

    def _stage(self, stage: str, done: int, total: int) -> None:
        stop_if(self.cancelled)
        self.record.stage, self.record.done, self.record.total = stage, done, total
        self.record.save(update_fields=["stage", "done", "total", "heartbeat"])
        self.report(stage, done, total)


def _with_known_vectors(missing: Sequence[PlannedPassage]) -> list[PlannedPassage]:
    """Store what needs only new terms, under a vector already paid for; the rest is returned."""
    unpaid = []
    for passage in missing:
        known = Passage.objects.filter(vector_key=passage.vector_key).exclude(key=passage.key)
        row = known.first()
        if row is None or not row.is_sound(passage.input, len(bytes(row.vector)) // 4):
            unpaid.append(passage)
        else:
            _store([passage], np.frombuffer(bytes(row.vector), dtype="<f4").reshape(1, -1))
    return unpaid


def _store(batch: Sequence[PlannedPassage], vectors: Vectors) -> None:
    """Write a batch outside the index. Nothing of a source erased meanwhile is written."""
    blobs = [vector.astype("<f4").tobytes() for vector in vectors]
    rows = [
        Passage(
            key=passage.key,
            vector_key=passage.vector_key,
            text=passage.input,
            vector=blob,
            vector_sha256=hashlib.sha256(blob).hexdigest(),
            terms=passage.terms().to_bytes(),
        )
        for passage, blob in zip(batch, blobs, strict=True)
    ]
    with transaction.atomic():
        _check_none_lost({passage.revision for passage in batch})
        Passage.objects.bulk_create(
            rows,
            update_conflicts=True,
            unique_fields=["key"],
            update_fields=["vector_key", "text", "vector", "vector_sha256", "terms"],
        )


def _check_none_lost(revisions: set[int]) -> None:
    if Revision.objects.filter(pk__in=revisions, state=State.ERASED.value).exists():
        raise _Overtaken


def _manifest(parts: Parts, planned: Plan, canaries: Vectors) -> Manifest:
    return Manifest.of(
        parts.embedder.profile,
        parts.chunking,
        parts.analyser,
        corpus_sha256=corpus_sha256(planned.revisions),
        chunks=len(planned.rows),
        chunks_sha256=chunks_sha256(planned.rows),
        canaries=tuple(tuple(float(x) for x in row) for row in canaries),
    )


def _publish(planned: Plan, manifest: Manifest) -> int:
    """Replace the rows that differ, in the caller's transaction; how many chunks left."""
    _check_passages(planned)
    old = {(row.revision, row.part): row for row in stored_chunks()}
    new = {(row.revision, row.part): row for row in planned.rows}
    gone = [key for key, row in old.items() if new.get(key) != row]
    _delete_chunks(gone)
    insert_chunks(row for key, row in new.items() if old.get(key) != row)
    _replace_facts(planned)
    planned_keys = [revision.pk for revision in planned.revisions]
    Revision.objects.filter(indexed=True).exclude(state__in=INDEXABLE).update(indexed=False)
    _mark_indexed(planned_keys)
    write_manifest(manifest)
    record(OPERATOR, "rebuild", "index", manifest=manifest.digest, chunks=manifest.chunks)
    return len([key for key in old if key not in new])


def _check_passages(planned: Plan) -> None:
    """Every revision must still be there, and every passage stored: an erasure may have come."""
    states = dict(Revision.objects.values_list("pk", "state"))
    stored = set(Passage.objects.values_list("key", flat=True))
    lost = any(states[r.pk] == State.ERASED.value for r in planned.revisions)
    if lost or not stored.issuperset(planned.passages):
        raise _Overtaken


def _delete_chunks(keys: Sequence[tuple[int, int]]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany("DELETE FROM rag_chunk WHERE revision_id = %s AND part = %s", keys)


def _mark_indexed(keys: Sequence[int]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE rag_revision SET indexed = 1 WHERE id = %s AND NOT indexed",
            [(key,) for key in keys],
        )


def _replace_facts(planned: Plan) -> None:
    wanted = {
        (revision, fact.product, fact.name): fact.value
        for revision, facts in planned.facts.items()
        for fact in facts
    }
    stored = ProductFact.objects.values_list("revision_id", "product", "name", "value")
    if {(revision, product, name): value for revision, product, name, value in stored} == wanted:
        return
    ProductFact.objects.all().delete()
    ProductFact.objects.bulk_create(
        ProductFact(revision_id=revision, product=product, name=name, value=value)
        for (revision, product, name), value in wanted.items()
    )


def _carry_out_requests(planned: Plan) -> list[str]:
    """Approve what the import asked for, oldest window first, in the index's own transaction."""
    keys = {revision.pk for revision in planned.revisions}
    waiting = Revision.objects.filter(state=State.PENDING.value).exclude(approval_requested_by="")
    day = today()
    requested = sorted(
        (revision for revision in waiting.select_related("source__scope") if revision.pk in keys),
        key=lambda r: (r.source.source_id, r.valid_from or day, r.pk),
    )
    for revision in requested:
        approve_in_transaction(revision, revision.approval_requested_by, revision.text_sha256, day)
    return [str(revision) for revision in requested]


def _tidy() -> None:
    """Drop unused passages, and give the write-ahead log back to the disk."""
    with transaction.atomic():
        purge_passages()
    if not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def _only_one() -> Iterator[None]:
    """Hold the site's rebuild lock; it frees itself when the process dies."""
    path = settings.EVIDENCE_HOME / "rebuild.lock"
    with path.open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Busy("Another rebuild is running on this site. Wait for it to end.") from None
        yield


@contextmanager
def _recorded() -> Iterator[RebuildRun]:
    """A run's row. One that still says running was killed: this process holds the lock."""
    Outcome = RebuildRun.Outcome
    RebuildRun.objects.filter(outcome=Outcome.RUNNING).update(outcome=Outcome.INTERRUPTED)
    run = RebuildRun.objects.create()
    try:
        yield run
    except Cancelled as error:
        _end(run, Outcome.CANCELLED, str(error))
        raise
    except RagError as error:
        _end(run, Outcome.FAILED, str(error))
        raise
    _end(run, Outcome.DONE, "")


def _end(run: RebuildRun, outcome: str, error: str) -> None:
    run.outcome, run.error = outcome, error
    run.save(update_fields=["outcome", "error", "heartbeat"])
