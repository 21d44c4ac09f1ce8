"""The chunks as they are indexed: one row each, held column by column, with their digests."""

import hashlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from json.encoder import encode_basestring
from operator import attrgetter
from typing import Any, Final, NamedTuple

from rag.core.sources import chunk_id, label

NO_ROWS: Final = hashlib.sha256().hexdigest()


class ChunkRow(NamedTuple):
    """One chunk as it is indexed."""

    revision: int
    document_id: str
    source_id: str
    part: int
    start_char: int
    end_char: int
    start_line: int
    end_line: int
    section: str
    context: str
    passage: str

    @property
    def chunk_id(self) -> str:
        return chunk_id(self.document_id, self.part)

    @property
    def label(self) -> str:
        return label(self.source_id, self.part)

    @property
    def fingerprint(self) -> bytes:
        """Everything but the database's own key, as ``json.dumps`` writes a list of it."""
        where = (self.part, self.start_char, self.end_char, self.start_line, self.end_line)
        what = (self.document_id, self.source_id, self.section, self.context, self.passage)
        return f"[{', '.join([*map(encode_basestring, what), *map(str, where)])}]".encode()


class ChunkRows:
    """Rows column by column; a row is made when it is asked for.

    Python's collection of garbage looks at every tuple, and stops all threads while it does: for a
    hundred thousand of them 70 ms. It passes over numbers and strings.
    """

    def __init__(self, count: int) -> None:
        """So many rows, of which each is still to be ``put``."""
        self._count = count
        self._columns: dict[str, Any] = {
            name: array("q", bytes(8 * count)) if kind is int else [""] * count
            for name, kind in ChunkRow.__annotations__.items()
        }

    @classmethod
    def of(cls, rows: Sequence[ChunkRow]) -> "ChunkRows":
        made = cls(len(rows))
        made.put(0, rows)
        return made

    def put(self, first: int, rows: Sequence[ChunkRow]) -> None:
        """These rows, at ``first`` and behind it."""
        for column, values in zip(self._columns.values(), zip(*rows, strict=True), strict=False):
            kept = array("q", values) if isinstance(column, array) else values
            column[first : first + len(rows)] = kept

    def column(self, name: str) -> Any:
        """One field of every row: an ``array`` of numbers or a list of strings."""
        return self._columns[name]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[ChunkRow]:
        return map(ChunkRow._make, zip(*self._columns.values(), strict=True))

    def __getitem__(self, at: int) -> ChunkRow:
        return ChunkRow._make(column[at] for column in self._columns.values())


class ChunkDigests(NamedTuple):
    """SHA-256 over all rows, and over those of each revision."""

    whole: str
    each: dict[int, str]

    def of(self, revision: int) -> str:
        """That of a revision; one without rows has the digest of nothing."""
        return self.each.get(revision, NO_ROWS)


def chunk_digests(rows: Iterable[ChunkRow]) -> ChunkDigests:
    """Of rows that come in the order of (source id, document id, part)."""
    whole, each = hashlib.sha256(), dict[int, Any]()
    for revision, group in groupby(rows, attrgetter("revision")):
        lines = b"".join([row.fingerprint + b"\n" for row in group])
        whole.update(lines)
        if revision not in each:
            each[revision] = hashlib.sha256()
        each[revision].update(lines)
    return ChunkDigests(whole.hexdigest(), {key: each[key].hexdigest() for key in each})


def embedding_input(context: str, text: str) -> str:
    """What embedder and analyser are given for a chunk: its context, then its text."""
    return f"{context}\n\n{text}" if context else text
