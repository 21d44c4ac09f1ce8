"""The chip that says where a revision stands: a word, and a colour that only supports it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Final

from rag.core.sources import Governed, Standing, standing
from rag.models import Revision

_KINDS: Final[Mapping[Standing, str]] = MappingProxyType(
    {
        Standing.IN_FORCE: "ok",
        Standing.NOT_YET: "warning",
        Standing.PENDING: "warning",
        Standing.REJECTED: "bad",
        Standing.WITHDRAWN: "bad",
        Standing.ERASED: "bad",
    }
)


@dataclass(frozen=True)
class Chip:
    """``kind`` is its class in the style sheet: ok, warning, bad, still, or empty."""

    word: str
    kind: str


def standing_chip(revision: Governed, day: date) -> Chip:
    """Where the revision stands on that day."""
    place = standing(revision, day)
    return Chip(place.value, _KINDS.get(place, "still"))


def window_words(start: date | None, end: date | None) -> str:
    """A validity window for people: ``since 1 March 2026``, ``1 March 2026 to 4 May 2027``."""
    if start is None:
        return f"until {day_words(end)}" if end else "no window"
    return f"{day_words(start)} to {day_words(end)}" if end else f"since {day_words(start)}"


def record_window(revision: Revision) -> str:
    """The window on a revision's record in words; nothing where it has none."""
    start, end = revision.valid_from, revision.valid_until
    return window_words(start, end) if start or end else ""


def day_words(day: date | None) -> str:
    """A day for people: ``1 March 2026``; nothing for none."""
    return f"{day.day} {day:%B %Y}" if day else ""
