"""What a file says of itself: front matter read into checked fields. It can approve nothing."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from rag.core.errors import InvalidText
from rag.core.sources import MAX_ID, Status, check_window
from rag.core.text import body_start, is_printable, visible

# Keys that have a meaning here; every other one is metadata to filter by.
MEANT: Final = frozenset(
    {"id", "title", "version", "valid_from", "valid_until", "status", "product", "language",
     "canonical", "owner"}
)  # fmt: skip
_HEADING: Final = re.compile(r"^#{1,6}[ \t]+(.+?)[ \t]*#*[ \t]*$", re.MULTILINE)
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(-[a-z0-9]+)*")
MAX_VALUE: Final = 500


@dataclass(frozen=True)
class Overrides:
    """What the operator says on import; it goes before the file's own front matter."""

    version: str = ""
    status: Status | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    product: str = ""

    def as_front(self) -> dict[str, object]:
        """The options that were given, to be checked as front matter is."""
        return {key: value for key, value in vars(self).items() if str(value or "").strip()}


@dataclass(frozen=True)
class Described:
    """A file's description. ``source_id`` and ``version`` are empty where it names none."""

    source_id: str
    title: str
    version: str
    status: Status
    valid_from: date | None
    valid_until: date | None
    product: str
    language: str
    canonical: bool
    owner: str
    attributes: frozenset[tuple[str, str]]


def described(front: Mapping[str, object], overrides: Overrides, text: str, stem: str) -> Described:
    """Read front matter. Raises ``InvalidText`` naming the key, ``InvalidWindow`` if reversed.

    The title is the front matter's, else the first heading, else the file's stem.
    """
    front = {**front, **overrides.as_front()}
    about = Described(
        source_id=_line(front, "id", MAX_ID),
        title=_line(front, "title") or visible(_first_heading(text)) or stem,
        version=_line(front, "version"),
        status=_status(front),
        valid_from=_day(front, "valid_from"),
        valid_until=_day(front, "valid_until"),
        product=_line(front, "product", 100),
        language=_language(front),
        canonical=_flag(front, "canonical"),
        owner=_line(front, "owner", 200),
        attributes=frozenset(_attributes(front)),
    )
    check_window(about.valid_from, about.valid_until)
    return about


def _line(front: Mapping[str, object], key: str, longest: int = MAX_VALUE) -> str:
    """A scalar as one line of text; '' where the key is missing or empty."""
    value = front.get(key)
    if value is None:
        return ""
    if not isinstance(value, str | int | float | date):
        raise InvalidText(f"{key} must be one value, not {type(value).__name__}")
    text = _scalar(value).strip()
    if len(text) > longest or not is_printable(text):
        raise InvalidText(f"{key} must be one line of at most {longest} printable characters")
    return text


def _language(front: Mapping[str, object]) -> str:
    """The primary subtag of a language code: ``pt`` of ``pt-BR``."""
    value = _line(front, "language", 20).lower()
    if value and not _LANGUAGE.fullmatch(value):
        raise InvalidText(f"language {value!r} must be a code such as en, de or pt-BR")
    return value.partition("-")[0]


def _status(front: Mapping[str, object]) -> Status:
    value = _line(front, "status") or Status.CURRENT.value
    try:
        return Status(value)
    except ValueError:
        known = ", ".join(status.value for status in Status)
        raise InvalidText(f"status {value!r} is unknown; use {known}") from None


def _day(front: Mapping[str, object], key: str) -> date | None:
    value = front.get(key)
    if value is None or value == "":
        return None
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise InvalidText(f"{key} {value!r} is no day such as 2026-01-31") from None


def _flag(front: Mapping[str, object], key: str) -> bool:
    value = _scalar(front.get(key, True)).lower()
    if value not in ("true", "false"):
        raise InvalidText(f"{key} {value!r} must be true or false")
    return value == "true"


def _attributes(front: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Scalars and lists of scalars; nested values and overlong ones cannot be filtered by."""
    for key, value in front.items():
        if key in MEANT:
            continue
        for item in value if isinstance(value, list) else [value]:
            text = _scalar(item).strip()
            if text and len(str(key)) <= 100 and len(text) <= MAX_VALUE:
                yield str(key), text


def _scalar(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, str | int | float) else ""


def _first_heading(text: str) -> str:
    found = _HEADING.search(text, body_start(text))
    return found.group(1) if found else ""
