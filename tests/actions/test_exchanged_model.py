"""A model that changed behind its name, and documents that are embedded whole."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rag.actions import searching
from rag.actions.checking import check
from rag.actions.rebuilding import rebuild
from rag.core.chunks import Chunk
from rag.core.embeddings import Cancel, Progress, Vectors, checked_batch, checked_query
from rag.core.errors import Cancelled, IndexMismatch
from rag.core.retrieval import Mode
from rag.models import Manifest, Passage
from tests import factories, fakes

RULE = "Meals on business trips are reimbursed up to EUR 52 per day."
HOTEL = "Hotels are booked through the travel desk and nowhere else."


class FakeSuccessor(fakes.FakeEmbedder):
    """Another model under the same profile: every vector is reversed, canaries too."""

    def embed_batch(self, texts: Sequence[str], *, cancelled: Cancel, progress: Progress) -> object:
        raw = super().embed_batch(texts, cancelled=cancelled, progress=progress)
        return checked_batch(raw, len(texts), self.profile, 1)[:, ::-1].copy()

    def embed_query(self, text: str) -> object:
        return checked_query(super().embed_query(text), self.profile)[::-1].copy()


def indexed(folder: Path) -> None:
    """Two sources, indexed by the model before it is exchanged."""
    factories.import_text(folder, "a", RULE)
    factories.import_text(folder, "b", HOTEL)
    factories.rebuild(original())


def original() -> Any:
    """The site with the model that its index was made with."""
    searching._checked.clear()
    return fakes.FakeParts(embedder=fakes.FakeEmbedder())


def exchanged() -> Any:
    """The same site in a new process, with the exchanged model."""
    searching._checked.clear()
    return fakes.FakeParts(embedder=FakeSuccessor())


def vectors() -> dict[str, bytes]:
    """The stored vector of each passage."""
    return {row.key: bytes(row.vector) for row in Passage.objects.all()}


def test_the_successor_has_the_same_fingerprint() -> None:
    before, after = fakes.FakeEmbedder().profile, FakeSuccessor().profile
    assert (before, before.fingerprint) == (after, after.fingerprint)


@pytest.mark.parametrize("mode", [Mode.DENSE, Mode.HYBRID])
def test_a_search_names_the_exchanged_model(db: None, tmp_path: Path, mode: Mode) -> None:
    indexed(tmp_path)
    with pytest.raises(IndexMismatch, match=r"canary 'sentence 1: cosine 1'.*manage\.py rebuild"):
        factories.search("meals", using=exchanged(), mode=mode)
    found = factories.search("meals", using=exchanged(), mode=Mode.LEXICAL)
    assert factories.labels(found) == ["a#0"]


def test_a_check_names_the_exchanged_model(db: None, tmp_path: Path) -> None:
    indexed(tmp_path)
    [sentence] = check(exchanged())
    assert sentence.startswith("The index was made with canary 'sentence 1: cosine 1'")


def test_the_next_rebuild_embeds_everything_anew(db: None, tmp_path: Path) -> None:
    indexed(tmp_path)
    old, using = vectors(), exchanged()
    report = factories.rebuild(using)
    assert (report.chunks, report.embedded, report.reused) == (2, 2, 0)
    assert [len(batch) for batch in using.embedder.batches] == [2]
    assert check(using) == []
    assert factories.labels(factories.search("meals", using=using, mode=Mode.DENSE)) == ["a#0"]
    assert len(vectors()) == 2
    assert not set(vectors().values()) & set(old.values())


def test_an_exchanged_model_pays_for_new_sources_too(db: None, tmp_path: Path) -> None:
    indexed(tmp_path)
    factories.import_text(tmp_path, "c", "Trains are booked in second class by everybody.")
    report = factories.rebuild(exchanged())
    assert (report.chunks, report.embedded, report.reused) == (3, 3, 0)
    report = factories.rebuild(exchanged())
    assert (report.embedded, report.reused) == (0, 3)


def test_an_exchange_makes_a_new_generation(db: None, tmp_path: Path) -> None:
    indexed(tmp_path)
    before = Manifest.objects.get().generation
    factories.rebuild(exchanged())
    assert Manifest.objects.get().generation != before


def test_an_unchanged_model_reuses_everything(db: None, tmp_path: Path) -> None:
    indexed(tmp_path)
    before, using = vectors(), original()
    report = factories.rebuild(using)
    assert (report.chunks, report.embedded, report.reused) == (2, 0, 2)
    assert (using.embedder.batches, vectors()) == ([], before)


def test_a_new_analyser_does_not_reuse_the_vectors_of_an_exchanged_model(
    db: None, tmp_path: Path
) -> None:
    indexed(tmp_path)
    old = set(vectors().values())
    report = factories.rebuild(replace(exchanged(), analyser="another-v2"))
    assert (report.embedded, report.reused) == (2, 0)
    assert not set(vectors().values()) & old


def test_a_stopped_rebuild_leaves_the_old_index_its_vectors(db: None, tmp_path: Path) -> None:
    indexed(tmp_path)
    before, using = vectors(), exchanged()
    with pytest.raises(Cancelled):
        rebuild(
            using,
            cancelled=lambda: bool(using.embedder.batches),
            report=lambda stage, done, total: None,
        )
    assert before.items() <= vectors().items()
    using = original()
    assert check(using) == []
    assert factories.labels(factories.search("meals", using=using, mode=Mode.DENSE)) == ["a#0"]
    assert factories.rebuild(using).embedded == 0
    assert vectors() == before


def test_a_stopped_rebuild_goes_on_with_the_exchanged_model(db: None, tmp_path: Path) -> None:
    for number in range(20):
        factories.import_text(tmp_path, f"s{number}", f"{RULE} This is rule number {number}.")
    factories.rebuild(original())
    old, using = set(vectors().values()), exchanged()
    with pytest.raises(Cancelled):
        rebuild(
            using,
            cancelled=lambda: bool(using.embedder.batches),
            report=lambda stage, done, total: None,
        )
    report = factories.rebuild(exchanged())
    assert (report.chunks, report.embedded, report.reused) == (20, 4, 16)
    assert not set(vectors().values()) & old


# Documents that are embedded whole


def by_place(vectors: Vectors) -> Vectors:
    """A chunk's vector depends on its place in the document."""
    made = vectors.copy()
    made[:, 0] += np.arange(1, len(made) + 1)
    return made


