"""Two versions of a source side by side: what a reader of the earlier one finds changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rag.core.differences import Change, Gap, folded, word_difference
from rag.core.text import body_start
from rag.models import Revision

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
    changes = word_difference(_body(earlier), _body(later))
    same = all(change.kind == "same" for change in changes)
    return Comparison(earlier.version, later.version, () if same else folded(changes, CONTEXT))


def _body(revision: Revision) -> str:
    """What is compared: not the front matter."""
    is_facts = revision.kind == Revision.Kind.FACTS
    return revision.text if is_facts else revision.text[body_start(revision.text) :]
