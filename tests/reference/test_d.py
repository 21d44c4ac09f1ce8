"""REFERENCE D: contracts for custom parts.

All cases of one reference system stand in one file, as the reference document asks.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest_django import DjangoAssertNumQueries

from rag.actions.rebuilding import rebuild
from rag.actions.searching import search
from rag.core.chunks import Chunk, WordWindows
from rag.core.embeddings import HashingEmbedder, Vectors
from rag.core.errors import Cancelled, IndexMismatch, InvalidText, InvalidVector, ProviderError
from rag.core.policies import RRF
from rag.core.retrieval import Mode, Options
from rag.core.retrievers import EligibleRows, RetrievalRequest
from rag.core.sources import Access, Selection
from rag.models import Answer, Manifest, Passage, RebuildRun, Revision
from rag.models import Chunk as StoredChunk
from tests import factories, fakes

RULE = "Meals on business trips are reimbursed up to EUR 52 per day."


def stored_vectors() -> dict[str, bytes]:
    return {row.text: bytes(row.vector) for row in Passage.objects.all()}


def import_many(tmp_path: Path, count: int = 35) -> None:
    for number in range(count):
        factories.write(tmp_path / "many", f"{number:02}.md", f"Rule number {number} of many.")
    factories.import_files(tmp_path / "many")


# Vectors


def test_each_text_gets_its_own_vector(db: None, tmp_path: Path) -> None:
    import_many(tmp_path)
    factories.rebuild()
    vectors = stored_vectors()
    embed = HashingEmbedder().embed_query
    assert len(vectors) == 35
    assert all(vectors[text] == embed(text).tobytes() for text in vectors)


@pytest.mark.parametrize(
    ("spoil", "named"),
    [
        (lambda v: v[:, :255], "batch 1, item 1: 255 dimensions instead of 256"),
        (lambda v: np.vstack([v, v[:1]]), "17 vectors for 16 texts, item 17 was not asked for"),
        (lambda v: None, "batch 1, item 1: the answer is not a list of vectors"),
        (lambda v: [*v[:4].tolist(), "x", *v[5:].tolist()], "item 5: not a list of numbers"),
    ],
)
def test_a_breach_names_the_item_and_keeps_the_old_document(
    db: None, tmp_path: Path, spoil: Callable[[Vectors], object], named: str
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    import_many(tmp_path)
    with pytest.raises(InvalidVector, match=named):
        factories.rebuild(fakes.FakeParts(embedder=fakes.FakeEmbedder(spoil)))
    assert factories.labels(factories.search("meals")) == ["a#0"]
    assert RebuildRun.objects.latest("pk").outcome == "failed"


def test_a_provider_that_reuses_its_buffer_changes_nothing(db: None, tmp_path: Path) -> None:
    import_many(tmp_path)
    factories.rebuild(fakes.FakeParts(embedder=fakes.FakeBufferEmbedder()))
    reused = stored_vectors()
    embed = HashingEmbedder().embed_query
    assert reused == {text: embed(text).tobytes() for text in reused}


# A contextual embedder


def contextual(embedder: Any) -> fakes.FakeParts:
    return fakes.FakeParts(embedder=embedder, chunker=WordWindows(3, 0))


def test_a_contextual_embedder_gets_whole_documents(db: None, tmp_path: Path) -> None:
    words = [f"word-{letter}" for letter in "abcdefghijklmnopqrst"] * 3
    revision = factories.import_text(tmp_path, "a", " ".join(words), title="Words")
    embedder = fakes.FakeContextualEmbedder()
    factories.rebuild(contextual(embedder))
    [(document, title, chunks)] = embedder.documents
    assert (document, title) == (revision.document_id, "Words")
    assert chunks == tuple(" ".join(words[at : at + 3]) for at in range(0, 60, 3))
    assert Revision.objects.get().text == revision.text


def test_one_changed_chunk_embeds_its_whole_document_anew(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", "one two three four five six seven")
    factories.import_text(tmp_path, "b", "eight nine ten eleven")
    embedder = fakes.FakeContextualEmbedder()
    factories.rebuild(contextual(embedder))
    embedder.documents.clear()
    factories.import_text(
        tmp_path, "a", "one two three four five six SEVEN", valid_from="2026-02-01"
    )
    factories.rebuild(contextual(embedder))
    assert [chunks for _, _, chunks in embedder.documents] == [
        ("one two three", "four five six", "SEVEN")
    ]


def test_a_contextual_index_can_be_searched(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", "one two three four five six seven")
    using = contextual(fakes.FakeContextualEmbedder())
    factories.rebuild(using)
    assert factories.labels(factories.search("four five six", using=using))[0] == "a#1"


# Cancelling


@pytest.mark.parametrize("stage", ["chunk", "embed"])
def test_a_cancel_before_persistence_leaves_the_previous_state(
    db: None, tmp_path: Path, stage: str
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    before = Manifest.objects.get().generation
    import_many(tmp_path)
    seen: list[str] = []
    with pytest.raises(Cancelled):
        rebuild(
            factories.parts(),
            cancelled=lambda: stage in seen,
            report=lambda name, done, total: seen.append(name),
        )
    assert Manifest.objects.get().generation == before
    assert list(StoredChunk.objects.values_list("revision__source__source_id")) == [("a",)]
    assert RebuildRun.objects.latest("pk").outcome == "cancelled"


def test_a_cancel_that_comes_after_the_commit_does_not_say_that_nothing_changed(
    db: None, tmp_path: Path
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    seen: list[str] = []
    report = rebuild(
        factories.parts(),
        cancelled=lambda: "publish" in seen,
        report=lambda name, done, total: seen.append(name),
    )
    assert report.chunks == Manifest.objects.get().content["chunks"]


def test_a_cancelled_rebuild_goes_on_from_what_was_paid_for(db: None, tmp_path: Path) -> None:
    import_many(tmp_path)
    embedder = fakes.FakeEmbedder()
    using: Any = fakes.FakeParts(embedder=embedder)
    with pytest.raises(Cancelled):
        rebuild(
            using,
            cancelled=lambda: len(embedder.batches) == 2,
            report=lambda stage, done, total: None,
        )
    embedder.batches.clear()
    assert factories.rebuild(using).chunks == 35
    assert sum(map(len, embedder.batches)) == 35 - 32


# Questions


class FakeBadQuestion(fakes.FakeEmbedder):
    """Embeds sources well and questions as it is told."""

    def __init__(self, answer: object) -> None:
        super().__init__()
        self.answer = answer

    def embed_query(self, text: str) -> object:
        return self.answer


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ([float("nan")] * 256, "question failed: its vector: a value is not finite"),
        ([0.5] * 255, "question failed: its vector: 255 dimensions instead of 256"),
        ([0.0] * 256, "question failed: its vector: the norm is 0"),
        (None, "question failed: its vector: not a list of numbers"),
    ],
)
def test_a_bad_question_vector_is_refused_before_the_store_is_touched(
    db: None,
    django_assert_num_queries: DjangoAssertNumQueries,
    answer: object,
    reason: str,
) -> None:
    using = fakes.FakeParts(embedder=FakeBadQuestion(answer))
    with django_assert_num_queries(0), pytest.raises(InvalidVector, match=reason):
        factories.search("meals", using=using)


def test_keyword_search_never_asks_for_the_embedder(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    using = fakes.FakeWithoutEmbedder(proposer=fakes.quoting(("S1", RULE)))
    assert factories.labels(factories.search("meals", using=using, mode=Mode.LEXICAL)) == ["a#0"]
    assert factories.ask("meals", using=using, mode=Mode.LEXICAL).verdict.accepted
    with pytest.raises(AssertionError, match="asked for the embedder"):
        factories.search("meals", using=using, mode=Mode.HYBRID)


# Overrides


def test_an_override_keeps_every_other_field() -> None:
    options = Options(Mode.LEXICAL, RRF, 7, 0.25, ("permit",))
    changed = replace(options, k=3)
    others = [item.name for item in fields(Options) if item.name != "k"]
    assert (changed.k, options.k) == (3, 7)
    assert all(getattr(changed, name) == getattr(options, name) for name in others)


def test_access_is_never_part_of_the_options() -> None:
    assert not {item.name for item in fields(Access)} & {item.name for item in fields(Options)}


def test_an_override_of_k_keeps_the_access_filter(db: None, tmp_path: Path) -> None:
    for name, scope in (("a", "public"), ("b", "public"), ("c", "hr")):
        factories.import_text(tmp_path, name, RULE, scope=scope)
    factories.rebuild()
    assert factories.labels(factories.search("meals", k=1000)) == ["a#0", "b#0"]
    assert factories.labels(factories.search("meals", k=1)) == ["a#0"]


# Splitters


def lines(text: str) -> list[Chunk]:
    """One chunk for each line that begins with a dash."""
    found: list[Chunk] = []
    at = 0
    for number, line in enumerate(text.splitlines(keepends=True), start=1):
        if line.startswith("- "):
            part, end = len(found), at + len(line.rstrip())
            found.append(Chunk(part, at, end, number, number, line.rstrip(), "", ""))
        at += len(line)
    return found


def test_a_custom_splitter_plugs_in_with_metadata(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", "Rules\n- meals cost 52\n- hotels cost 130\n", team="x")
    using = fakes.FakeParts(chunker=fakes.FakeSplitter(lines))
    report = factories.rebuild(using)
    found = factories.search("hotels", using=using, mode=Mode.LEXICAL)
    assert report.manifest["chunking"] == "custom-v1"
    assert [(hit.label, hit.text) for hit in found.hits] == [("a#1", "- hotels cost 130")]


def broken(**change: Any) -> Callable[[str], list[Chunk]]:
    def cut(text: str) -> list[Chunk]:
        first, second = lines(text)
        return [first, replace(second, **change)]

    return cut


@pytest.mark.parametrize(
    ("cut", "reason"),
    [
        (broken(part=0), "chunk 1 has part 0"),
        (broken(part=2), "chunk 1 has part 2"),
        (broken(text=" "), "chunk 1 is blank"),
        (broken(text="invented"), "chunk 1 has another text than the slice"),
        (broken(end_char=10**6), "chunk 1 has offsets"),
        (lambda text: [], "gave no chunk"),
    ],
)
def test_a_splitter_that_breaks_the_contract_is_refused_before_embedding(
    db: None, tmp_path: Path, cut: Callable[[str], list[Chunk]], reason: str
) -> None:
    factories.import_text(tmp_path, "a", "Rules\n- meals cost 52\n- hotels cost 130\n")
    embedder = fakes.FakeEmbedder()
    with pytest.raises(InvalidText, match=reason):
        factories.rebuild(fakes.FakeParts(embedder, fakes.FakeSplitter(cut)))
    assert embedder.batches == []
    assert StoredChunk.objects.count() == 0


# Change of model


@pytest.mark.parametrize(
    "profile",
    [{"model": "m-2"}, {"digest": "d-2"}, {"query_prefix": "q: "}, {"document_prefix": "d: "}],
)
def test_a_changed_model_asks_for_a_rebuild_and_then_works(
    db: None, tmp_path: Path, profile: dict[str, Any]
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    changed = fakes.FakeParts(embedder=fakes.FakeEmbedder(**profile))
    with pytest.raises(IndexMismatch, match=r"Run: manage\.py rebuild"):
        factories.search("meals", using=changed)
    assert factories.rebuild(changed).embedded == 1
    assert factories.labels(factories.search("meals", using=changed)) == ["a#0"]


class FakeDrifter(fakes.FakeEmbedder):
    """A model that was exchanged behind its name: same profile, other vectors."""

    def embed_batch(self, texts: Any, *, cancelled: Any, progress: Any) -> object:
        return self.inner.embed_batch(texts, cancelled=cancelled, progress=progress)[:, ::-1]


def test_a_model_that_changed_behind_its_name_is_caught_by_the_first_query(
    db: None, tmp_path: Path
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    with pytest.raises(IndexMismatch, match="canary"):
        factories.search("meals", using=fakes.FakeParts(embedder=FakeDrifter()))


# Retrievers without embeddings


@dataclass
class FakeRetriever:
    """Finds what it is told to, and remembers what it was given."""

    find: Callable[[RetrievalRequest, EligibleRows], object]
    name: str = "fake-v1"
    requests: list[RetrievalRequest] = field(default_factory=list)
    given: list[tuple[str, ...]] = field(default_factory=list)

    def retrieve(self, request: RetrievalRequest, rows: EligibleRows) -> object:
        self.requests.append(request)
        self.given.append(tuple(row.label for row in rows))
        return self.find(request, rows)


def everything(request: RetrievalRequest, rows: EligibleRows) -> object:
    for done, row in enumerate(rows, start=1):
        request.progress(done)
        yield row.chunk_id, float(done)


def finding(find: Callable[[RetrievalRequest, EligibleRows], object]) -> Any:
    """Parts with that retriever and without an embedder."""
    proposer = fakes.quoting(("S1", RULE))
    return fakes.FakeWithoutEmbedder(retriever=FakeRetriever(find), proposer=proposer)


@pytest.fixture
def three(db: None, tmp_path: Path) -> None:
    for name, scope in (("a", "public"), ("b", "public"), ("c", "hr")):
        factories.import_text(tmp_path, name, RULE, scope=scope)
    factories.rebuild()


def test_a_retriever_plugs_in_and_gets_what_the_asker_may_read(three: None) -> None:
    using = finding(everything)
    found = factories.search("meals", using=using, mode=Mode.HYBRID)
    assert [(hit.label, hit.rank, hit.cosine) for hit in found.hits] == [
        ("b#0", 2.0, None),
        ("a#0", 1.0, None),
    ]
    [request] = using.retriever.requests
    assert (request.access, request.k) == (factories.access("public"), 10)
    assert using.retriever.given == [("a#0", "b#0")]


@pytest.mark.parametrize("scopes", [("public",), ("hr",), ("hr", "public"), ()])
def test_hidden_rows_reach_no_retriever(three: None, scopes: tuple[str, ...]) -> None:
    using = finding(everything)
    found = factories.search("meals", factories.access(*scopes), using=using)
    readable = {"public": ("a#0", "b#0"), "hr": ("c#0",)}
    expected = sorted(label for scope in scopes for label in readable[scope])
    assert sorted(using.retriever.given[0]) == sorted(factories.labels(found)) == expected


def hidden(request: RetrievalRequest, rows: EligibleRows) -> object:
    return [(f"{Revision.objects.get(source__source_id='c').document_id[:16]}:0", 1.0)]


def fails(request: RetrievalRequest, rows: EligibleRows) -> object:
    raise ValueError(next(iter(rows)).text)


@pytest.mark.parametrize(
    ("find", "fault"),
    [
        (hidden, "hit 1 is none of the rows that it was given"),
        (lambda request, rows: [("invented", 1.0)], "hit 1 is none of the rows"),
        (lambda request, rows: [(i, 1.0) for i in rows.ids * 2], "hit 3 stands there twice"),
        (lambda request, rows: [(rows.ids[0], float("nan"))], "hit 1 has a score that is not"),
        (lambda request, rows: [(rows.ids[0], "0.9")], "hit 1 has no number as its score"),
        (lambda request, rows: list(rows.ids), "hit 1 is no pair of chunk id and score"),
        (lambda request, rows: None, "hit 1 is no pair of chunk id and score"),
        (fails, "it raised ValueError"),
    ],
)
def test_a_retriever_that_breaks_the_contract_is_named_and_shows_nothing(
    three: None, find: Callable[[RetrievalRequest, EligibleRows], object], fault: str
) -> None:
    with pytest.raises(ProviderError, match=f"fake-v1: retrieval failed: {fault}") as caught:
        factories.ask("meals", using=finding(find))
    assert RULE not in str(caught.value)
    assert not Answer.objects.exists()


def test_the_hits_of_a_retriever_pass_the_same_gates(three: None) -> None:
    using = finding(everything)
    assert factories.search("submarines", using=using).hits == ()  # no word is shared
    assert factories.search("meals", using=using, required_terms=("trips",), k=1).hits
    assert factories.ask("meals", using=using).answer.policy == "fake-v1"
    unknown = factories.ask("Are meals of the GX-999 reimbursed?", using=using)
    assert unknown.answer.reason_code == "no_excerpts"


def test_an_override_of_k_keeps_access_filter_and_progress(three: None) -> None:
    using, done = finding(everything), list[int]()
    for k in (10, 1):
        access, options = factories.access("public"), Options(k=k)
        found = search("meals", access, Selection(), options, using, progress=done.append)
        assert len(found.hits) == min(k, 2)
    first, second = using.retriever.requests
    assert replace(first, k=1) == second
    assert (done, using.retriever.given) == ([1, 2, 1, 2], [("a#0", "b#0")] * 2)


def test_a_cancelled_search_asks_no_retriever_and_shows_nothing(three: None) -> None:
    using = finding(everything)
    for answers in ([True], [False, True]):
        asked = ("meals", factories.access("public"), Selection(), Options(), using)
        with pytest.raises(Cancelled):
            search(*asked, cancelled=partial(answers.pop, 0))
    assert len(using.retriever.requests) == 1


def test_the_ranking_of_the_index_tells_progress_too(three: None) -> None:
    done = list[int]()
    access = factories.access("public")
    search("meals", access, Selection(), Options(), factories.parts(), progress=done.append)
    assert done == [2]
