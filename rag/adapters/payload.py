"""JSON from outside: read strictly, and quoted in an error without any secret."""

import base64
import json
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final, NoReturn
from urllib.parse import quote

from rag.adapters.endpoints import Fault

LONGEST_MESSAGE: Final = 200
# A part of a key this long does not stand in a sentence by chance.
WINDOW: Final = 6


def strict_json(raw: bytes) -> object:
    """The value of UTF-8 JSON; Fault for NaN, infinities, half characters and broken JSON."""
    try:
        value: object = json.loads(
            raw.decode("utf-8"), parse_constant=_not_finite, parse_float=_finite
        )
        if b"\\u" in raw:
            # Half of a surrogate pair: a text that could neither be stored nor shown.
            json.dumps(value, ensure_ascii=False).encode()
    except UnicodeError:
        raise Fault("the answer is not UTF-8") from None
    except (ValueError, RecursionError):
        raise Fault("the answer is not whole, valid JSON") from None
    return value


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        _not_finite(text)
    return number


def _not_finite(text: str) -> NoReturn:
    raise Fault("the answer holds a number that is not finite")


def error_message(value: object) -> str:
    """What a provider says went wrong; empty if it does not say, or nothing went wrong.

    ``{"error": "…"}`` (Ollama), ``{"error": {"message": "…"}}`` (OpenAI and those like it) or
    ``{"object": "error", "message": "…"}`` (vLLM before 0.9).
    """
    if not isinstance(value, dict):
        return ""
    error = value if value.get("object") == "error" else value.get("error")
    if isinstance(error, dict):
        error = error.get("message") or error.get("code") or error.get("type") or "no reason given"
    return str(error) if error else ""


class Discretion:
    """Shows what a server said, unless it repeats the key or a part of it."""

    def __init__(self, key: str) -> None:
        forms = (key, quote(key, safe=""), base64.b64encode(key.encode()).decode())
        self._parts = {
            form[start : start + WINDOW].lower()
            for form in forms
            for start in range(max(1, len(form) - WINDOW + 1))
            if form
        }

    def shown(self, text: str) -> str:
        """One line of at most 200 characters."""
        if any(part in text.lower() for part in self._parts):
            return "its words are left out, since they repeat the key"
        line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        short = line if len(line) <= LONGEST_MESSAGE else f"{line[:LONGEST_MESSAGE]}…"
        return short.rstrip(".")

    def __repr__(self) -> str:
        return "Discretion()"


def retry_after(header: str | None, now: datetime | None = None) -> float | None:
    """Seconds to wait, from 0, by RFC 9110's seconds or date; None if it does not say."""
    if header is None:
        return None
    if header.strip().isdecimal():
        return float(header)
    try:
        moment = parsedate_to_datetime(header)
    except (ValueError, OverflowError):  # a year beyond what an integer of C holds
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def as_json(body: object) -> bytes:
    """A request's body."""
    encoded: Any = json.dumps(body, allow_nan=False)
    return bytes(encoded.encode())
