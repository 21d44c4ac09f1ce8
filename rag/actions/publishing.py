"""The one short transaction of a rebuild: rows that differ, facts, manifest, approvals."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.contrib.auth.models import User
from django.db import connection, transaction

from rag import models
from rag.actions.audit import OPERATOR, record
from rag.actions.embedding import Overtaken
from rag.actions.governing import approve_in_transaction, today
from rag.actions.indexing import INDEXABLE, insert_chunks, write_manifest
from rag.actions.planning import Plan
from rag.core.errors import NotAllowed
from rag.core.index import Manifest
from rag.core.rows import ChunkRow
from rag.core.sources import State
from rag.models import Passage, ProductFact, Revision
from rag.queries.snapshots import stored_chunks


@dataclass(frozen=True)
class Changes:
    """What a plan changes in the chunks of one index, whose generation is empty if there is none.

    ``gone`` are the keys (revision, part) of rows that go, ``new`` the rows that come, and
    ``removed`` how many chunks leave for good.
    """

    generation: str
    gone: tuple[tuple[int, int], ...]
    new: tuple[ChunkRow, ...]
    removed: int


@dataclass(frozen=True)
class Published:
    """How many chunks left the index, who was approved, and why others were not."""

    removed: int
    approved: list[str]
    refused: list[str]


def changes(planned: Plan) -> Changes:
    """Only the rows that differ from those that the open transaction sees.

    Found before publishing: 100,000 rows take two seconds, in which no other could write.
    """
    old = {(row.revision, row.part): row for row in stored_chunks()}
    new = {(row.revision, row.part): row for row in planned.rows}
    return Changes(
        _generation(),
        tuple(key for key, row in old.items() if new.get(key) != row),
        tuple(row for key, row in new.items() if old.get(key) != row),
        sum(key not in new for key in old),
    )


@transaction.atomic
def publish(planned: Plan, changed: Changes, manifest: Manifest) -> Published:
    """Make the plan the index and carry out the requested approvals, all or nothing.

    Raises ``Overtaken`` if an erasure came between planning and now.
    """
    _check_passages(planned)
    if _generation() != changed.generation:
        raise Overtaken
    _delete_chunks(changed.gone)
    insert_chunks(changed.new)
    _replace_facts(planned)
    _mark_indexed(planned)
    write_manifest(manifest)
    record(OPERATOR, "rebuild", "index", manifest=manifest.digest, chunks=manifest.chunks)
    return Published(changed.removed, *_carry_out_requests(planned))


def _generation() -> str:
    return models.Manifest.objects.values_list("generation", flat=True).first() or ""


def _check_passages(planned: Plan) -> None:
    """Every revision must still be there, and every passage stored: an erasure may have come."""
    states = dict(Revision.objects.values_list("pk", "state"))
    stored = set(Passage.objects.values_list("key", flat=True))
    lost = any(states[r.pk] == State.ERASED.value for r in planned.revisions)
    if lost or not stored.issuperset(planned.passages):
        raise Overtaken


def _delete_chunks(keys: Sequence[tuple[int, int]]) -> None:
    with connection.cursor() as cursor:
        cursor.executemany("DELETE FROM rag_chunk WHERE revision_id = %s AND part = %s", keys)


def _mark_indexed(planned: Plan) -> None:
    """Only an indexed revision can be approved; a withdrawn one leaves the index."""
    leaving = Revision.objects.filter(indexed=True).exclude(state__in=INDEXABLE)
    leaving.update(indexed=False, chunks_sha256="")
    digests = ((planned.digests.of(revision.pk), revision.pk) for revision in planned.revisions)
    with connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE rag_revision SET indexed = 1, chunks_sha256 = %s"
            " WHERE id = %s AND NOT (indexed AND chunks_sha256 = %s)",
            [(digest, key, digest) for digest, key in digests],
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


def _carry_out_requests(planned: Plan) -> tuple[list[str], list[str]]:
    """Approve what the import asked for, oldest window first; what cannot be stays pending."""
    keys = {revision.pk for revision in planned.revisions}
    waiting = Revision.objects.filter(state=State.PENDING.value).exclude(approval_requested_by="")
    day = today()
    requested = sorted(
        (revision for revision in waiting.select_related("source__scope") if revision.pk in keys),
        key=lambda r: (r.source.source_id, r.valid_from or day, r.pk),
    )
    approved, refused = [], []
    for revision in requested:
        try:
            approved.append(str(_carry_out(revision, day)))
        except NotAllowed as error:
            refused.append(str(error))
    return approved, refused


def _carry_out(revision: Revision, day: date) -> Revision:
    """Approve in the name of who asked for it, if that person still has an account."""
    actor = revision.approval_requested_by
    if not User.objects.filter(username=actor, is_active=True).exists():
        raise NotAllowed(
            f"{revision} stays pending: {actor!r}, who asked for its approval, has no active "
            "account any more. Somebody else can approve it."
        )
    return approve_in_transaction(revision, actor, revision.text_sha256, day)
