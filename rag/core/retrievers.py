"""What a retriever without embeddings is, and the checks that its result passes before any use.

It gets the rows that the asker may be served and no others. What it gives back is the ids of such
rows with a score each: texts, labels and figures of a hit are always the site's own.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

import numpy as np

from rag.core.embeddings import Cancel, Progress
from rag.core.errors import ProviderError, RagError
from rag.core.sources import Access


@dataclass(frozen=True)
class Row:
    """An eligible chunk. ``context`` is its title, section path and table header, a line each."""

    chunk_id: str
    label: str
    source_id: str
    context: str
    text: str


@dataclass(frozen=True)
class EligibleRows:
    """The rows of one request, in the order of the index. Texts are read while it is iterated."""

    ids: tuple[str, ...]
    read: Callable[[], Iterator[Row]]

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[Row]:
        return self.read()


@dataclass(frozen=True)
class RetrievalRequest:
    """What is asked for. An override of one field is ``replace(request, k=3)``.

    ``languages`` are those of the eligible rows; ``cancelled`` is asked now and then, and a yes
    means: stop; ``progress`` gets the number of rows done.
    """

    question: str
    languages: tuple[str, ...]
    access: Access
    k: int
    cancelled: Cancel
    progress: Progress


class Retriever(Protocol):
    """Finds rows in a way of its own. The answer is typed ``object``: use ``checked_scores``."""

    @property
    def name(self) -> str:
        """Names the way and its version; it stands in the record as the ranking policy."""

    def retrieve(self, request: RetrievalRequest, rows: EligibleRows) -> object:
        """Pairs of chunk id and score, a higher score is better; their order says nothing."""


def retrieved_scores(
    retriever: Retriever, request: RetrievalRequest, rows: EligibleRows
) -> Mapping[str, float]:
    """Scores by chunk id, all of them of ``rows``.

    Raises ProviderError naming the retriever and what is wrong: an id that is not among the rows
    or stands twice, a score that is no finite number, or what the retriever itself raised. No id
    is repeated: whoever asked may not be allowed to know it.
    """
    try:
        raw = retriever.retrieve(request, rows)
        found: list[object] = list(islice(_pairs(raw), len(rows) + 1))
    except RagError:
        raise
    except Exception as error:
        # Its words stay in the log: they may hold text of the rows.
        cause = f"it raised {type(error).__name__}"
        raise ProviderError(retriever.name, "retrieval", cause) from error
    return _checked(retriever.name, found, frozenset(rows.ids))


def _pairs(raw: object) -> Iterable[object]:
    return raw if isinstance(raw, Iterable) else (raw,)


def _checked(name: str, found: Sequence[object], known: frozenset[str]) -> dict[str, float]:
    scores: dict[str, float] = {}
    for number, pair in enumerate(found, start=1):
        identifier, score = _pair(pair)
        fault = _fault(identifier, score, known, scores)
        if fault:
            raise ProviderError(name, "retrieval", f"hit {number} {fault}")
        scores[str(identifier)] = float(score)
    return scores


def _pair(raw: object) -> tuple[Any, Any]:
    pair = tuple(raw) if isinstance(raw, tuple | list) else ()
    return (pair[0], pair[1]) if len(pair) == 2 else (None, None)


def _fault(identifier: object, score: object, known: frozenset[str], seen: Collection[str]) -> str:
    if not isinstance(identifier, str):
        return "is no pair of chunk id and score"
    if identifier not in known:
        return "is none of the rows that it was given"
    if identifier in seen:
        return "stands there twice"
    if isinstance(score, bool) or not isinstance(score, int | float | np.number):
        return "has no number as its score"
    return "" if math.isfinite(float(score)) else "has a score that is not finite"
