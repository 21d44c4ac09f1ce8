"""REFERENCE A: a governed vector index with controlled answers.

All cases of one reference system stand in one file, as the reference document asks.
"""

from collections.abc import Callable
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.conf import settings as site
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import connection
from pytest_django import Settings

from rag.actions import demo
from rag.actions.checking import check
from rag.actions.governing import erase, withdraw
from rag.actions.people import revoke
from rag.actions.profiles import min_cosine
from rag.actions.searching import BEHIND, probe_cosines
from rag.core.answers import INVALID, NO_EXCERPTS, UNSUPPORTED, Piece, Proposal, admissible, gate
from rag.core.chat import AnswerMode
from rag.core.chunks import CharacterWindows
from rag.core.embeddings import HashingEmbedder, Vectors
from rag.core.errors import (
    IndexBehind,
    IndexDamaged,
    IndexMismatch,
    InvalidOption,
    InvalidText,
    InvalidVector,
)
from rag.core.policies import RRF, reciprocal_rank_fusion
from rag.core.retrieval import Mode, Options
from rag.core.sources import Selection
from rag.core.vectors import cosine
from rag.models import Chunk, Grant, Manifest, Passage, Revision
from rag.queries import snapshots
from tests import chatting, factories, fakes, handmade
from tests.chatting import CHAT_MODES, FakeChat, quotes
from tests.handmade import Text

EXAMPLES = Path(site.BASE_DIR) / "examples" / "corpus"
RULE = "Meals on business trips are reimbursed up to EUR 52 per day."
OTHER = "Hotels are booked through the travel desk and nowhere else."
HYBRID = Options(policy=RRF)


# Chunks


@pytest.mark.parametrize(
    ("length", "spans"),
    [
        (600, [(0, 600)]),
        (601, [(0, 600), (520, 601)]),
        (1120, [(0, 600), (520, 1120)]),
        (1200, [(0, 600), (520, 1120), (1040, 1200)]),
    ],
)
def test_windows_of_600_characters_overlap_by_80(length: int, spans: list[tuple[int, int]]) -> None:
    chunks = CharacterWindows(600, 80).split("x" * length, "")
    assert [(chunk.start_char, chunk.end_char) for chunk in chunks] == spans


def test_an_empty_text_has_no_window() -> None:
    with pytest.raises(InvalidText):
        CharacterWindows(600, 80).split("", "")


def test_chunks_are_labelled_by_source_and_part(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "S", "meals " * 200)
    windows = factories.parts("chars-600-overlap-80-v1")
    factories.rebuild(windows)
    found = factories.search("meals", using=windows)
    assert sorted(factories.labels(found)) == ["S#0", "S#1", "S#2"]


def test_crlf_counts_as_one_character(db: None, tmp_path: Path) -> None:
    path = factories.write(tmp_path, "S.md", "line\r\n" * 120 + "end")
    factories.import_files(path)
    factories.rebuild(factories.parts("chars-600-overlap-80-v1"))
    assert list(Chunk.objects.values_list("start_char", "end_char").order_by("part")) == [
        (0, 600),
        (520, 603),
    ]


def test_sources_are_taken_in_ordinal_order(db: None, tmp_path: Path) -> None:
    for number, name in enumerate(("b", "B", "a")):
        factories.import_text(tmp_path / str(number), name, RULE)
    factories.rebuild()
    rows = snapshots.current_snapshot().rows
    assert [row.source_id for row in rows] == ["B", "a", "b"]


# Vectors


def import_many(tmp_path: Path, count: int) -> None:
    for number in range(count):
        factories.write(tmp_path / "many", f"{number:02}.md", f"Rule number {number} of many.")
    factories.import_files(tmp_path / "many")


def test_35_documents_go_out_as_16_16_and_3_before_the_transaction(
    db: None, tmp_path: Path
) -> None:
    import_many(tmp_path, 35)
    embedder, outside = fakes.FakeEmbedder(), len(connection.savepoint_ids)
    factories.rebuild(fakes.FakeParts(embedder=embedder))
    assert [len(batch) for batch in embedder.batches] == [16, 16, 3]
    assert embedder.depths == [outside] * 3


