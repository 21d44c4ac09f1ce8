"""Approving, withdrawing and erasing: what is served changes here and nowhere else."""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from datetime import date, timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from rag.actions.audit import record
from rag.actions.indexing import drop_from_index, empty_write_ahead_log
from rag.actions.people import actor_named
from rag.core.errors import NotAllowed, NotFound, StorageError
from rag.core.facts import Fact, fact_line
from rag.core.sources import State, Status, check_approvable, has_window
from rag.models import Answer, Citation, FactCitation, Revision, Source
from rag.queries.eligibility import governed
from rag.queries.reviewing import Closing, Effect, closings, effect_of_approval, siblings_of


@transaction.atomic
def approve(document_id: str, *, actor: str, shown_sha256: str) -> Revision:
    """Approve the pending, indexed revision whose text was shown under that SHA-256."""
    revision = _revision(document_id)
    return approve_in_transaction(revision, actor_named(actor), shown_sha256, today())


def approve_in_transaction(
    revision: Revision, actor: str, shown_sha256: str, day: date
) -> Revision:
    """The approval itself, for callers that hold the writing transaction (rebuild carries out
    requested approvals in its own)."""
    check_approvable(
        str(revision), State(revision.state), revision.indexed, revision.text_sha256, shown_sha256
    )
    effect = effect_of_approval(revision, siblings_of(revision), day)
    _check_possible(revision, effect)
    revision.state, revision.valid_from = State.APPROVED.value, effect.first
    revision.approved_by, revision.approved_at = actor, timezone.now()
    if effect.early:  # a later rule was approved first
        revision.valid_until, revision.status = effect.last, Status.SUPERSEDED.value
    revision.save()
    record(actor, "approve", str(revision), **_proof(revision))
    _close(effect.closings, revision.document_id, actor)
    return revision


def _check_possible(revision: Revision, effect: Effect) -> None:
    if not effect.possible:
        raise NotAllowed(
            f"{revision} would never be in force: its window ends on {revision.valid_until}. "
            "Import it under a new version that says valid_from."
        )


def _close(ending: Iterable[Closing], by: str, actor: str) -> list[Revision]:
    """End the windows; which they were."""
    closed = []
    for closing in ending:
        old, day = closing.revision, closing.day
        old.valid_until, old.status = day, Status.SUPERSEDED.value
        old.save(update_fields=["valid_until", "status"])
        record(actor, "supersede", str(old), by=by, until=day.isoformat())
        closed.append(old)
    return closed


@transaction.atomic
def request_approval(document_id: str, *, actor: str, shown_sha256: str) -> Revision:
    """Ask for the approval of the text shown as soon as the next rebuild has indexed it.

    The rebuild approves it in that person's name, in its own transaction.
    """
    actor, revision = actor_named(actor), _revision(document_id)
    if revision.approval_requested_by:
        requester = revision.approval_requested_by
        raise NotAllowed(f"The approval of {revision} was requested already, by {requester}.")
    if revision.indexed:
        raise NotAllowed(f"{revision} is indexed by now: it can be approved at once.")
    # All but the index is asked of it now: the rebuild has nobody to whom it could say no.
    check_approvable(str(revision), State(revision.state), True, revision.text_sha256, shown_sha256)
    _check_possible(revision, effect_of_approval(revision, siblings_of(revision), today()))
    revision.approval_requested_by = actor
    revision.save(update_fields=["approval_requested_by"])
    record(actor, "request_approval", str(revision), **_proof(revision))
    return revision


@transaction.atomic
def supersede(source_id: str, *, by: str, actor: str) -> list[Revision]:
    """End a source's windows on the day before another source's first day in force."""
    actor = actor_named(actor)
    olds = _revisions(source_id)
    served = [r for r in _revisions(by) if r.state == State.APPROVED.value]
    served = [r for r in served if has_window(governed(r)) and r.source_id != olds[0].source_id]
    if not served:
        raise NotAllowed(f"{by} has no approved text in force that could supersede {source_id}.")
    first = min(served, key=lambda r: (r.valid_from or date.max, r.pk))
    new = replace(governed(first), status=Status.CURRENT)
    closed = _close(closings(olds, new), first.document_id, actor)
    if not closed:
        raise NotAllowed(f"{source_id} has no window that reaches the first day of {first}.")
    return closed


@transaction.atomic
def withdraw(identifier: str, *, actor: str, reason: str) -> list[Revision]:
    """Withdraw a source, or one revision by its document id. Gone on the next request."""
    actor = _checked(actor, reason)
    served = [r for r in _revisions(identifier) if r.state in (State.PENDING, State.APPROVED)]
    if not served:
        raise NotAllowed(
            f"{identifier} has nothing to withdraw: it is withdrawn or erased already."
        )
    for revision in served:
        revision.state, revision.reason = State.WITHDRAWN.value, reason
        revision.approval_requested_by = ""
        revision.save(update_fields=["state", "reason", "approval_requested_by"])
        record(actor, "withdraw", str(revision), **_because(reason), **_proof(revision))
    return served


