"""The list of sources that somebody may open."""

from dataclasses import dataclass
from datetime import date

from django.urls import reverse

from rag.models import Revision
from rag.queries.eligibility import place
from rag.web.presenters.standings import Chip, standing_chip, window_words


@dataclass(frozen=True)
class Row:
    """A revision in the list; ``about`` is what stands after its chip and scope."""

    title: str
    url: str
    source_id: str
    scope: str
    chip: Chip
    about: tuple[str, ...]


def row(revision: Revision, day: date) -> Row:
    """The row of a revision as it stands on that day."""
    about = (
        f"Version {revision.version}",
        window_words(revision.valid_from, revision.valid_until) if revision.valid_from else "",
        revision.product,
        revision.owner,
        "" if revision.canonical else "copy",
    )
    return Row(
        title=revision.title,
        url=reverse("source", args=[revision.document_id]),
        source_id=revision.source.source_id,
        scope=revision.source.scope.name,
        chip=standing_chip(place(revision), day),
        about=tuple(filter(None, about)),
    )
