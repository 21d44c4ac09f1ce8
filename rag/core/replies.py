"""What a chat model said, read as a proposal: one strict form, and a fault that can be named."""

import json
from typing import Any, Never

from rag.core.answers import Piece, Proposal
from rag.core.errors import UnreadableReply


def proposal_of(text: str) -> Proposal:
    """The proposal in a reply: exactly one JSON object of the form that was asked for.

    Nothing is dug out of prose, fences or strings: what a model meant is not guessed. A quotation
    that cannot be read is None in the proposal, and other keys are left aside, since nothing of
    them is published. Raises UnreadableReply, whose sentence says what was wrong.
    """
    entry = _object(text)
    can_answer, quotes = entry.get("can_answer"), entry.get("quotes", [])
    if not isinstance(can_answer, bool):
        raise UnreadableReply("can_answer must be true or false")
    if not isinstance(quotes, list):
        raise UnreadableReply("quotes must be a list of objects with alias and quote")
    return Proposal(can_answer, tuple(_piece(quote) for quote in quotes))


def _object(text: str) -> dict[str, Any]:
    if text.lstrip().startswith("```"):
        raise UnreadableReply("it stands in a code fence")
    try:
        entry = json.loads(text, parse_constant=_refuse, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise UnreadableReply("it is not one complete JSON object") from None
    if not isinstance(entry, dict):
        raise UnreadableReply("it is JSON, but no object")
    return entry


def _refuse(constant: str) -> Never:
    raise ValueError(constant)  # NaN and Infinity are not JSON


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys stand once each: of two values none is the one that was meant."""
    entry = dict(pairs)
    if len(entry) < len(pairs):
        raise ValueError("a key stands twice")
    return entry


def _piece(quote: object) -> Piece | None:
    if not isinstance(quote, dict):
        return None
    alias, words = quote.get("alias"), quote.get("quote")
    return Piece(alias, words) if isinstance(alias, str) and isinstance(words, str) else None
