"""Questions that wait for a chat model: asked at once, answered by a thread of this process.

The page that asked may be closed meanwhile, and no worker of the web server waits. A thread puts
the excerpts to the model and touches no table; another gives a sign of life and, once the model
has answered, records the answer, unless the question was cancelled or its asker is gone.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Final
from uuid import UUID

from django.conf import settings
from django.contrib.auth.models import User
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone

from rag.actions.asking import prepare, settle
from rag.actions.profiles import Parts
from rag.actions.proposing import Proposed, proposed_by_model
from rag.actions.recording import Request, options_of, without_texts
from rag.core.chat import AnswerMode, ChatClient
from rag.core.errors import Busy, NotFound
from rag.core.retrieval import Options
from rag.core.sources import Access, Selection
from rag.models import PendingAnswer
from rag.queries.waiting import own_pending, own_waiting

logger = logging.getLogger("rag.actions")
BEAT: Final = 2.0  # seconds between two signs of life
FULL: Final = (
    "As many questions wait for the model that proposes quotations as may at once. "
    "Try again in a few minutes."
)
OWN_FULL: Final = (
    "As many questions of yours are with the model as one person may have there at once ({most}). "
    "Wait for an answer, or cancel one of them."
)
_State = PendingAnswer.State


class Places:
    """How many questions of this process may be with the model at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.taken = 0

    def take(self, most: int) -> None:
        """Raises Busy where ``most`` are taken."""
        with self._lock:
            if self.taken >= most:
                raise Busy(FULL)
            self.taken += 1

    def free(self) -> None:
        with self._lock:
            self.taken -= 1


places: Final = Places()


def begin(
    person: User,
    question: str,
    access: Access,
    selection: Selection,
    options: Options,
    parts: Parts,
    mode: AnswerMode | None = None,
) -> UUID:
    """The id under which the answer stands, or will stand once the site's model has proposed.

    ``mode`` is one of those that the site allows, None for the site's own. A question that no
    model need be asked is answered at once. Raises Busy where EVIDENCE_CHAT_WAITING questions
    wait in this process already, or EVIDENCE_CHAT_WAITING_EACH of the person's in all of them;
    nothing is recorded then.
    """
    request, offered = prepare(question, access, selection, options, parts, mode)
    if not offered.asks_model:
        with transaction.atomic():
            return settle(request, offered, parts)[0].pk
    client = parts.answering.model.connect()
    places.take(settings.EVIDENCE_CHAT_WAITING)
    try:
        _store(person, request, offered)
    except BaseException:
        places.free()
        raise
    _start(request, offered, parts, client)  # its thread frees the place
    return request.answer_id


def cancel(person: User, answer_id: UUID) -> bool:
    """Give up the person's question; what its model says later is neither shown nor recorded.

    False if it is not waiting (any more). Raises NotFound where the person has no such question.
    """
    running = own_pending(person).filter(pk=answer_id, state=_State.RUNNING)
    if running.update(state=_State.CANCELLED):
        return True
    if own_pending(person).filter(pk=answer_id).exists() or person.answers.filter(pk=answer_id):
        return False
    raise NotFound("answer", str(answer_id))


@transaction.atomic
def _store(person: User, request: Request, offered: Proposed) -> None:
    """Note that the question waits. Raises Busy where too many of the person's do.

    The transaction takes the write lock when it begins, so two cannot count at the same time.
    """
    most = settings.EVIDENCE_CHAT_WAITING_EACH
    if own_waiting(person, timezone.now()).count() >= most:
        raise Busy(OWN_FULL.format(most=most))
    hits = {hit.chunk_id: hit for hit in offered.found.hits}
    PendingAnswer.objects.create(
        id=request.answer_id,
        asked_at=request.asked_at,
        person=person,
        scopes=sorted(request.access.scopes),
        question=request.question,
        as_of=request.access.as_of,
        options=options_of(request.selection, request.options),
        hits=without_texts(hits[excerpt.chunk_id] for excerpt in offered.supplied),
        mode=request.mode.value,
    )


def _start(request: Request, offered: Proposed, parts: Parts, client: ChatClient) -> None:
    """Two daemons: a process that ends does not wait for a model."""
    said: Future[Proposed] = Future()

    def ask() -> Proposed:
        return proposed_by_model(request.question, offered, lambda: client, request.mode)

    attending = threading.Thread(
        target=_attend, args=(request, said, parts, client), name="answer", daemon=True
    )
    asking = threading.Thread(target=_ask, args=(said, ask), name="chat", daemon=True)
    try:
        asking.start()
    except RuntimeError as error:  # the system gives no more threads
        places.free()
        said.set_exception(error)
    attending.start()


def _ask(said: "Future[Proposed]", ask: Callable[[], Proposed]) -> None:
    """Its place is free again when the model has let go, or was given up."""
    try:
        said.set_result(ask())
    except BaseException as error:
        said.set_exception(error)
    finally:
        places.free()


def _attend(request: Request, said: "Future[Proposed]", parts: Parts, client: ChatClient) -> None:
    """Give signs of life until the model has answered, then record what it came to."""
    try:
        while not wait([said], timeout=BEAT).done:
            if not _beat(request.answer_id):
                client.give_up()
                return
        _settle(request, said.result(), parts)
    except Exception as error:
        logger.exception("answer %s failed: %s", request.answer_id, error)
        _note_failure(request.answer_id)
    finally:
        connection.close()


def _running(answer_id: UUID) -> QuerySet[PendingAnswer]:
    return PendingAnswer.objects.filter(pk=answer_id, state=_State.RUNNING)


def _beat(answer_id: UUID) -> bool:
    """Whether the answer is still wanted; a database that is busy now says nothing."""
    try:
        return bool(_running(answer_id).update(heartbeat=timezone.now()))
    except DatabaseError as error:
        logger.warning("answer %s: no sign of life: %s", answer_id, error)
        return True


def _settle(request: Request, proposed: Proposed, parts: Parts) -> None:
    """Exactly one of cancelling and recording comes first, and the other finds no row."""
    with transaction.atomic():
        if not _running(request.answer_id).delete()[0]:
            return
        _, decision = settle(request, proposed, parts)
    if decision.failure:
        logger.error("%s %s", decision.failure.code, decision.failure)


def _note_failure(answer_id: UUID) -> None:
    try:
        _running(answer_id).update(state=_State.FAILED)
    except DatabaseError as error:
        logger.error("answer %s: its failure is not on record: %s", answer_id, error)
