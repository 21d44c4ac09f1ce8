"""Who can read a revision, in words."""

from dataclasses import dataclass

from rag.models import Revision
from rag.queries.readers import Granted, Grantee, needed
from rag.web.presenters.standings import Chip


@dataclass(frozen=True)
class Reader:
    """A person with a grant; ``able`` is whether the grant is of any use."""

    name: str
    chip: Chip
    able: bool
    through: str
    roles: str


@dataclass(frozen=True)
class ReadersPage:
    """The grants of the scope and the people whom they reach, those who can read first."""

    summary: str
    condition: str
    groups: tuple[str, ...]
    users: tuple[str, ...]
    readers: tuple[Reader, ...]


def readers_page(revision: Revision, found: Granted) -> ReadersPage:
    """The page; people in the order of their names, those who cannot read after the others."""
    served = len(needed(revision)) == 1
    people = sorted(found.grantees, key=lambda person: not person.able)
    able = sum(person.able for person in people)
    return ReadersPage(
        summary=f"{able} {'person' if able == 1 else 'people'} can read this today",
        condition="" if served else f"It is {revision.state}: only who reviews can open it.",
        groups=found.groups,
        users=found.users,
        readers=tuple(_reader(person) for person in people),
    )


def _reader(person: Grantee) -> Reader:
    own = ["own grant"] if person.own_grant else []
    return Reader(
        name=person.name,
        chip=_chip(person),
        able=person.able,
        through=", ".join([*own, *person.through]),
        roles=", ".join(person.roles),
    )


def _chip(person: Grantee) -> Chip:
    if person.able:
        return Chip("reads", "ok")
    if not person.active:
        return Chip("inactive", "still")
    return Chip("does not review" if person.searches else "no role", "still")
