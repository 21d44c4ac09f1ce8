"""Excerpts put to a chat model: what it proposes, and its failure kept apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rag.core.answers import Proposal, Supplied
from rag.core.chat import AnswerMode, Calls, ChatClient
from rag.core.dialogue import converse
from rag.core.errors import ProviderError


@dataclass(frozen=True)
class Said:
    """What a model proposed, or the failure of its provider instead; and what it was asked."""

    proposal: Proposal | None = None
    failure: ProviderError | None = None
    calls: Calls = field(default_factory=Calls)


def put_to_model(
    mode: AnswerMode,
    question: str,
    fitted: Sequence[Supplied],
    connect: Callable[[], ChatClient],
) -> Said:
    """The model's proposal to excerpts that fit its context.

    No transaction is open meanwhile: a slow model holds up nobody else's writing.
    """
    calls = Calls()
    try:
        proposal = converse(mode, question, fitted, connect(), calls)
    except ProviderError as error:
        return Said(failure=error, calls=calls)
    return Said(proposal, calls=calls)
