"""Identity, status, validity window and the one rule of eligibility.

Everything here is a pure function of its arguments. ``queries.eligible_revisions`` is the same
rule as one SQL query, and a property test holds the two together.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from rag.core.errors import InvalidText, InvalidWindow, NotAllowed
from rag.core.text import is_printable

MAX_ID: Final = 500
MAX_SCOPE: Final = 100


class Status(StrEnum):
    """What a revision says of its own place in time."""

    CURRENT = "current"
    SUPERSEDED = "superseded"
    HISTORICAL = "historical"


class State(StrEnum):
    """How far a revision has come: only an approved one is ever served."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    ERASED = "erased"


@dataclass(frozen=True)
class Access:
    """Who asks, what that person may read, and the day asked for. There is no default access.

    ``live``: the scopes are a person's grants, read again for every step that shows something.
    """

    user: str
    scopes: frozenset[str]
    as_of: date
    live: bool = False


@dataclass(frozen=True)
class Selection:
    """What the asker narrows a search to. It never widens ``Access``.

    ``statuses`` empty, or ``current`` alone, means "in force"; that a successor is approved for a
    later day takes nothing away. Naming another status opens the archive view: the window test
    is dropped, the statuses count as they are recorded, and every hit is marked as not in force.
    """

    statuses: frozenset[Status] = frozenset()
    product: str = ""
    filters: frozenset[tuple[str, str]] = frozenset()
    canonical_only: bool = True

    @property
    def archive(self) -> bool:
        return bool(self.statuses - {Status.CURRENT})


@dataclass(frozen=True)
class Governed:
    """The facts of one revision on which its eligibility depends."""

    scope: str
    state: State
    status: Status = Status.CURRENT
    valid_from: date | None = None
    valid_until: date | None = None
    canonical: bool = True
    product: str = ""
    attributes: frozenset[tuple[str, str]] = field(default_factory=frozenset)


def is_eligible(revision: Governed, access: Access, selection: Selection) -> bool:
    """Whether ``access`` may be shown ``revision`` under ``selection``."""
    return (
        revision.scope in access.scopes
        and revision.state is State.APPROVED
        and _wanted(revision, selection)
        and (
            revision.status in selection.statuses
            if selection.archive
            else _in_force(revision, access)
        )
    )


def _wanted(revision: Governed, selection: Selection) -> bool:
    return (
        (revision.canonical or not selection.canonical_only)
        and (not selection.product or revision.product == selection.product)
        and selection.filters <= revision.attributes
    )


def _in_force(revision: Governed, access: Access) -> bool:
    return (
        has_window(revision)
        and revision.valid_from is not None
        and revision.valid_from <= access.as_of
        and (revision.valid_until is None or access.as_of <= revision.valid_until)
    )


def is_readable(revision: Governed, access: Access, reviews: bool) -> bool:
    """Whether ``access`` may open the text, in force or not.

    Everybody with the scope opens what is approved; who reviews it also what is pending, rejected
    or withdrawn. An erased text is nobody's any more.
    """
    served = revision.state is State.APPROVED
    on_record = revision.state in (State.PENDING, State.REJECTED, State.WITHDRAWN)
    return revision.scope in access.scopes and (served or (reviews and on_record))


class Standing(StrEnum):
    """What a person is told of a revision's place on a given day."""

    IN_FORCE = "in force"
    NOT_YET = "not yet in force"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    HISTORICAL = "historical"
    PENDING = "pending"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    ERASED = "erased"


def standing(revision: Governed, day: date) -> Standing:
    """The revision's place on that day; of an approved one its window decides."""
    if revision.state is not State.APPROVED:
        return Standing(revision.state.value)
    if not has_window(revision):
        historical = revision.status is Status.HISTORICAL
        return Standing.HISTORICAL if historical else Standing.SUPERSEDED
    if revision.valid_from is None or day < revision.valid_from:
        return Standing.NOT_YET
    if revision.valid_until is None or day <= revision.valid_until:
        return Standing.IN_FORCE
    superseded = revision.status is Status.SUPERSEDED
    return Standing.SUPERSEDED if superseded else Standing.EXPIRED


