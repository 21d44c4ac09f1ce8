"""A question put to a chat model: at most three requests, one correction, and no memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rag.core.answers import Proposal, Supplied, gate
from rag.core.chat import AnswerMode, Calls, ChatClient, Message, Reply
from rag.core.errors import UnreadableReply
from rag.core.prompts import RETRIEVE, answer_schema, correction, delivery, opening
from rag.core.replies import proposal_of


def converse(
    mode: AnswerMode,
    question: str,
    supplied: Sequence[Supplied],
    client: ChatClient,
    calls: Calls,
) -> Proposal | None:
    """What the model proposes, at most once corrected; None where it proposed nothing readable.

    Adds to ``calls``. Raises ProviderError. The proposal is not verified yet: it goes to the gate.
    """
    messages = opening(mode, question, supplied)
    if mode is AnswerMode.TOOL:
        calls.chat += 1
        if RETRIEVE.name not in client.complete(messages, tools=[RETRIEVE]).calls:
            return None
        messages += delivery(supplied)
    if mode is not AnswerMode.BASELINE:
        calls.retrieval += 1
    return _corrected(messages, supplied, client, calls)


def _corrected(
    messages: Sequence[Message], supplied: Sequence[Supplied], client: ChatClient, calls: Calls
) -> Proposal | None:
    schema = answer_schema(supplied)
    turn = _turn(messages, schema, supplied, client, calls)
    if turn.fault:
        again = [*messages, *correction(turn.text, turn.fault)]
        turn = _turn(again, schema, supplied, client, calls)
    return turn.proposal


@dataclass(frozen=True)
class _Turn:
    """A reply as it was read. ``fault`` says what to correct; empty if nothing."""

    text: str
    proposal: Proposal | None
    fault: str = ""


def _turn(
    messages: Sequence[Message],
    schema: Mapping[str, Any],
    supplied: Sequence[Supplied],
    client: ChatClient,
    calls: Calls,
) -> _Turn:
    calls.chat += 1
    reply = client.complete(messages, schema=schema)
    try:
        proposal = _read(reply)
    except UnreadableReply as error:
        return _Turn(reply.text, None, str(error))
    if not proposal.can_answer:
        return _Turn(reply.text, proposal)  # a "no" is an answer: nobody talks the model out of it
    return _Turn(reply.text, proposal, gate(proposal, supplied, lambda _: True).fault)


def _read(reply: Reply) -> Proposal:
    if reply.calls:
        raise UnreadableReply("it calls a tool, but there is nothing more to fetch")
    return proposal_of(reply.text)