@transaction.atomic
def reject(document_id: str, *, actor: str, reason: str) -> Revision:
    """Refuse a pending revision; it stays on record and leaves the index with the next rebuild."""
    actor, revision = _checked(actor, reason), _revision(document_id)
    if revision.state != State.PENDING.value:
        raise NotAllowed(f"{revision} is {revision.state}; only a pending revision is rejected.")
    revision.state, revision.reason = State.REJECTED.value, reason
    revision.approval_requested_by = ""
    revision.save(update_fields=["state", "reason", "approval_requested_by"])
    record(actor, "reject", str(revision), **_because(reason), **_proof(revision))
    return revision


def is_closed_by_successor(revision: Revision) -> bool:
    """Whether an approved revision of the same source begins on the day after this one ends."""
    if revision.valid_until is None:
        return False
    first_day = revision.valid_until + timedelta(days=1)
    siblings = (other for other in siblings_of(revision) if other.state == State.APPROVED.value)
    return any(other.valid_from == first_day for other in siblings)


def left_closed(withdrawn: Iterable[Revision]) -> list[Revision]:
    """Approved predecessors whose window one of the withdrawn revisions had closed.

    They stay closed: that a new rule was wrong does not say that the old one holds again.
    """
    return [
        old
        for revision in withdrawn
        if revision.valid_from
        for old in siblings_of(revision)
        if old.state == State.APPROVED.value
        and old.valid_until == revision.valid_from - timedelta(days=1)
    ]


def erase(identifier: str, *, actor: str, reason: str) -> list[Revision]:
    """Delete text, passages and vectors of a source or revision; hashes and a tombstone stay.

    Freed pages are overwritten (secure_delete) and the write-ahead log is emptied, so the text
    is not in the database's files any more either; ``StorageError`` says so if a reader kept it
    from being emptied. Backups are the operator's.
    """
    with transaction.atomic():
        erased = _erase(identifier, _checked(actor, reason), reason)
    if not empty_write_ahead_log():
        raise StorageError(
            f"{identifier} is erased and no longer served, but its bytes still stand in the "
            "database's log: another process is reading. Run: manage.py rebuild"
        )
    return erased


def _erase(identifier: str, actor: str, reason: str) -> list[Revision]:
    revisions = [r for r in _revisions(identifier) if r.state != State.ERASED.value]
    if not revisions:
        raise NotAllowed(f"{identifier} is erased already.")
    drop_from_index(revisions)
    for revision in revisions:
        revision.reason = reason
        _blank(revision)
        answers = _redact_answers(revision)
        proof = _because(reason) | _proof(revision)
        record(actor, "erase", str(revision), answers=answers, **proof)
    return revisions


def _blank(revision: Revision) -> None:
    revision.text, revision.title, revision.state = "", "", State.ERASED.value
    revision.indexed, revision.chunks_sha256 = False, ""
    revision.approval_requested_by = ""
    revision.save()
    revision.attributes.all().delete()
    revision.facts.all().delete()


def _redact_answers(revision: Revision) -> list[str]:
    """Recorded answers keep what they cited, by place and hash, without the erased words.

    Gives the ids of the answers that were changed.
    """
    cited = Q(citations__revision=revision) | Q(facts__revision=revision)
    answers = list(Answer.objects.filter(cited).distinct().order_by("pk"))
    for answer in answers:
        answer.citations.filter(revision=revision).update(quote="")
        answer.facts.filter(revision=revision).update(product="", name="", value="")
        facts = map(_fact_line, answer.facts.order_by("position"))
        answer.text = "\n".join([*facts, *map(_line, answer.citations.order_by("position"))])
        answer.save(update_fields=["text"])
    return [str(answer.pk) for answer in answers]


def _line(citation: Citation) -> str:
    quote = citation.quote or f"(erased; SHA-256 {citation.quote_sha256})"
    return f"[{citation.label}] {quote}"


def _fact_line(stated: FactCitation) -> str:
    if not stated.value:
        return f"[{stated.label}] (erased; SHA-256 {stated.fact_sha256})"
    return fact_line(stated.label, Fact(stated.product, stated.name, stated.value))


def _checked(actor: str, reason: str) -> str:
    if not reason.strip():
        raise NotAllowed("A reason is needed; it stays on record.")
    return actor_named(actor)


def _revision(document_id: str) -> Revision:
    rows = Revision.objects.filter(document_id=document_id).select_related("source__scope")
    revision = rows.first()
    if revision is None:
        raise NotFound("revision", document_id)
    return revision


def _revisions(identifier: str) -> list[Revision]:
    rows = Revision.objects.filter(document_id=identifier)
    if not rows:
        rows = Revision.objects.filter(source__source_id=identifier)
    if not rows and not Source.objects.filter(source_id=identifier).exists():
        raise NotFound("source", identifier)
    return list(rows.select_related("source__scope").order_by("pk"))


def _because(reason: str) -> dict[str, str]:
    """A reason as an event may hold it; its words stand on the revision."""
    return {"reason_sha256": hashlib.sha256(reason.encode()).hexdigest()}


def _proof(revision: Revision) -> dict[str, str]:
    return {
        "document_id": revision.document_id,
        "source_sha256": revision.source_sha256,
        "text_sha256": revision.text_sha256,
    }


def today() -> date:
    """Today in the site's time zone."""
    return timezone.localdate()
