"""Cases of an evaluation: a question, on whose behalf it is asked, and the passages that answer."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Protocol

from rag.core.errors import InvalidCase
from rag.core.sources import Status


class Place(Protocol):
    """Where a hit or a quotation lies: offsets are those of the revision's text."""

    @property
    def source_id(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def start_char(self) -> int: ...
    @property
    def end_char(self) -> int: ...


@dataclass(frozen=True)
class Slice:
    """A place by itself."""

    source_id: str
    version: str
    start_char: int
    end_char: int


@dataclass(frozen=True)
class Relevant:
    """A passage that answers. Without offsets the whole source, without version any of it."""

    source_id: str
    start_char: int | None = None
    end_char: int | None = None
    quote: str = ""
    version: str = ""

    def meets(self, place: Place) -> bool:
        """Whether they overlap in at least one character."""
        if self.source_id != place.source_id or self.version not in ("", place.version):
            return False
        if self.start_char is None or self.end_char is None:
            return True
        return self.start_char < place.end_char and place.start_char < self.end_char


@dataclass(frozen=True)
class Case:
    """A question, on whose behalf it is asked, and what answers it."""

    case_id: str
    question: str
    scopes: frozenset[str]
    as_of: date | None = None
    statuses: frozenset[Status] = frozenset()
    answerable: bool = True
    relevant: tuple[Relevant, ...] = ()

    @property
    def by_source(self) -> bool:
        """Whether whole sources are relevant, so that a source counts once."""
        return bool(self.relevant) and all(span.start_char is None for span in self.relevant)


def case_of(entry: Mapping[str, Any]) -> Case:
    """A case from its JSON object. What is missing or of the wrong kind raises ``InvalidCase``.

    Needed are ``case_id``, ``question`` and ``scopes``; of a relevant span, ``source_id``.
    Unknown fields are passed over.
    """
    case_id = _text(entry, "case_id", str(entry.get("case_id", "?")))
    relevant = entry.get("relevant", [])
    if not isinstance(relevant, list):
        raise InvalidCase(case_id, "relevant", "a list")
    as_of = entry.get("as_of")
    answerable = entry.get("answerable", True)
    if not isinstance(answerable, bool):
        raise InvalidCase(case_id, "answerable", "true or false")
    return Case(
        case_id=case_id,
        question=_text(entry, "question", case_id),
        scopes=frozenset(_texts(entry, "scopes", case_id)),
        as_of=_day(as_of, case_id) if as_of is not None else None,
        statuses=frozenset(_status(name, case_id) for name in _texts(entry, "statuses", case_id)),
        answerable=answerable,
        relevant=tuple(_relevant(span, case_id) for span in relevant),
    )


def _relevant(span: object, case_id: str) -> Relevant:
    if not isinstance(span, Mapping):
        raise InvalidCase(case_id, "relevant", "a list of objects")
    start, end = span.get("start_char"), span.get("end_char")
    if (start, end) != (None, None) and not _is_span(start, end):
        raise InvalidCase(case_id, "start_char", "a number from 0, below end_char")
    source_id = _text(span, "source_id", case_id)
    return Relevant(source_id, start, end, str(span.get("quote", "")), str(span.get("version", "")))


def _is_span(start: object, end: object) -> bool:
    # ``true`` is a number to isinstance, and to nobody else.
    if isinstance(start, bool) or isinstance(end, bool):
        return False
    return isinstance(start, int) and isinstance(end, int) and 0 <= start < end


def _text(entry: Mapping[str, Any], name: str, case_id: str) -> str:
    value = entry.get(name)
    if not isinstance(value, str) or not value:
        raise InvalidCase(case_id, name, "a text")
    return value


def _texts(entry: Mapping[str, Any], name: str, case_id: str) -> list[str]:
    value = entry.get(name, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InvalidCase(case_id, name, "a list of texts")
    return value


def _day(value: object, case_id: str) -> date:
    try:
        return date.fromisoformat(str(value))
    except ValueError:
        raise InvalidCase(case_id, "as_of", "a date such as 2026-11-30") from None


def _status(name: str, case_id: str) -> Status:
    try:
        return Status(name)
    except ValueError:
        known = ", ".join(status.value for status in Status)
        raise InvalidCase(case_id, "statuses", f"a list of {known}") from None
