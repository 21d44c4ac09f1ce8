"""The chip that says where a revision stands: a word, and a colour that only supports it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Final

from rag.core.sources import Governed, Standing, standing

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
        return f"until {_day(end)}" if end else "no window"
    return f"{_day(start)} to {_day(end)}" if end else f"since {_day(start)}"


def _day(day: date | None) -> str:
    return f"{day.day} {day:%B %Y}" if day else ""
