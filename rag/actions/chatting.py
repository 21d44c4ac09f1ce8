"""A question put to the site's chat model: what fits is sent, and what fails is kept apart."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from rag.core.answers import Proposal, Supplied, Verdict, refused_for_length
from rag.core.chat import Answering, AnswerMode, Calls
from rag.core.dialogue import converse
from rag.core.errors import ProviderError
from rag.core.prompts import fitting


@dataclass(frozen=True)
class Said:
    """What a model proposed to the excerpts that it got; or the refusal or failure instead."""

    supplied: Sequence[Supplied]
    proposal: Proposal | None = None
    refusal: Verdict | None = None
    failure: ProviderError | None = None
    calls: Calls = field(default_factory=Calls)


def put_to_model(
    mode: AnswerMode,
    question: str,
    supplied: Sequence[Supplied],
    answering: Answering,
    known: frozenset[str] = frozenset(),
) -> Said:
    """The model's proposal. It is connected to only if there is something that fits.

    ``known`` are codes in the question that product facts answer.
    No transaction is open meanwhile: a slow model holds up nobody else's writing.
    """
    chat = answering.model
    fitted = fitting(mode, question, supplied, chat.profile.budget, known)
    if not fitted:
        return Said(supplied, refusal=refused_for_length())
    calls = Calls()
    try:
        proposal = converse(mode, question, fitted, chat.connect(), calls)
    except ProviderError as error:
        return Said(fitted, failure=error, calls=calls)
    return Said(fitted, proposal, calls=calls)
