"""Manifest, snapshot, and the name of each kind of damage."""

import gc
import hashlib
import json
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from rag.core import index as index_module
from rag.core.errors import IndexDamaged, IndexMismatch, InvalidVector
from rag.core.index import (
    EMBEDDING_FIELDS,
    Manifest,
    StoredPassage,
    build_snapshot,
    check_manifest,
    differences,
)
from rag.core.lexical import ANALYSER, term_counts
from rag.core.rows import ChunkRow, ChunkRows, chunk_digests, embedding_input
from rag.core.vectors import Matrix
from tests.handmade import PROFILE, Text, manifest_of, row_of, snapshot

ROWS = [row_of(Text("a"), 1), row_of(Text("a", part=1), 1), row_of(Text("b"), 2)]


def test_a_manifest_survives_json() -> None:
    manifest = manifest_of(ROWS)
    again = Manifest.from_dict(json.loads(json.dumps(manifest.to_dict())))
    assert again == manifest
    assert again.digest == manifest.digest


@pytest.mark.parametrize("name", [item.name for item in fields(Manifest)])
def test_every_field_of_a_manifest_is_in_its_digest(name: str) -> None:
    manifest = manifest_of(ROWS)
    other: Any = {int: 9, str: "other", tuple: ((2.0,),)}[type(getattr(manifest, name))]
    assert replace(manifest, **{name: other}).digest != manifest.digest


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.pop("model"),
        lambda content: content.update(surprise=1),
    ],
)
def test_a_manifest_of_another_version_is_refused(change: Callable[[dict[str, Any]], Any]) -> None:
    content = manifest_of(ROWS).to_dict()
    change(content)
    with pytest.raises(IndexDamaged, match="fields are not those of this version"):
        Manifest.from_dict(content)


def test_an_index_that_fits_its_configuration_passes() -> None:
    check_manifest(manifest_of(ROWS), PROFILE, "sections-v2", ANALYSER)


@pytest.mark.parametrize("name", EMBEDDING_FIELDS)
def test_a_field_that_differs_is_named_with_both_values(name: str) -> None:
    manifest = manifest_of(ROWS)
    other: Any = 9 if name == "dimension" else "other"
    changed = replace(manifest, **{name: other})
    expected = [(name, other, getattr(manifest, name))]
    assert differences(changed, PROFILE, "sections-v2", ANALYSER) == expected
    with pytest.raises(IndexMismatch, match=f"made with {name} {other!r}, but"):
        check_manifest(changed, PROFILE, "sections-v2", ANALYSER)


@pytest.mark.parametrize("name", [name for name in ChunkRow._fields if name != "revision"])
def test_every_field_of_a_row_is_in_the_digest_of_the_chunks(name: str) -> None:
    other: Any = 99 if isinstance(getattr(ROWS[0], name), int) else "other"
    changed = [ROWS[0]._replace(**{name: other}), *ROWS[1:]]
    before, after = chunk_digests(ROWS), chunk_digests(changed)
    assert after.whole != before.whole
    assert {key for key in before.each if after.of(key) != before.of(key)} == {ROWS[0].revision}


def test_the_key_of_the_database_is_not_in_the_digest_of_the_chunks() -> None:
    renumbered = chunk_digests([row._replace(revision=row.revision + 9) for row in ROWS])
    assert renumbered.whole == chunk_digests(ROWS).whole
    assert [*renumbered.each.values()] == [*chunk_digests(ROWS).each.values()]


def parts_of(rows: list[ChunkRow]) -> tuple[ChunkRows, Matrix, list[bytes]]:
    terms = [term_counts("", "", "nothing", "en").to_bytes()] * len(rows)
    return ChunkRows.of(rows), np.ones((len(rows), 2), dtype=np.float32), terms


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (ROWS[:2], "it holds 2 chunks, but its manifest says 3"),
        ([*ROWS[:2], ROWS[2]._replace(section="x")], "the chunks are not those of its manifest"),
        ([ROWS[1], ROWS[0], ROWS[2]], "the chunks are not those of its manifest"),
    ],
)
def test_rows_that_contradict_the_manifest_are_refused(rows: list[ChunkRow], reason: str) -> None:
    with pytest.raises(IndexDamaged, match=reason):
        build_snapshot(manifest_of(ROWS), "g", *parts_of(rows))


