"""What changed since the approved text, made ready for its template."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.safestring import SafeString

from rag.admin.texts import revealed
from rag.core.differences import Change, Gap, folded
from rag.models import Revision
from rag.web.presenters.comparisons import CONTEXT, changed_words


@dataclass(frozen=True)
class Stretch:
    """A part of the difference; ``kind`` is same, removed, added, or gap, which text is about."""

    kind: str
    text: SafeString


@dataclass(frozen=True)
class Difference:
    """The difference to an earlier version; no ``stretches`` if the words are the same."""

    version: str
    url: str
    removed: int
    added: int
    stretches: tuple[Stretch, ...]


def difference(revision: Revision, earlier: Revision) -> Difference:
    """What a reader of the earlier text finds changed."""
    changes = changed_words(earlier, revision)
    counts = {kind: sum(c.kind == kind for c in changes) for kind in ("removed", "added")}
    return Difference(
        version=earlier.version,
        url=reverse("admin:rag_revision_change", args=[earlier.document_id]),
        stretches=tuple(map(_stretch, folded(changes, CONTEXT))) if any(counts.values()) else (),
        **counts,
    )


def _stretch(part: Change | Gap) -> Stretch:
    if isinstance(part, Gap):
        lines = f", {part.lines} line ends" if part.lines > 1 else ""
        words = f"{part.characters:,} characters unchanged{lines}"
        return Stretch("gap", revealed(words))
    return Stretch(part.kind, revealed(part.text))
