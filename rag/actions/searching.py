"""Search and probe: question and access to hits, in one read transaction."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from django.conf import settings

from rag.actions.profiles import Parts, min_cosine
from rag.core.embeddings import (
    Cancel,
    Progress,
    canary_vectors,
    check_canaries,
    checked_query,
    stop_if,
)
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
    retrieve_many,
    retrieve_scored,
)
from rag.core.retrievers import RetrievalRequest, Retriever, retrieved_scores
from rag.core.sources import Access, Selection
from rag.queries.eligibility import access_now, behind
from rag.queries.groups import Group, eligible_groups
from rag.queries.hits import hits_of, rows_of, texts_of
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
    question: str,
    access: Access,
    selection: Selection,
    options: Options,
    parts: Parts,
    *,
    cancelled: Cancel = lambda: False,
    progress: Progress = lambda done: None,
) -> Found:
    """Ranked hits among the revisions that are eligible now, and nothing else.

    ``progress`` gets the number of eligible rows that were looked at. A retriever of the site's
    own ranks in the place of the index's figures. Raises Cancelled, ProviderError.
    """
    check_question(question)
    options = resolved(options, parts, question)
    dense = options.mode is not Mode.LEXICAL
    vector = _query_vector(question, parts) if dense else None
    with reading():
        state = _state(access, selection, parts if dense else None)
        asked = Question(question, vector, state.languages)
        if parts.retriever:
            wanted = (state.access, options.k, cancelled, progress)
            request = RetrievalRequest(question, state.languages, *wanted)
            return state.found(_retrieved(parts.retriever, request, asked, options, state))
        kernel = parts.kernel if dense else None
        stop_if(cancelled)
        ranked = retrieve(state.index, state.revisions, asked, options, state.texts, kernel)
        progress(int(state.index.mask(state.revisions).sum()))
        return state.found(ranked)


def _retrieved(
    retriever: Retriever,
    request: RetrievalRequest,
    asked: Question,
    options: Options,
    state: "_State",
) -> tuple[Ranked, ...]:
    """What a retriever finds among the eligible rows, through the gates of the lexical mode."""
    stop_if(request.cancelled)
    rows = rows_of(state.index, state.revisions)
    scores = retrieved_scores(retriever, request, rows)
    stop_if(request.cancelled)  # it may have stopped early
    return retrieve_scored(state.index, state.revisions, asked, options, state.texts, scores)


def search_many(
    questions: Sequence[str], access: Access, selection: Selection, options: Options, parts: Parts
) -> list[Found]:
    """``search`` of each question, in one state of the tables; vectors are scanned at once."""
    if parts.retriever:
        return [search(each, access, selection, options, parts) for each in questions]
    for question in questions:
        check_question(question)
    applied = [resolved(options, parts, question) for question in questions]
    dense = [how.mode is not Mode.LEXICAL for how in applied]
    vectors = [
        _query_vector(question, parts) if compared else None
        for question, compared in zip(questions, dense, strict=True)
    ]
    with reading():
        state = _state(access, selection, parts if any(dense) else None)
        pairs = zip(questions, vectors, strict=True)
        asked = [Question(question, vector, state.languages) for question, vector in pairs]
        both = list(zip(asked, applied, strict=True))
        ranked = retrieve_many(state.index, state.revisions, both, state.texts)
        return [state.found(each) for each in ranked]


def resolved(options: Options, parts: Parts, question: str = "") -> Options:
    """The options that apply, so that the record can say which they were.

    A threshold that is not given is the site's. A question in a script that the embedder never
    learnt is ranked by its words alone: its vector says nothing. With a retriever of the site's
    own no vector is asked for, and the policy is named after it.
    """
    if parts.retriever:
        named = replace(options.policy, name=parts.retriever.name)
        return replace(options, mode=Mode.LEXICAL, policy=named)
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
    with reading():
        state = _state(access, selection, parts)
        return state.found(probe(state.index, state.revisions, vector))


@dataclass(frozen=True)
class _State:
    """What one request is computed from: the eligible revisions, and an index of them."""

    access: Access
    selection: Selection
    groups: tuple[Group, ...]
    index: Snapshot
    notice: str

    @property
    def revisions(self) -> list[int]:
        return [pk for group in self.groups for pk in group.revisions]

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(sorted({group.language for group in self.groups}))

    def texts(self, rows: Sequence[int]) -> list[str]:
        return texts_of(self.index, rows)

    def found(self, ranked: Sequence[Ranked]) -> Found:
        hits = hits_of(self.index, ranked, in_force=not self.selection.archive)
        digest = self.index.manifest.digest
        return Found(hits, digest, self.languages, self.groups, self.notice)


def _state(access: Access, selection: Selection, compared: Parts | None) -> _State:
    """As the open transaction sees it. Where vectors are ``compared``, the index must fit them."""
    access = access_now(access)
    groups = eligible_groups(access, selection)
    index = snapshot_for([pk for group in groups for pk in group.revisions])
    if compared is not None:
        profile = compared.embedder.profile
        check_manifest(index.manifest, profile, compared.chunking, compared.analyser)
    return _State(access, selection, groups, index, _notice(access))


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
    _check_canaries(manifest, parts)
    return vector


# When the canaries were last the same, on the process's monotonic clock.
_checked: Final[dict[tuple[str, object], float]] = {}
# A model without a digest can change behind its name while a process runs.
CANARY_SECONDS: Final = 300.0


def _check_canaries(manifest: Manifest, parts: Parts) -> None:
    """The first query of a process finds out whether the model changed behind its tag.

    So does a later one, every five minutes, where no digest tells it.
    """
    profile = parts.embedder.profile
    key, now = (profile.fingerprint, manifest.canaries), time.monotonic()
    if key in _checked and (profile.digest or now - _checked[key] < CANARY_SECONDS):
        return
    stored = np.array(manifest.canaries, dtype=np.float32)
    check_canaries(stored, canary_vectors(parts.embedder))
    _checked[key] = now
