"""Rebuild: embed what is new outside the index, then replace the index in one short transaction.

A failure, a cancel, a full disk or a kill at any moment leaves the old index whole; vectors that
were paid for stay in the passage table, so the next run goes on from there.
"""

import hashlib
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from django.db import DatabaseError, transaction
from django.utils import timezone

from rag.actions.embedding import Overtaken, embed, reuse_vectors
from rag.actions.indexing import corpus_sha256, empty_write_ahead_log, purge_passages
from rag.actions.planning import Plan, PlannedPassage, plan, sound_keys
from rag.actions.profiles import Parts
from rag.actions.pruning import prune
from rag.actions.publishing import Published, changes, publish
from rag.actions.rebuild_lock import only_rebuild
from rag.core.embeddings import Cancel, Vectors, canary_vectors, check_canaries, stop_if
from rag.core.errors import Busy, Cancelled, IndexDamaged, IndexMismatch, IndexMissing
from rag.core.index import Manifest
from rag.models import RebuildRun
from rag.queries.reading import reading
from rag.queries.snapshots import stored_manifest

ATTEMPTS: Final = 5


@dataclass(frozen=True)
class RebuildReport:
    """What a rebuild did. ``embedded`` counts passages, ``reused`` chunks, ``removed`` chunks
    that left the index; ``refused`` says which requested approvals could not be carried out, and
    ``warnings`` what went wrong after the new index was in place.
    """

    manifest: dict[str, Any]
    chunks: int
    embedded: int
    reused: int
    removed: int
    approved: list[str]
    refused: list[str]
    warnings: list[str]
    seconds: float
    peak_rss_mb: float

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


Report = Callable[[str, int, int], None]


def rebuild(parts: Parts, *, cancelled: Cancel, report: Report) -> RebuildReport:
    """Index every pending and approved revision and carry out the requested approvals.

    ``report`` gets (stage, done, total). Raises ``Busy`` while another rebuild runs.
    """
    with only_rebuild(), _recorded() as run:
        return _Rebuild(parts, cancelled, report, run).run()


class _Rebuild:
    """One rebuild under way."""

    def __init__(self, parts: Parts, cancelled: Cancel, report: Report, run: RebuildRun) -> None:
        self.parts, self.cancelled, self.report, self.record = parts, cancelled, report, run
        self.started = time.monotonic()
        self.paid: set[str] = set()

    def run(self) -> RebuildReport:
        before = canary_vectors(self.parts.embedder, self.cancelled)
        epoch = self._epoch(before)
        for _ in range(ATTEMPTS):
            try:
                return self._attempt(before, epoch)
            except Overtaken:
                continue
        raise Busy("Sources were erased while the index was rebuilt, again and again. Try later.")

    def _attempt(self, canaries: Vectors, epoch: str) -> RebuildReport:
        self._stage("chunk", 0, 0)
        with reading():
            planned = plan(self.parts, epoch)
            sound = sound_keys(planned.passages, self.parts.embedder.profile.dimension)
        missing = [p for key, p in planned.passages.items() if key not in sound]
        self._embed(missing, planned)
        check_canaries(canaries, canary_vectors(self.parts.embedder, self.cancelled))
        self._stage("publish", 0, 1)
        manifest = _manifest(self.parts, planned, canaries, epoch)
        with reading():
            changed = changes(planned)
        published = publish(planned, changed, manifest)
        report = self._report(planned, manifest, published, self._tidy())
        self.record.report = report.to_dict()
        return report

    def _report(
        self, planned: Plan, manifest: Manifest, published: Published, warnings: list[str]
    ) -> RebuildReport:
        return RebuildReport(
            manifest=_shown(manifest),
            chunks=len(planned.rows),
            embedded=len(self.paid),
            reused=sum(row.passage not in self.paid for row in planned.rows),
            removed=published.removed,
            approved=published.approved,
            refused=published.refused,
            warnings=warnings,
            seconds=round(time.monotonic() - self.started, 3),
            peak_rss_mb=round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        )

    def _epoch(self, canaries: Vectors) -> str:
        """The stored epoch while the model is the one that made the index, else a new one."""
        try:
            manifest, _ = stored_manifest()
            if manifest.fingerprint == self.parts.embedder.profile.fingerprint:
                check_canaries(np.array(manifest.canaries, dtype=np.float32), canaries)
                return manifest.epoch
        except (IndexMissing, IndexMismatch, IndexDamaged):
            pass
        # Rounded: a run that was killed before it had a manifest finds its vectors again.
        return hashlib.sha256((np.round(canaries, 2) + 0.0).tobytes()).hexdigest()[:16]

    def _embed(self, missing: Sequence[PlannedPassage], planned: Plan) -> None:
        self._stage("embed", 0, len(missing))
        embedder = self.parts.embedder
        unpaid = reuse_vectors(missing, embedder.profile.dimension)
        done = len(missing) - len(unpaid)
        for batch in embed(embedder, unpaid, planned, self.cancelled):
            self.paid.update(passage.key for passage in batch)
            done = min(done + len(batch), len(missing))
            self._stage("embed", done, len(missing))

    def _tidy(self) -> list[str]:
        """Drop unused passages and old rows, and cut the log.

        The index is in place whatever comes of it.
        """
        try:
            self._note("publish", 1, 1)
            purge_passages()
            with transaction.atomic():
                prune(timezone.now())
            emptied = empty_write_ahead_log()
        except DatabaseError as error:
            return [f"The new index is in place, but tidying up failed: {error}."]
        return [] if emptied else ["The write-ahead log could not be cut: somebody is reading."]

    def _stage(self, stage: str, done: int, total: int) -> None:
        stop_if(self.cancelled)
        self._note(stage, done, total)

    def _note(self, stage: str, done: int, total: int) -> None:
        self.record.stage, self.record.done, self.record.total = stage, done, total
        self.record.save(update_fields=["stage", "done", "total", "heartbeat"])
        self.report(stage, done, total)


def _manifest(parts: Parts, planned: Plan, canaries: Vectors, epoch: str) -> Manifest:
    return Manifest.of(
        parts.embedder.profile,
        parts.chunking,
        parts.analyser,
        corpus_sha256=corpus_sha256(planned.revisions),
        chunks=len(planned.rows),
        chunks_sha256=planned.digests.whole,
        epoch=epoch,
        canaries=tuple(tuple(float(x) for x in row) for row in canaries),
    )


def _shown(manifest: Manifest) -> dict[str, Any]:
    """The manifest without the canaries' hundreds of numbers, which its digest covers."""
    values = {key: value for key, value in manifest.to_dict().items() if key != "canaries"}
    return values | {"digest": manifest.digest}


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
    except Exception as error:
        with suppress(DatabaseError):  # a full disk takes no note of it either
            _end(run, Outcome.FAILED, str(error))
        raise
    with suppress(DatabaseError):  # the new index is in place; the next run says interrupted
        _end(run, Outcome.DONE, "")


def _end(run: RebuildRun, outcome: str, error: str) -> None:
    run.outcome, run.error = outcome, error
    run.save(update_fields=["outcome", "error", "report", "heartbeat"])