def halves(text: str) -> list[Chunk]:
    """The rule, each time that it stands in the text, as a chunk of its own."""
    first = text.index(RULE)
    starts = [first, text.index(RULE, first + 1)]
    return [
        Chunk(part, start, start + len(RULE), 1, 1, RULE, "", "")
        for part, start in enumerate(starts)
    ]


def test_identical_chunks_of_one_document_have_vectors_of_their_own(
    db: None, tmp_path: Path
) -> None:
    factories.import_text(tmp_path, "a", f"{RULE} {RULE}")
    embedder = fakes.FakeContextualEmbedder(spoil=by_place)
    using: Any = fakes.FakeParts(embedder=embedder, chunker=fakes.FakeSplitter(halves))
    report = factories.rebuild(using)
    assert (report.chunks, report.embedded, report.reused) == (2, 2, 0)
    assert len(set(vectors().values())) == Passage.objects.count() == 2
    cosines = [hit.cosine for hit in factories.search("meals", using=using, min_cosine=0.0).hits]
    assert len(set(cosines)) == 2
    assert (factories.rebuild(using).reused, check(using)) == (2, [])


def test_identical_chunks_share_a_passage_where_texts_are_embedded_alone(
    db: None, tmp_path: Path
) -> None:
    factories.import_text(tmp_path, "a", f"{RULE} {RULE}")
    using = fakes.FakeParts(chunker=fakes.FakeSplitter(halves))
    report = factories.rebuild(using)
    assert (report.chunks, report.embedded, Passage.objects.count()) == (2, 1, 1)
