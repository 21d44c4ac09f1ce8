"""Hand-made snapshots for tests of the pure core: texts and vectors without a database."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from rag.core.answers import Supplied
from rag.core.embeddings import Profile
from rag.core.hits import Hit
from rag.core.index import Manifest, Snapshot, build_snapshot
from rag.core.lexical import ANALYSER, term_counts
from rag.core.retrieval import Options, Question, Ranked, retrieve
from rag.core.rows import ChunkRow, ChunkRows, chunk_digests

PROFILE: Final = Profile(
    name="hand", provider="hand", endpoint="", model="m", digest="d", dimension=2,
    max_tokens=0, min_cosine=None,
)  # fmt: skip


@dataclass(frozen=True)
class Text:
    """One row of a hand-made index; rows of one source stand together."""

    source: str
    text: str = "nothing in particular"
    vector: tuple[float, ...] = (1.0, 0.0)
    title: str = ""
    part: int = 0
    language: str = "en"
    version: str = "1"
    revision: int = 0


def row_of(text: Text, revision: int) -> ChunkRow:
    """The row as the index holds it."""
    document = hashlib.sha256(f"{text.source}\0{text.version}".encode()).hexdigest()
    where = (text.part * 1000, text.part * 1000 + len(text.text), 1, 1)
    passage = hashlib.sha256(text.text.encode()).hexdigest()
    return ChunkRow(revision, document, text.source, text.part, *where, "", "", passage)


def manifest_of(rows: Sequence[ChunkRow], dimension: int = 2, **fields: Any) -> Manifest:
    """The manifest that fits the rows."""
    made = {"corpus_sha256": "c", "chunks": len(rows), "canaries": ((1.0, 0.0), (0.0, 1.0))}
    made |= {"chunks_sha256": chunk_digests(rows).whole, "epoch": "e"}
    profile = replace(PROFILE, dimension=dimension)
    return Manifest.of(profile, "sections-v2", ANALYSER, **made | fields)


def snapshot(*texts: Text) -> Snapshot:
    """An index of these rows in this order; see ``revisions`` for the keys of their sources."""
    keys = revisions(*texts)
    rows = [row_of(text, keys[text.source, text.version]) for text in texts]
    matrix = np.array([text.vector for text in texts], dtype=np.float32)
    terms = [term_counts(t.title, "", t.text, t.language).to_bytes() for t in texts]
    manifest = manifest_of(rows, matrix.shape[1])
    return build_snapshot(manifest, "g", ChunkRows.of(rows), matrix, terms)


def revisions(*texts: Text) -> dict[tuple[str, str], int]:
    """The revision key of each (source, version), from 1 in order of appearance."""
    found: dict[tuple[str, str], int] = {}
    for text in texts:
        found.setdefault((text.source, text.version), len(found) + 1)
    return found


def question(
    text: str, vector: tuple[float, ...] | None = (1.0, 0.0), languages: Sequence[str] = ("en",)
) -> Question:
    """A question ready to be ranked."""
    return Question(text, None if vector is None else np.array(vector), tuple(languages))


def found(
    texts: Sequence[Text],
    asked: Question,
    options: Options,
    allowed: Sequence[str] | None = None,
) -> list[tuple[str, Ranked]]:
    """(label, ranked row) of a retrieval over the sources allowed (None: over all)."""
    index, keys = snapshot(*texts), revisions(*texts)
    eligible = [key for (source, _), key in keys.items() if allowed is None or source in allowed]

    def read(rows: Sequence[int]) -> list[str]:
        return [f"{texts[row].title}\n{texts[row].text}" for row in rows]

    ranked = retrieve(index, eligible, asked, options, read)
    return [(index.rows[hit.row].label, hit) for hit in ranked]


def labels(*arguments: Any) -> list[str]:
    """The labels alone of ``found``."""
    return [label for label, _ in found(*arguments)]


def excerpt(
    text: str,
    start: int = 0,
    document: str = "d",
    *,
    alias: str = "S1",
    context: str = "",
    relevance: float = 0.0,
) -> Supplied:
    """An excerpt as a proposer is given it."""
    return Supplied(
        alias=alias, revision=1, chunk_id=f"{document}:{start}", label=f"{document}#0",
        document_id=document, source_id=document, start_char=start, end_char=start + len(text),
        text=text, context=context, section="", text_sha256="t", relevance=relevance,
    )  # fmt: skip


def hit(text: str = "text", context: str = "", **fields: Any) -> Hit:
    """A hit that says ``text`` under ``context``; all else is made up."""
    made: dict[str, Any] = {
        "chunk_id": "0123456789abcdef:0", "label": "a#0", "source_id": "a", "document_id": "d",
        "version": "1", "source_sha256": "s", "text_sha256": "t", "title": "", "section": "",
        "scope": "public", "status": "current", "in_force": True, "valid_from": None,
        "valid_until": None, "approved_at": None, "start_char": 0, "end_char": len(text),
        "start_line": 1, "end_line": 1, "cosine": None, "lexical": None, "rank": 1.0, "revision": 1,
    }  # fmt: skip
    return Hit(text=text, context=context, **made | fields)