def checked_id(identifier: str) -> str:
    """A source id as it may be shown in published lines; raises ``InvalidText``."""
    if identifier != identifier.strip():
        raise InvalidText(f"The id {identifier!r} must have no blank at its ends.")
    return _checked("id", identifier, MAX_ID)


def checked_scope(name: str) -> str:
    """A scope name that a comma-separated list can hold; raises ``InvalidText``."""
    if "," in name or name != name.strip():
        raise InvalidText(f"The scope {name!r} must have no comma and no blank at its ends.")
    return _checked("scope", name, MAX_SCOPE)


def _checked(kind: str, name: str, longest: int) -> str:
    if not (is_printable(name) and 0 < len(name) <= longest):
        raise InvalidText(f"The {kind} {name!r} must have 1 to {longest} printable characters.")
    return name


def document_id(source_id: str, version: str, body: str) -> str:
    """SHA-256 (64 hex digits) of the length-prefixed source id, version and normalised body."""
    if not body:
        raise InvalidText("there is no text besides front matter and white space")
    return digest_of(source_id, version, body)


def digest_of(*parts: str) -> str:
    """SHA-256 of length-prefixed UTF-8 parts: no two different part lists share their bytes."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode()
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def default_version(body: str) -> str:
    """The version of a text that names none: 12 hex digits of the body's SHA-256."""
    return hashlib.sha256(body.encode()).hexdigest()[:12]


def chunk_id(document: str, part: int) -> str:
    """Identity of a chunk: it follows from content, so hidden sources cannot shift it."""
    return f"{document[:16]}:{part}"


def label(source_id: str, part: int) -> str:
    """The name of a chunk for people."""
    return f"{source_id}#{part}"


def check_window(valid_from: date | None, valid_until: date | None) -> None:
    """Refuse a window that ends before it begins; both days are included."""
    if valid_from and valid_until and valid_until < valid_from:
        raise InvalidWindow(
            f"the validity window is reversed: it ends on {valid_until} but begins on {valid_from}"
        )


def closing_day(old: Governed, new: Governed) -> date | None:
    """The day on which ``old`` ends once ``new`` of the same source is approved, or ``None``.

    Only a current successor closes anything, and only windows that reach its first day. A window
    that would end before it began (replaced on its own first day) is empty from then on.
    """
    if new.status is not Status.CURRENT or old.state is not State.APPROVED:
        return None
    if not has_window(old) or old.valid_from is None or new.valid_from is None:
        return None
    reaches = old.valid_until is None or old.valid_until >= new.valid_from
    starts_before = old.valid_from <= new.valid_from
    return new.valid_from - timedelta(days=1) if reaches and starts_before else None


def has_window(revision: Governed) -> bool:
    """Whether the revision can be in force on some day; the rest lives in the archive only."""
    ended = revision.valid_until is not None
    return revision.status is Status.CURRENT or (revision.status is Status.SUPERSEDED and ended)


def own_end(new: Governed, others: Iterable[Governed]) -> date | None:
    """The end of ``new``: its own, or the day before an already approved later successor's
    first if that is earlier. So the order of approvals does not matter.
    """
    if new.valid_from is None or new.status is not Status.CURRENT:
        return new.valid_until
    later = [
        other.valid_from
        for other in others
        if other.state is State.APPROVED
        and has_window(other)
        and other.valid_from is not None
        and other.valid_from > new.valid_from
    ]
    ends = [new.valid_until] if new.valid_until else []
    return min([*ends, *(day - timedelta(days=1) for day in later)], default=None)


def check_approvable(name: str, state: State, indexed: bool, sha256: str, shown: str) -> None:
    """Refuse an approval of what is not pending, not indexed, or not the text that was shown."""
    if state is not State.PENDING:
        raise NotAllowed(f"{name} is {state.value}; only a pending revision can be approved.")
    if not indexed:
        raise NotAllowed(f"{name} is not indexed yet: the next rebuild makes it ready.")
    if sha256 != shown:
        raise NotAllowed(f"{name} is not the text that was shown: its SHA-256 is {sha256}.")


def can_approve(state: State, indexed: bool, sha256: str, shown: str) -> bool:
    """Whether ``check_approvable`` would pass."""
    try:
        check_approvable("", state, indexed, sha256, shown)
    except NotAllowed:
        return False
    return True
