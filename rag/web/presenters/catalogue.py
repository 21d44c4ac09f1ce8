"""Revisions in a list: those that somebody may open, and those under review."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from django.urls import reverse

from rag.models import Revision
from rag.queries.eligibility import place
from rag.web.presenters.standings import Chip, record_window, standing_chip

FACTS: Final = Chip("product facts", "still")


@dataclass(frozen=True)
class Row:
    """A revision in a list; its standing and scope come first, then ``chips`` and ``about``."""

    title: str
    url: str
    source_id: str
    scope: str
    chip: Chip
    chips: tuple[Chip, ...]
    about: tuple[str, ...]


def row(revision: Revision, day: date) -> Row:
    """The row of a revision that may be opened, as it stands on that day."""
    about = (
        f"Version {revision.version}",
        record_window(revision),
        revision.product,
        revision.owner,
        "" if revision.canonical else "copy",
    )
    chips = (FACTS,) if revision.kind == Revision.Kind.FACTS else ()
    return listed(revision, day, "source", about, chips)


def listed(
    revision: Revision, day: date, address: str, about: Iterable[str], chips: Iterable[Chip] = ()
) -> Row:
    """A row that leads to the named address; what is empty in ``about`` is left out."""
    return Row(
        title=revision.title,
        url=reverse(address, args=[revision.document_id]),
        source_id=revision.source.source_id,
        scope=revision.source.scope.name,
        chip=standing_chip(place(revision), day),
        chips=tuple(chips),
        about=tuple(filter(None, about)),
    )
