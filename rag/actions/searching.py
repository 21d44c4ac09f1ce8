"""Search and probe: question and access to hits, in one read transaction."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from django.conf import settings

from rag.actions.profiles import Parts, min_cosine
from rag.core.embeddings import canary_vectors, check_canaries, checked_query
from rag.core.errors import IndexBehind
from rag.core.hits import Hit
from rag.core.index import Manifest, Snapshot, check_manifest
from rag.core.lexical import Floats
from rag.core.retrieval import (
    Mode,
    Options,
    Question,
    Ranked,
    check_question,
    probe,
    retrieve,
)
from rag.core.sources import Access, Selection
from rag.queries.eligibility import access_now, behind
from rag.queries.groups import Group, eligible_groups
from rag.queries.hits import hits_of, texts_of
from rag.queries.reading import reading
from rag.queries.snapshots import current_manifest, snapshot_for

BEHIND: Final = "The index is older than the imported sources of your scopes."


@dataclass(frozen=True)
class Found:
    """What a search gives, and the ``eligible`` revisions that it was computed from.

    ``manifest`` is the index's digest, for operators and the record.
    """

    hits: tuple[Hit, ...]
    manifest: str
    languages: tuple[str, ...]
    eligible: tuple[Group, ...]
    notice: str = ""


def search(
    question: str, access: Access, selection: Selection, options: Options, parts: Parts
) -> Found:
    """Ranked hits among the revisions that are eligible now, and nothing else."""
    check_question(question)
    options = resolved(options, parts, question)
    dense = options.mode is not Mode.LEXICAL
    vector = _query_vector(question, parts) if dense else None

    def rank(index: Snapshot, revisions: list[int], query: Question) -> tuple[Ranked, ...]:
        def texts(rows: Sequence[int]) -> list[str]:
            return texts_of(index, rows)

        kernel = parts.kernel if dense else None
        return retrieve(index, revisions, query, options, texts, kernel)

    return _found(question, vector, access, selection, rank, parts)


def resolved(options: Options, parts: Parts, question: str = "") -> Options:
    """The options that apply, so that the record can say which they were.

    A threshold that is not given is the site's. A question in a script that the embedder never
    learnt is ranked by its words alone: its vector says nothing.
    """
    if options.mode is Mode.LEXICAL:
        return options
    if options.mode is Mode.HYBRID and not parts.embedder.profile.can_read(question):
        return replace(options, mode=Mode.LEXICAL)
    if options.min_cosine is not None:
        return options
    return replace(options, min_cosine=min_cosine(parts))


def probe_cosines(question: str, access: Access, selection: Selection, parts: Parts) -> Found:
    """Cosines of all eligible rows, before any threshold and fusion."""
    check_question(question)
    vector = _query_vector(question, parts)

    def rank(index: Snapshot, revisions: list[int], query: Question) -> tuple[Ranked, ...]:
        return probe(index, revisions, vector)

    return _found(question, vector, access, selection, rank, parts)


def _found(
    question: str,
    vector: Floats | None,
    access: Access,
    selection: Selection,
    rank: Callable[[Snapshot, list[int], Question], tuple[Ranked, ...]],
    parts: Parts,
) -> Found:
    with reading():
        access = access_now(access)
        groups = eligible_groups(access, selection)
        revisions = [pk for group in groups for pk in group.revisions]
        snapshot = snapshot_for(revisions)
        if vector is not None:
            check_manifest(
                snapshot.manifest, parts.embedder.profile, parts.chunking, parts.analyser
            )
        late = _notice(access)
        languages = tuple(sorted({group.language for group in groups}))
        ranked = rank(snapshot, revisions, Question(question, vector, languages))
        hits = hits_of(snapshot, ranked, in_force=not selection.archive)
    return Found(hits, snapshot.manifest.digest, languages, groups, late)


def _notice(access: Access) -> str:
    if not behind(access):
        return ""
    if settings.EVIDENCE_INDEX_BEHIND == "refuse":
        raise IndexBehind
    return BEHIND


def _query_vector(question: str, parts: Parts) -> Floats:
    """The question's vector, checked before anything is read from the index."""
    vector = checked_query(parts.embedder.embed_query(question), parts.embedder.profile)
    manifest = current_manifest()
    check_manifest(manifest, parts.embedder.profile, parts.chunking, parts.analyser)
    _check_canaries_once(manifest, parts)
    return vector


_checked: Final[set[tuple[str, object]]] = set()


def _check_canaries_once(manifest: Manifest, parts: Parts) -> None:
    """The first query of a process finds out whether the model changed behind its tag."""
    key = (parts.embedder.profile.fingerprint, manifest.canaries)
    if key not in _checked:
        stored = np.array(manifest.canaries, dtype=np.float32)
        check_canaries(stored, canary_vectors(parts.embedder))
        _checked.add(key)