def with_value(value: float) -> Callable[[Vectors], object]:
    def spoil(vectors: Vectors) -> object:
        vectors[1, 7] = value
        return vectors

    return spoil


BAD_ANSWERS: dict[str, tuple[Callable[[Vectors], object], str]] = {
    "nan": (with_value(np.nan), "item 2: a value is not finite"),
    "infinity": (with_value(np.inf), "item 2: a value is not finite"),
    "zero": (lambda v: [v[0].tolist(), [0.0] * 256], "item 2: the norm is 0"),
    "unequal": (lambda v: [v[0].tolist(), [1.0]], "item 2: 1 dimensions instead of 256"),
    "empty": (lambda v: [], "0 vectors for 2 texts, item 1 is missing"),
    "too few": (lambda v: v[:1], "1 vectors for 2 texts, item 2 is missing"),
}


@pytest.mark.parametrize("fault", BAD_ANSWERS)
def test_bad_vectors_are_named_and_the_index_stands(db: None, tmp_path: Path, fault: str) -> None:
    factories.import_text(tmp_path, "old", RULE)
    factories.rebuild()
    before = factories.search("meals")
    import_many(tmp_path, 2)
    spoil, named = BAD_ANSWERS[fault]
    with pytest.raises(InvalidVector, match=f"hashing: .*batch 1.*{named}"):
        factories.rebuild(fakes.FakeParts(embedder=fakes.FakeEmbedder(spoil)))
    after = factories.search("meals")
    assert (after.hits, after.manifest) == (before.hits, before.manifest)


# Manifest


CHANGES: list[tuple[str, Any, str, str]] = [
    ("provider", {"provider": "acme"}, "'hashing'", "'acme'"),
    ("endpoint", {"endpoint": "http://x"}, "''", "'http://x'"),
    ("model", {"model": "m-2"}, "'bag-of-words-v1'", "'m-2'"),
    ("model_digest", {"digest": "d-2"}, "'sha256,nfkc", "'d-2'"),
    ("dimension", {"dimension": 128}, "256", "128"),
    ("fingerprint", {"document_prefix": "passage: "}, "'", "'"),
]


def changed(profile: dict[str, Any]) -> fakes.FakeParts:
    dimension = profile.get("dimension", 256)
    rest = {key: value for key, value in profile.items() if key != "dimension"}
    return fakes.FakeParts(embedder=fakes.FakeEmbedder(dimension=dimension, **rest))