def test_rows_are_what_was_put_in() -> None:
    rows = ChunkRows(3)
    rows.put(1, ROWS[1:])
    rows.put(0, ROWS[:1])
    assert [*rows] == ROWS == [rows[at] for at in range(3)]
    assert len(rows) == 3 and [*rows.column("part")] == [0, 1, 0]
    assert [*ChunkRows.of([])] == []


def test_rows_are_nothing_that_garbage_collection_looks_at() -> None:
    """A tuple a row would hold up every thread at each collection, see ``ChunkRows``."""
    gc.collect()
    before = len(gc.get_objects())
    rows = ChunkRows.of(ROWS * 1000)
    assert len(rows) == 3000
    assert len(gc.get_objects()) - before < 100


def test_rows_of_a_revision_must_stand_together() -> None:
    torn = [ROWS[0], ROWS[2], ROWS[1]]
    with pytest.raises(IndexDamaged, match="the chunks of a source do not stand together"):
        build_snapshot(manifest_of(torn), "g", *parts_of(torn))


def test_a_zero_vector_in_the_index_is_refused() -> None:
    rows, matrix, terms = parts_of(ROWS)
    matrix[1] = 0
    with pytest.raises(InvalidVector, match="vector 1 is zero"):
        build_snapshot(manifest_of(ROWS), "g", rows, matrix, terms)


TEXT = Text("a").text
BLOB = np.array([1, 2], dtype="<f4").tobytes()
TERMS = term_counts("", "", "two words", "en").to_bytes()


def stored(vector: bytes = BLOB, terms: bytes = TERMS) -> StoredPassage:
    """A passage stored under the digests of BLOB and TERMS, whatever became of its bytes."""
    digests = [hashlib.sha256(data).hexdigest() for data in (BLOB, TERMS)]
    return StoredPassage(TEXT, vector, digests[0], terms, digests[1])


def test_a_passage_that_is_what_its_row_says_passes() -> None:
    stored().check(ROWS[0], TEXT, 2)


@pytest.mark.parametrize(
    ("passage", "text", "reason"),
    [
        (stored(), TEXT.upper(), "a passage is not the text of its source"),
        (stored(), TEXT[1:], "a passage is not the text of its source"),
        (
            stored(terms=TERMS[:-1] + b"x"),
            TEXT,
            "the terms of a passage do not match their SHA-256",
        ),
        (stored(BLOB[:-1]), TEXT, "a vector has 7 bytes, not 8"),
        (stored(BLOB + BLOB), TEXT, "a vector has 16 bytes, not 8"),
        (stored(BLOB[4:] + BLOB[:4]), TEXT, "a vector does not match its SHA-256"),
    ],
)
def test_what_is_wrong_with_a_passage_is_named(
    passage: StoredPassage, text: str, reason: str
) -> None:
    with pytest.raises(IndexDamaged, match=reason) as caught:
        passage.check(ROWS[0], text, 2)
    assert ROWS[0].label in caught.value.detail


def test_ties_follow_label_then_chunk_id() -> None:
    index = snapshot(Text("b"), Text("a", part=10), Text("a", part=2), Text("B"))
    ordered = [index.rows[at].label for at in np.argsort(index.ties)]
    assert ordered == ["B#0", "a#10", "a#2", "b#0"]


def test_ties_are_in_order_beyond_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "BLOCK", 3)
    texts = [Text(source, part=part) for source in ("a", "a!", "b") for part in range(12)]
    index = snapshot(*texts)
    ordered = [index.rows[at].label for at in np.argsort(index.ties)]
    assert ordered == sorted(row.label for row in index.rows)
    assert ordered != [row.label for row in index.rows]


@pytest.mark.parametrize("hurried", [True, False])
def test_an_index_is_the_same_in_a_hurry(hurried: bool) -> None:
    made = build_snapshot(manifest_of(ROWS), "g", *parts_of(ROWS), hurried=hurried)
    assert [*made.rows] == ROWS
    assert made.stems.rows.tolist() == [0, 1, 2]
    assert made.slices.of(made.mask([1])).codes.tolist() == [[127, 127]] * 2


def test_a_mask_holds_the_rows_of_the_revisions_asked_for() -> None:
    index = snapshot(Text("a"), Text("a", part=1), Text("b"), Text("c"))
    assert index.mask([1, 3, 99]).tolist() == [True, True, False, True]
    assert not index.mask([]).any()


@pytest.mark.parametrize(("context", "expected"), [("", "text"), ("Title", "Title\n\ntext")])
def test_the_embedder_is_given_context_and_text(context: str, expected: str) -> None:
    assert embedding_input(context, "text") == expected
