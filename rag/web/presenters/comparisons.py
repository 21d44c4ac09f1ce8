"""Two versions of a source side by side: what a reader of the earlier one finds changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rag.core.differences import Change, Gap, folded, word_difference
from rag.models import Revision
from rag.web.presenters.texts import front_and_body

# Characters of unchanged text beside each change: the sentence that it stands in, mostly.
CONTEXT: Final = 160


@dataclass(frozen=True)
class Comparison:
    """The difference in reading order; no ``parts`` if the words are the same."""

    earlier: str
    later: str
    parts: tuple[Change | Gap, ...]


def other_version(wanted: str, shown: Revision, siblings: Sequence[Revision]) -> Revision | None:
    """The version that the address compares with, if the person may open it."""
    found = (row for row in siblings if row.document_id == wanted and row.pk != shown.pk)
    return next(found, None)


def comparison(first: Revision, second: Revision, siblings: Sequence[Revision]) -> Comparison:
    """The two versions, the one that comes first in time as the earlier; newest siblings first."""
    order = [row.pk for row in siblings]
    later, earlier = sorted((first, second), key=lambda row: order.index(row.pk))
    changes = changed_words(earlier, later)
    same = all(change.kind == "same" for change in changes)
    return Comparison(earlier.version, later.version, () if same else folded(changes, CONTEXT))


def changed_words(earlier: Revision, later: Revision) -> tuple[Change, ...]:
    """The later text as changes of the earlier one; front matter is not compared."""
    (_, before), (_, after) = front_and_body(earlier), front_and_body(later)
    return tuple(word_difference(before, after))
