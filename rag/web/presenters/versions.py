"""The versions of a source, beside the one that the page shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.urls import reverse

from rag.core.sources import Access
from rag.models import Revision
from rag.queries.eligibility import place
from rag.web.presenters.standings import Chip, record_window, standing_chip


@dataclass(frozen=True)
class Version:
    """A revision among its siblings; ``shown`` is the one that the page shows.

    ``suggested``: the one that the page offers to compare with.
    """

    document_id: str
    name: str
    url: str
    chip: Chip
    window: str
    shown: bool
    suggested: bool


def version_list(
    shown: Revision, siblings: Sequence[Revision], access: Access
) -> Iterator[Version]:
    """The versions, newest first; the one before the page's is what one compares with."""
    before = next((at for at, row in enumerate(siblings) if row.pk == shown.pk), 0) + 1
    for at, row in enumerate(siblings):
        yield Version(
            document_id=row.document_id,
            name=row.version,
            url=reverse("source", args=[row.document_id]),
            chip=standing_chip(place(row), access.as_of),
            window=record_window(row),
            shown=row.pk == shown.pk,
            suggested=at == before,
        )
