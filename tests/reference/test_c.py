"""REFERENCE C: the rules of a teaching library."""

from pathlib import Path

import numpy as np
import pytest

from rag.core.answers import Claim, build_grounded_answer
from rag.core.chunks import WordWindows
from rag.core.embeddings import HashingEmbedder
from rag.core.errors import (
    DuplicateCitation,
    InvalidOption,
    InvalidText,
    InvalidVector,
    MissingCitation,
    UnknownCitation,
)
from rag.core.policies import RRF
from rag.core.rerank import Candidate, rerank
from rag.core.retrieval import Options
from rag.core.sources import Selection, chunk_id, document_id
from rag.core.text import body
from rag.core.vectors import cosine
from rag.models import Revision
from tests import factories, handmade
from tests.handmade import Text


def identity(version: str, text: str) -> str:
    return document_id("S", version, " ".join(body(text).split()))


def test_another_version_is_another_document() -> None:
    assert identity("a", "a b c") != identity("b", "a b c")


def test_white_space_and_metadata_are_outside_identity() -> None:
    assert identity("1", " a  b\n c\n") == identity("1", "a b c")
    assert identity("1", "---\nteam: x\n---\na b c") == identity("1", "a b c")


@pytest.mark.parametrize("text", ["", " \n\t", "---\nteam: x\n---\n \n"])
def test_a_blank_text_is_an_error(text: str) -> None:
    with pytest.raises(InvalidText):
        identity("1", text)


def test_changed_metadata_alone_is_no_new_revision(db: None, tmp_path: Path) -> None:
    first = factories.import_text(tmp_path, "a", "A rule.", team="x")
    assert factories.import_text(tmp_path, "a", " A \n\n rule. ", team="y") == first
    assert Revision.objects.count() == 1


def test_word_windows_overlap() -> None:
    chunks = WordWindows(4, 2).split("one two three four five six seven", "")
    expected = ["one two three four", "three four five six", "five six seven"]
    assert [chunk.text for chunk in chunks] == expected
    document = identity("1", "one")
    ids = [chunk_id(document, chunk.part) for chunk in chunks]
    assert ids == [f"{document[:16]}:{part}" for part in range(3)]


@pytest.mark.parametrize("overlap", [4, 5])
def test_an_overlap_as_large_as_the_window_is_an_error(overlap: int) -> None:
    with pytest.raises(InvalidOption, match="overlap"):
        WordWindows(4, overlap)


def test_hashing_embedding_is_deterministic_and_brings_the_related_closer() -> None:
    embed = HashingEmbedder().embed_query
    query = embed("retry after a failure")
    related, unrelated = embed("how to retry a failure"), embed("menu of the canteen")
    assert np.array_equal(query, embed("retry after a failure"))
    assert cosine(related, query) > cosine(unrelated, query)
    assert np.linalg.norm(query) == pytest.approx(1.0)


def test_hashing_embedding_of_no_word_is_an_error() -> None:
    with pytest.raises(InvalidVector, match="no word"):
        HashingEmbedder().embed_query("… !")


def test_vectors_of_different_dimension_have_no_cosine() -> None:
    with pytest.raises(InvalidVector, match="dimension 3 does not match"):
        cosine(np.ones(2), np.ones(3))


NEAR = [Text(f"near-{number}", "permit", (1.0, 0.0)) for number in range(4)]


def test_filtering_comes_before_scoring() -> None:
    texts = [*NEAR, Text("far", "permit", (1.0, 9.0))]
    found = handmade.labels(texts, handmade.question("permit"), Options(k=3), ["far"])
    assert found == ["far#0"]


@pytest.mark.parametrize("options", [Options(), Options(policy=RRF)])
def test_equal_scores_are_ordered_by_id(options: Options) -> None:
    texts = [Text("b"), Text("c"), Text("a", version="2"), Text("a", version="1")]
    found = handmade.found(texts, handmade.question("nothing particular"), options)
    index = handmade.snapshot(*texts)
    ids = [index.rows[hit.row].chunk_id for _, hit in found]
    assert [label for label, _ in found] == ["a#0", "a#0", "b#0", "c#0"]
    assert ids[:2] == sorted(ids[:2])


def test_nothing_allowed_is_an_empty_list() -> None:
    assert handmade.found(NEAR, handmade.question("permit"), Options(), []) == []


OVERVIEW = Candidate("c-1", "python retry overview", 0.95)
POLICY = Candidate("c-2", "python retry permission failure policy", 0.75)
QUESTION = "python retry"


def test_required_terms_go_before_similarity() -> None:
    given = [OVERVIEW, POLICY]
    assert rerank(QUESTION, given, ["permission", "policy"], ["en"]) == [POLICY, OVERVIEW]
    assert given == [OVERVIEW, POLICY]


def test_without_required_terms_similarity_and_coverage_decide() -> None:
    assert rerank(QUESTION, [POLICY, OVERVIEW], [], ["en"]) == [OVERVIEW, POLICY]
    half = Candidate("c-3", "python", 0.95)  # .95 + .125 < .75 + .25 + .1
    better = Candidate("c-4", "python retry", 0.85)
    assert rerank(QUESTION, [half, better], [], ["en"]) == [better, half]


def test_equal_keys_are_ordered_by_descending_id() -> None:
    twins = [Candidate(name, "python", 0.5) for name in ("c-1", "c-3", "c-2")]
    ordered = rerank(QUESTION, twins, [], ["en"])
    assert [candidate.chunk_id for candidate in ordered] == ["c-3", "c-2", "c-1"]


HITS = {"c-1": "first text", "c-2": "second text", "c-3": "third text"}


@pytest.mark.parametrize(
    ("citations", "error", "word"),
    [
        (("c-9",), UnknownCitation, "unknown"),
        ((), MissingCitation, "requires"),
        (("c-1", "c-1"), DuplicateCitation, "duplicate"),
    ],
)
def test_three_ways_to_cite_wrongly(
    citations: tuple[str, ...], error: type[Exception], word: str
) -> None:
    with pytest.raises(error, match=word):
        build_grounded_answer([Claim("It is so.", citations)], HITS)


def test_a_grounded_answer_maps_cited_ids_to_texts() -> None:
    claims = [Claim("One.", ("c-1",)), Claim("Two.", ("c-2", "c-1"))]
    answer = build_grounded_answer(claims, HITS)
    assert answer.evidence == {"c-1": "first text", "c-2": "second text"}
    assert answer.claims == tuple(claims)


def test_a_metadata_filter_leaves_out_a_better_private_chunk(db: None, tmp_path: Path) -> None:
    question = "Deploy on Friday with two reviewers"
    factories.import_text(tmp_path, "private", question, scope="hr", team="engineering")
    factories.import_text(tmp_path, "sales", question, team="sales")
    factories.import_text(tmp_path, "eng-1", "Deploy with reviewers.", team=["ops", "engineering"])
    factories.import_text(tmp_path, "eng-2", "Reviewers deploy.", team="engineering")
    factories.rebuild()
    selection = Selection(filters=frozenset({("team", "engineering")}))
    found = factories.search(question, selection=selection)
    assert sorted(factories.labels(found)) == ["eng-1#0", "eng-2#0"]
