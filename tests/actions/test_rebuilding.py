"""A rebuild is all or nothing, one at a time, repairs what is damaged, and is on record."""

import fcntl
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection
from pytest_django import Settings

from rag.actions import indexing, rebuilding
from rag.actions.checking import check
from rag.actions.governing import erase, withdraw
from rag.actions.planning import Plan
from rag.actions.publishing import Changes, changes
from rag.actions.rebuilding import rebuild
from rag.core.errors import Busy, Cancelled, IndexDamaged, IndexMismatch, InvalidVector
from rag.core.retrieval import Mode
from rag.core.rows import NO_ROWS, chunk_digests
from rag.models import AuditEvent, Chunk, Manifest, Passage, ProductFact, RebuildRun, Revision
from rag.queries.snapshots import stored_chunks
from tests import factories, fakes

RULE = "Meals on business trips are reimbursed up to EUR 52 per day."
PAST = date(2020, 1, 1)
HOTEL = "Hotels are booked through the travel desk and nowhere else."


def execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def test_a_second_rebuild_is_told_that_one_is_running(db: None, settings: Settings) -> None:
    with (settings.EVIDENCE_HOME / "rebuild.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(Busy, match="Another rebuild is running"):
            factories.rebuild()
    assert factories.rebuild().chunks == 0


def test_only_what_is_new_is_embedded(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    factories.import_text(tmp_path, "b", HOTEL)
    report = factories.rebuild()
    assert (report.chunks, report.embedded, report.reused) == (2, 1, 1)


def test_a_new_analyser_does_not_pay_for_vectors_again(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    embedder = fakes.FakeEmbedder()
    using = fakes.FakeParts(embedder=embedder, analyser="another-v2")
    assert factories.rebuild(using).manifest["analyser"] == "another-v2"
    assert embedder.batches == []
    assert factories.labels(factories.search("meals", using=using)) == ["a#0"]


DAMAGE = {
    "vector": "UPDATE rag_passage SET vector = zeroblob(1024)",
    "text": "UPDATE rag_passage SET text = 'other'",
    "chunk": "DELETE FROM rag_chunk",
    "offsets": "UPDATE rag_chunk SET end_char = end_char - 1",
    "terms": "UPDATE rag_passage SET terms = x'00'",
}


@pytest.mark.parametrize("statement", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_index_is_named_and_repaired_by_a_rebuild(
    db: None, tmp_path: Path, statement: str
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    execute(statement)
    with pytest.raises(IndexDamaged, match=r"Run: manage\.py rebuild"):
        factories.search("meals")
    factories.rebuild()
    assert check(factories.parts()) == []
    assert factories.labels(factories.search("meals", mode=Mode.LEXICAL)) == ["a#0"]


def test_a_rebuild_does_not_index_a_text_that_was_altered(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    execute("UPDATE rag_revision SET text = replace(text, '52', '99')")
    with pytest.raises(IndexDamaged, match="the text of a source does not match its SHA-256"):
        factories.rebuild()


class FakeExchanged(fakes.FakeEmbedder):
    """A model that is exchanged behind its name while sources are embedded."""

    def embed_batch(self, texts: Any, *, cancelled: Any, progress: Any) -> object:
        if self.batches:
            return self.inner.embed_batch(texts, cancelled=cancelled, progress=progress)[:, ::-1]
        return super().embed_batch(texts, cancelled=cancelled, progress=progress)


def test_a_model_exchanged_during_a_rebuild_publishes_nothing(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    factories.import_text(tmp_path, "b", HOTEL)
    with pytest.raises(IndexMismatch, match="canary"):
        factories.rebuild(fakes.FakeParts(embedder=FakeExchanged()))
    assert factories.labels(factories.search("meals hotels")) == ["a#0"]


def test_facts_follow_their_files(db: None, tmp_path: Path) -> None:
    factories.import_facts(tmp_path, "facts", '[products.GX]\nbar = 16\nname = "Pump"')
    factories.rebuild()
    rows = ProductFact.objects.values_list("product", "name", "value").order_by("name")
    assert list(rows) == [("GX", "bar", "16"), ("GX", "name", "Pump")]


def test_each_revision_carries_the_digest_of_its_chunks(db: None, tmp_path: Path) -> None:
    keys = [factories.import_text(tmp_path, name, f"{RULE} {name}").pk for name in ("a", "b", "c")]
    factories.rebuild()
    withdraw("a", actor="op", reason="over")
    Chunk.objects.update(section="Travel")
    factories.rebuild()
    digests = chunk_digests(stored_chunks())
    assert digests.whole == Manifest.objects.get().content["chunks_sha256"]
    stored = dict(Revision.objects.values_list("pk", "chunks_sha256"))
    assert stored == {keys[0]: "", keys[1]: digests.of(keys[1]), keys[2]: digests.of(keys[2])}
    assert NO_ROWS not in stored.values()


def test_an_empty_site_has_an_empty_index(db: None) -> None:
    assert factories.rebuild().chunks == 0
    factories.scope("public")
    assert factories.search("meals").hits == ()


def test_what_no_chunk_uses_any_more_goes_a_few_at_a_time(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b", "c", "d"):
        factories.import_text(tmp_path, name, f"{RULE} {name}")
    factories.rebuild()
    for name in ("a", "b", "c"):
        withdraw(name, actor="op", reason="over")
    monkeypatch.setattr(indexing, "PURGED_AT_ONCE", 2)
    monkeypatch.setattr(indexing, "PAUSE_SECONDS", 0)
    factories.rebuild()
    assert Passage.objects.get().text.endswith(f"{RULE} d")


def test_a_source_erased_just_before_publishing_is_planned_without(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    withdraw("a", actor="op", reason="over")
    factories.import_text(tmp_path, "b", HOTEL)

    attempts = []

    def found(planned: Plan) -> Changes:
        changed = changes(planned)
        attempts.append(changed.gone)
        if not Revision.objects.filter(state="erased").exists():
            erase("a", actor="op", reason="request")
        return changed

    monkeypatch.setattr(rebuilding, "changes", found)
    assert factories.rebuild().chunks == Chunk.objects.count() == 1
    assert [len(gone) for gone in attempts] == [1, 0]
    assert factories.labels(factories.search("meals hotels")) == ["b#0"]


def test_a_source_erased_meanwhile_is_planned_without(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.import_text(tmp_path, "b", HOTEL)

    def spoil(vectors: Any) -> object:
        if not Revision.objects.filter(state="erased").exists():
            erase("a", actor="op", reason="request")
        return vectors

    report = factories.rebuild(fakes.FakeParts(embedder=fakes.FakeEmbedder(spoil)))
    kept = Revision.objects.get(state="approved")
    assert (report.chunks, report.approved) == (1, [str(kept)])
    assert kept.source.source_id == "b"
    assert not Passage.objects.filter(text__contains="Meals").exists()


def test_a_cancelled_rebuild_leaves_the_index_and_keeps_its_vectors(
    db: None, tmp_path: Path
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    factories.import_text(tmp_path, "b", HOTEL)
    embedder = fakes.FakeEmbedder()
    using: Any = fakes.FakeParts(embedder=embedder)
    with pytest.raises(Cancelled) as caught:
        rebuild(
            using,
            cancelled=lambda: bool(embedder.batches),
            report=lambda stage, done, total: None,
        )
    sentence = "Stopped. The index is as it was; what was embedded is kept."
    assert str(caught.value) == sentence
    run = RebuildRun.objects.latest("pk")
    assert (run.outcome, run.error) == ("cancelled", sentence)
    assert factories.labels(factories.search("meals hotels")) == ["a#0"]
    report = factories.rebuild()
    assert (report.chunks, report.embedded, report.reused) == (2, 0, 2)


def test_an_approval_that_cannot_be_carried_out_is_reported(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE, version="1", valid_from=None, valid_until=PAST)
    factories.import_text(tmp_path, "b", HOTEL)
    report = factories.rebuild().to_dict()
    assert [name.partition(" ")[0] for name in report["approved"]] == ["b"]
    [sentence] = report["refused"]
    assert sentence == (
        "a version 1 would never be in force: its window ends on 2020-01-01. "
        "Import it under a new version that says valid_from."
    )
    assert Revision.objects.get(version="1").state == "pending"


def test_the_manifest_is_shown_without_canaries(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    shown = factories.rebuild().to_dict()["manifest"]
    content = Manifest.objects.get().content
    assert content.pop("canaries")
    assert shown == content | {"digest": factories.search("meals").manifest}


# The record of runs


def runs() -> list[tuple[str, str]]:
    return list(RebuildRun.objects.order_by("pk").values_list("outcome", "stage"))


def test_a_run_is_on_record_with_its_end(db: None, tmp_path: Path) -> None:
    RebuildRun.objects.create(stage="embed")
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    with pytest.raises(InvalidVector):
        Passage.objects.all().update(text="damaged")
        factories.rebuild(fakes.FakeParts(embedder=fakes.FakeEmbedder(lambda vectors: None)))
    assert runs() == [("interrupted", "embed"), ("done", "publish"), ("failed", "embed")]
    assert "not a list of vectors" in RebuildRun.objects.latest("pk").error


def test_a_run_that_ends_on_a_full_disk_is_failed(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: Any, **details: Any) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(AuditEvent, "save", fail)
    with pytest.raises(OperationalError):
        factories.rebuild()
    run = RebuildRun.objects.get()
    assert (run.outcome, run.error) == ("failed", "database or disk is full")
