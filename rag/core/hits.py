"""A hit as it is shown: a chunk with its provenance and its figures."""

from dataclasses import asdict, dataclass
from typing import Any, Final

_INSIDE: Final = frozenset({"revision", "approved_at"})


@dataclass(frozen=True)
class Hit:
    """One retrieved chunk. ``rank`` is the policy's value: neither a cosine nor a probability.

    Offsets are zero-based, end-exclusive code points of the revision's text; lines are one-based
    and inclusive. ``text`` is that slice, never the whole source. Days and moments are in ISO 8601.
    """

    chunk_id: str
    label: str
    source_id: str
    document_id: str
    version: str
    source_sha256: str
    text_sha256: str
    title: str
    section: str
    scope: str
    status: str
    in_force: bool
    valid_from: str | None
    valid_until: str | None
    approved_at: str | None
    start_char: int
    end_char: int
    start_line: int
    end_line: int
    text: str
    context: str
    cosine: float | None
    lexical: float | None
    rank: float
    revision: int

    def to_dict(self) -> dict[str, Any]:
        """The stable JSON shape; the database's own key, and when it was approved, stay inside."""
        values = {key: value for key, value in asdict(self).items() if key not in _INSIDE}
        return values | {"approved": True, "complete": False}
