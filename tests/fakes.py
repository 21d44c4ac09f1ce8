"""Stand-ins for the replaceable parts: embedders with faults, splitters, proposers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from django.db import connection

from rag.core.answerability import OPEN, Gate
from rag.core.answers import Piece, Proposal, Supplied
from rag.core.chat import EXTRACTIVE_ALONE, Answering
from rag.core.chunks import Chunk, Chunker, Sections
from rag.core.embeddings import CANARIES, Cancel, HashingEmbedder, Profile, Progress, Vectors
from rag.core.lexical import ANALYSER, Floats

Spoil = Callable[[Vectors], object]


def as_it_is(vectors: Vectors) -> object:
    return vectors


class FakeEmbedder:
    """The hashing embedder with a profile of its own, faults on demand, and a record of calls.

    ``spoil`` gets the vectors of each batch of sources (never of the canaries). ``depths`` are
    the numbers of open savepoints at each of those calls.
    """

    def __init__(self, spoil: Spoil = as_it_is, *, dimension: int = 256, **profile: Any) -> None:
        self.inner = HashingEmbedder(dimension)
        self.profile: Profile = replace(self.inner.profile, **profile)
        self.spoil = spoil
        self.batches: list[tuple[str, ...]] = []
        self.questions: list[str] = []
        self.depths: list[int] = []

    def embed_batch(self, texts: Sequence[str], *, cancelled: Cancel, progress: Progress) -> object:
        vectors = self.inner.embed_batch(texts, cancelled=cancelled, progress=progress)
        if tuple(texts) == CANARIES:
            return vectors
        self.batches.append(tuple(texts))
        self.depths.append(len(connection.savepoint_ids))
        return self.spoil(vectors)

    def embed_query(self, text: str) -> object:
        self.questions.append(text)
        return self.inner.embed_query(text)


class FakeBufferEmbedder(FakeEmbedder):
    """Answers every call from one buffer, as a provider's library may do."""

    buffer = np.zeros((16, 256), dtype=np.float32)

    def embed_batch(self, texts: Sequence[str], *, cancelled: Cancel, progress: Progress) -> object:
        vectors = self.inner.embed_batch(texts, cancelled=cancelled, progress=progress)
        self.buffer[:] = 0.5
        self.buffer[: len(texts)] = vectors
        return self.buffer[: len(texts)]


class FakeContextualEmbedder:
    """Embeds documents whole; remembers (document id, title, chunks) of each call.

    ``spoil`` gets the vectors of each call.
    """

    def __init__(self, spoil: Spoil = as_it_is) -> None:
        self.inner = HashingEmbedder()
        self.spoil = spoil
        self.profile = replace(self.inner.profile, provider="contextual")
        self.documents: list[tuple[str, str, tuple[str, ...]]] = []

    def embed_document(
        self,
        document_id: str,
        title: str,
        chunks: Sequence[str],
        *,
        cancelled: Cancel,
        progress: Progress,
    ) -> object:
        if tuple(chunks) != CANARIES:
            self.documents.append((document_id, title, tuple(chunks)))
        return self.spoil(self.inner.embed_batch(chunks, cancelled=cancelled, progress=progress))

    def embed_query(self, text: str) -> object:
        return self.inner.embed_query(text)


@dataclass(frozen=True)
class FakeSplitter:
    """A custom splitter that gives what ``cut`` makes of the text."""

    cut: Callable[[str], Sequence[Chunk]]
    id: str = "custom-v1"

    def split(self, text: str, title: str) -> tuple[Chunk, ...]:
        return tuple(self.cut(text))


@dataclass
class FakeProposer:
    """Proposes what it is told to, and remembers every excerpt that it was shown."""

    answer: Callable[[Sequence[Supplied]], Proposal | None]
    name: str = "fake"
    asked: list[tuple[Supplied, ...]] = field(default_factory=list)

    def relevance(self, question: str, excerpts: Sequence[str]) -> Floats:
        return np.zeros(len(excerpts), dtype=np.float64)

    def propose(self, question: str, supplied: Sequence[Supplied]) -> Proposal | None:
        self.asked.append(tuple(supplied))
        return self.answer(supplied)


def quoting(*pairs: tuple[str, str]) -> FakeProposer:
    """A proposer that quotes these (alias, quotation) pairs."""
    pieces = tuple(Piece(alias, quote) for alias, quote in pairs)
    return FakeProposer(lambda supplied: Proposal(can_answer=True, pieces=pieces))


@dataclass
class FakeParts:
    """Parts of a site with any of them exchanged."""

    embedder: Any = field(default_factory=HashingEmbedder)
    chunker: Chunker = field(default_factory=Sections)
    proposer: Any = None
    analyser: str = ANALYSER
    profile_name: str = "hashing"
    chunking: str = ""
    kernel: Any = None
    retriever: Any = None
    gate: Gate = OPEN
    answering: Answering = EXTRACTIVE_ALONE

    def __post_init__(self) -> None:
        self.chunking = self.chunking or self.chunker.id
        self.proposer = self.proposer or FakeProposer(lambda supplied: None)


class FakeWithoutEmbedder(FakeParts):
    """Parts whose embedder may not even be looked at."""

    @property
    def embedder(self) -> Any:
        raise AssertionError("somebody asked for the embedder")

    @embedder.setter
    def embedder(self, value: Any) -> None:
        """The default is thrown away."""