@pytest.mark.parametrize("mode", [Mode.DENSE, Mode.HYBRID])
@pytest.mark.parametrize(("field", "profile", "indexed", "configured"), CHANGES)
def test_another_embedder_is_refused_by_field_and_values(
    db: None, tmp_path: Path, mode: Mode, field: str, profile: Any, indexed: str, configured: str
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    with pytest.raises(IndexMismatch, match=f"with {field} {indexed}.*but {configured}"):
        factories.search("meals", using=changed(profile), mode=mode)
    assert len(factories.search("meals", using=changed(profile), mode=Mode.LEXICAL).hits) == 1


@pytest.mark.parametrize("field", ["chunking", "analyser"])
def test_another_chunking_or_analyser_is_refused(db: None, tmp_path: Path, field: str) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    other = fakes.FakeParts()
    setattr(other, field, "other-v2")
    with pytest.raises(IndexMismatch, match=f"with {field} '.*-v[12]', but 'other-v2'"):
        factories.search("meals", using=other)
    assert len(factories.search("meals", using=other, mode=Mode.LEXICAL).hits) == 1


def checked(settings: Settings) -> tuple[int, str]:
    """Exit code and output of ``rebuild --check``."""
    settings.EVIDENCE_PROFILE = "hashing"
    out = StringIO()
    try:
        call_command("rebuild", "--check", stdout=out)
    except SystemExit as exit_:
        return int(str(exit_.code)), out.getvalue()
    return 0, out.getvalue()


def one_character(folder: Path) -> Revision:
    return factories.import_text(folder, "a", RULE.replace("52", "53"), approve=False)


def one_fact(folder: Path) -> Revision:
    return factories.import_facts(folder, "facts", '[products.GX]\nbar = "16"', approve=False)


@pytest.mark.parametrize("change", [one_character, one_fact])
def test_a_changed_corpus_is_named_by_rebuild_check(
    db: None, tmp_path: Path, settings: Settings, change: Callable[[Path], Revision]
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    assert checked(settings) == (0, "The index is what a rebuild would make.\n")
    revision = change(tmp_path)
    assert checked(settings) == (1, f"corpus: {revision} is not indexed\n")


@pytest.mark.parametrize("change", [one_character, one_fact])
def test_an_index_that_is_behind_serves_with_a_notice_or_refuses(
    db: None, tmp_path: Path, settings: Settings, change: Callable[[Path], Revision]
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    assert factories.search("meals").notice == ""
    change(tmp_path)
    found = factories.search("meals")
    assert (factories.labels(found), found.notice) == (["a#0"], BEHIND)
    settings.EVIDENCE_INDEX_BEHIND = "refuse"
    with pytest.raises(IndexBehind):
        factories.search("meals")


def test_the_manifest_covers_product_facts(db: None, tmp_path: Path) -> None:
    factories.import_facts(tmp_path, "facts", '[products.GX]\nbar = "16"')
    before = factories.rebuild().manifest
    factories.import_facts(tmp_path, "facts", '[products.GX]\nbar = "17"')
    assert factories.rebuild().manifest["corpus_sha256"] != before["corpus_sha256"]


def test_a_shortened_source_loses_its_old_parts_on_the_day_of_approval(
    db: None, tmp_path: Path
) -> None:
    words = factories.parts("words-4-overlap-0-v1")
    factories.import_text(tmp_path, "a", "meals one two three meals five six seven meals nine")
    factories.rebuild(words)
    factories.import_text(tmp_path, "a", "meals only", valid_from="2026-03-01")
    factories.rebuild(words)
    before = factories.access("public", as_of=date(2026, 2, 28))
    after = factories.access("public", as_of=date(2026, 3, 1))
    assert len(factories.search("meals", before, using=words).hits) == 3
    assert [hit.text for hit in factories.search("meals", after, using=words).hits] == [
        "meals only"
    ]


def test_nothing_of_an_erased_source_is_stored(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.import_text(tmp_path, "b", OTHER)
    factories.rebuild()
    erase("b", actor="op", reason="request")
    assert [
        text for text in Passage.objects.values_list("text", flat=True) if "Hotels" in text
    ] == []
    assert not Revision.objects.filter(text__contains="Hotels").exists()
    assert factories.labels(factories.search("meals hotels", mode=Mode.LEXICAL)) == ["a#0"]


# Read checks


DAMAGE = {
    "chunk row missing": ("DELETE FROM rag_chunk", "0 chunks, but its manifest says 1"),
    "blob shortened": (
        "UPDATE rag_passage SET vector = substr(vector, 1, 40)",
        "a vector has 40 bytes, not 1024",
    ),
    "blob altered": (
        "UPDATE rag_passage SET vector = zeroblob(1024)",
        "a vector does not match its SHA-256",
    ),
    "id altered": (
        "UPDATE rag_revision SET document_id = 'f' || substr(document_id, 2, 62) || 'f'",
        "the chunks are not those of its manifest",
    ),
    "part altered": ("UPDATE rag_chunk SET part = 7", "the chunks are not those of its manifest"),
    "text altered": (
        "UPDATE rag_revision SET text = replace(text, '52', '99')",
        "the text of a source does not match its SHA-256",
    ),
    "passage altered": (
        "UPDATE rag_passage SET text = replace(text, '52', '99')",
        "a passage is not the text of its source",
    ),
}


@pytest.mark.parametrize("mode", [Mode.LEXICAL, Mode.HYBRID])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_index_answers_nothing(db: None, tmp_path: Path, damage: str, mode: Mode) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    statement, reason = DAMAGE[damage]
    with connection.cursor() as cursor:
        cursor.execute(statement)
    with pytest.raises(IndexDamaged, match=reason):
        factories.ask("meals", mode=mode)


# Ranking


@pytest.mark.parametrize(
    "pair",
    [
        ([1.0, 0.0], [1.0]),
        ([0.0, 0.0], [1.0, 0.0]),
        ([1.0, 0.0], [np.nan, 1.0]),
        ([np.inf, 1.0], [1.0, 1.0]),
    ],
)
def test_cosine_of_what_has_none_is_an_error(pair: tuple[list[float], list[float]]) -> None:
    with pytest.raises(InvalidVector):
        cosine(np.array(pair[0]), np.array(pair[1]))


def test_cosine_is_clamped() -> None:
    vector = np.full(7, 0.1)
    assert cosine(vector, vector) == 1.0
    assert cosine(vector, -vector) == -1.0


def test_rrf_fuses_two_rankings() -> None:
    texts = [
        Text("a", "gamma", (1.0, 0.0)),
        Text("b", "alpha beta", (0.9, 0.5)),
        Text("c", "alpha", (0.8, 0.7)),
    ]
    hits = handmade.found(texts, handmade.question("alpha beta"), HYBRID)
    assert [(label, round(hit.rank, 5)) for label, hit in hits] == [
        ("b#0", 0.03252),
        ("c#0", 0.032),
    ]
    assert round(reciprocal_rank_fusion([[0, 1, 2], [1, 2]])[0], 5) == 0.01639


def letters(number: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in f"{number:03}") * 2


def test_rrf_is_uncut() -> None:
    others = [f"o{number:02}" for number in range(58)]
    dense = [*others[:24], "y", *others[24:], "x"]
    lexical = [others[0], "x", *others[1:23], "y", *others[23:]]
    words = [letters(number) for number in range(60)]
    texts = [
        Text(
            name,
            " ".join(words[lexical.index(name) :]),
            (100.0 - dense.index(name), float(dense.index(name))),
        )
        for name in sorted(dense)
    ]
    asked = handmade.question(" ".join(words))
    ranks = {
        label: hit.rank for label, hit in handmade.found(texts, asked, Options(policy=RRF, k=60))
    }
    assert round(ranks["x#0"], 5) == 0.02446
    assert round(ranks["y#0"], 5) == 0.02353


@pytest.mark.parametrize(
    ("vector", "text", "kept"),
    [
        ((59.0, 6519**0.5), "a permit", False),
        ((61.0, 6279**0.5), "a form", False),
        ((3.0, 4.0), "a permit", True),  # exactly 3/5
    ],
)
def test_gate_wants_cosine_and_overlap(vector: tuple[float, ...], text: str, kept: bool) -> None:
    options = Options(policy=RRF, min_cosine=0.6)
    hits = handmade.labels([Text("a", text, vector)], handmade.question("permit"), options)
    assert hits == (["a#0"] if kept else [])


def test_three_of_five_excerpts_are_used_in_order_of_chunk_id() -> None:
    texts = [Text(name, "permit") for name in "edcba"]
    hits = handmade.labels(texts, handmade.question("permit"), HYBRID)
    excerpts = [handmade.excerpt("permit", document=label) for label in hits]
    kept = [excerpt.source_id for excerpt in admissible("permit", excerpts)]
    assert kept == ["a#0", "b#0", "c#0"]


@pytest.mark.parametrize("value", [float("nan"), -1.1, 1.1])
def test_an_impossible_threshold_is_refused(settings: Settings, value: float) -> None:
    with pytest.raises(InvalidOption, match="min_cosine"):
        Options(min_cosine=value)
    settings.EVIDENCE_MIN_COSINE = value
    with pytest.raises(InvalidOption, match="min_cosine"):
        min_cosine(factories.parts())


# Answers


def test_no_hit_is_refused_without_asking_a_proposer(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    proposer = fakes.quoting(("S1", RULE))
    factories.rebuild()
    nobody = factories.access()
    asked = factories.ask("meals", nobody, using=fakes.FakeParts(proposer=proposer))
    assert asked.answer.text == NO_EXCERPTS
    assert proposer.asked == []


EXCERPT = handmade.excerpt(f"{RULE} {OTHER}", 100, "SOURCE", alias="SOURCE#0")
GOOD = Piece("SOURCE#0", RULE)

REFUSED: dict[str, tuple[Proposal | None, str]] = {
    "invented id": (Proposal(True, (Piece("INVENTED#0", RULE),)), INVALID),
    "word changed": (Proposal(True, (Piece("SOURCE#0", RULE.replace("Meals", "Meal")),)), INVALID),
    "19 characters": (Proposal(True, (Piece("SOURCE#0", RULE[:19]),)), INVALID),
    "20 blanks": (Proposal(True, (Piece("SOURCE#0", " " * 20),)), INVALID),
    "null piece": (Proposal(True, (GOOD, None)), INVALID),
    "same twice": (Proposal(True, (GOOD, GOOD)), INVALID),
    "cannot answer": (Proposal(False, (GOOD,)), UNSUPPORTED),
    "no evidence": (Proposal(True, ()), UNSUPPORTED),
    "four pieces": (Proposal(True, (GOOD,) * 4), UNSUPPORTED),
    "no proposal": (None, UNSUPPORTED),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_proposal_that_is_not_exactly_right_is_refused(case: str) -> None:
    proposal, reason = REFUSED[case]
    assert gate(proposal, [EXCERPT], lambda supplied: True).text == reason


def test_the_published_text_is_labels_and_quotations_alone() -> None:
    proposal = Proposal(True, (Piece("SOURCE#0", OTHER), GOOD))
    verdict = gate(proposal, [EXCERPT], lambda supplied: True)
    assert verdict.text == f"[SOURCE#0] {OTHER}\n[SOURCE#0] {RULE}"


def test_a_source_withdrawn_while_the_proposer_works_is_not_cited(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()

    def answer(supplied: Any) -> Proposal:
        withdraw("a", actor="op", reason="wrong")
        return Proposal(True, (Piece("S1", RULE),))

    asked = factories.ask("meals", using=fakes.FakeParts(proposer=fakes.FakeProposer(answer)))
    assert asked.answer.text == INVALID


@pytest.mark.parametrize("mode", CHAT_MODES)
def test_no_hit_is_refused_without_constructing_a_chat_client(
    db: None, tmp_path: Path, mode: AnswerMode
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    asked = factories.ask("meals", factories.access(), using=chatting.parts(None, mode))
    assert asked.answer.text == NO_EXCERPTS


def test_tool_mode_without_the_call_is_refused(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    model = FakeChat([quotes(("S1", RULE))])
    answer = factories.ask("meals", using=chatting.parts(model, AnswerMode.TOOL)).answer
    assert (answer.text, answer.retrieval_calls) == (UNSUPPORTED, 0)


def test_provider_mode_injects_the_excerpts_once_without_a_history(
    db: None, tmp_path: Path
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    embedder, model = fakes.FakeEmbedder(), FakeChat([quotes(("S1", RULE))])
    answering = chatting.answering(model, AnswerMode.PROVIDER)
    using = fakes.FakeParts(embedder=embedder, answering=answering)
    for question in ("meals for zebras", "meals for lions"):
        assert factories.ask(question, using=using).answer.retrieval_calls == 1
    assert embedder.questions[-2:] == ["meals for zebras", "meals for lions"]
    assert [turn.text.count(RULE) for turn in model.turns] == [1, 1]
    assert "zebras" not in model.turns[1].text


@pytest.mark.parametrize(
    ("day", "eligible"),
    [
        (date(2025, 12, 31), False),
        (date(2026, 1, 1), True),
        (date(2026, 10, 22), True),
        (date(2026, 10, 23), False),
    ],
)
def test_both_ends_of_a_window_are_in_force(
    db: None, tmp_path: Path, day: date, eligible: bool
) -> None:
    factories.import_text(tmp_path, "a", RULE, valid_until="2026-10-22")
    factories.rebuild()
    found = factories.search("meals", factories.access("public", as_of=day))
    assert bool(found.hits) is eligible


# The corpus


def test_a_product_that_nobody_wrote_about_is_refused(db: None) -> None:
    demo.prepare(EXAMPLES, factories.parts())
    factories.rebuild()
    proposer = fakes.FakeProposer(lambda supplied: None)
    who = factories.access("public", as_of=date(2026, 10, 1))
    using = fakes.FakeParts(proposer=proposer, answering=chatting.answering(None))
    question = "How often must the GX-999 be calibrated?"
    asked = factories.ask(question, who, using=using, mode=Mode.LEXICAL)
    assert asked.found.hits
    assert (asked.answer.text, proposer.asked) == (NO_EXCERPTS, [])
    assert (asked.answer.chat_calls, asked.verdict.facts) == (0, ())
    known = factories.ask("What is the weight of the GX-100?", who, mode=Mode.LEXICAL)
    assert [each.line for each in known.verdict.facts] == ["[ACME-PRODUCTS] GX-100 weight: 1.2 kg"]
    assert Revision.objects.filter(kind="text").count() == 15
    products = Revision.objects.exclude(product="").values_list("product", flat=True)
    assert set(products) == {"GX-100", "GX-200"}


def test_the_demo_done_twice_resets_nothing(db: None) -> None:
    first = demo.prepare(EXAMPLES, factories.parts())
    factories.rebuild()
    revoke("hr", group="people-team")
    withdraw("ACME-TRAVEL", actor="admin", reason="outdated")
    people = list(User.objects.order_by("pk").values_list("username", "password"))
    again = demo.prepare(EXAMPLES, factories.parts())
    report = factories.rebuild()
    assert (len(first.passwords), again.passwords) == (len(people), {})
    assert list(User.objects.order_by("pk").values_list("username", "password")) == people
    assert [report.imported for report in again.imports.values()] == [[], [], []]
    assert (report.embedded, report.approved) == (0, [])
    assert list(Grant.objects.values_list("scope__name", flat=True)) == ["public"]
    assert Revision.objects.get(source__source_id="ACME-TRAVEL").state == "withdrawn"


def test_an_unchanged_corpus_keeps_its_manifest(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    first = factories.rebuild()
    again = factories.rebuild()
    assert again.manifest == first.manifest
    assert (again.embedded, again.reused, again.removed) == (0, 1, 0)
    assert Manifest.objects.count() == 1


def test_probe_gives_the_cosines_of_all_eligible_rows(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "near", RULE)
    factories.import_text(tmp_path, "far", "Entirely unrelated words stand here.")
    factories.import_text(tmp_path, "hidden", RULE, scope="hr")
    factories.rebuild()
    found = probe_cosines(RULE, factories.access("public"), Selection(), factories.parts())
    assert factories.labels(found) == ["near#0", "far#0"]
    question = HashingEmbedder().embed_query(RULE)
    rows = {row.label: at for at, row in enumerate(snapshots.current_snapshot().rows)}
    matrix = snapshots.current_snapshot().matrix
    assert [hit.cosine for hit in found.hits] == [
        cosine(matrix[rows[hit.label]], question) for hit in found.hits
    ]


def test_no_difference_is_left_after_a_rebuild(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    assert check(factories.parts()) == ["There is no index yet. Run: manage.py rebuild"]
    factories.rebuild()
    assert check(factories.parts()) == []
