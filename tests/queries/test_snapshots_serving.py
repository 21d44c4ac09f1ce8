"""While a new index is loaded the old one serves, but only what a correct index would answer."""

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from rag.actions import searching
from rag.actions.governing import approve, withdraw
from rag.actions.searching import Found
from rag.core.chunks import Sections
from rag.core.errors import IndexMismatch
from rag.core.retrieval import Mode
from rag.models import Passage, Revision
from rag.queries import snapshots
from tests import factories, fakes
from tests.actions.test_exchanged_model import FakeSuccessor
from tests.queries.loads import FakeSlowLoad, Requests

MEALS = "Meals on business trips are reimbursed up to EUR 52 per day."
HOTEL = "Hotels on business trips are booked through the travel desk."
TRAIN = "Trains on business trips are booked in second class."
QUESTION = "business trips"


@pytest.fixture
def site(load: FakeSlowLoad, tmp_path: Path) -> Path:
    """Two sources, indexed and held by this process; every load after that is held up."""
    factories.import_text(tmp_path, "meals", MEALS)
    factories.import_text(tmp_path, "hotel", HOTEL)
    factories.rebuild()
    factories.search(QUESTION)
    load.hold_up()
    return tmp_path


def manifest() -> str:
    """The digest of the index in the tables."""
    return snapshots.stored_manifest()[0].digest


def rebuild_with(folder: Path, source: str, text: str, **front: Any) -> Revision:
    """Import one more text and rebuild: a new index that this process does not hold."""
    before = snapshots.stored_generation()
    revision = factories.import_text(folder, source, text, **front)
    factories.rebuild()
    assert snapshots.stored_generation() != before
    return revision


# Served at once


def test_a_search_during_loading_is_served_from_the_old_index(
    site: Path, load: FakeSlowLoad
) -> None:
    old = manifest()
    rebuild_with(site, "train", TRAIN, approve=False)
    during = factories.search(QUESTION)
    assert load.has_begun()
    load.finish()
    after = factories.search(QUESTION)
    assert (during.manifest, after.manifest) == (old, manifest())
    assert during.hits == after.hits and len(during.hits) == 2


def test_an_answer_is_recorded_with_the_index_that_served(site: Path, load: FakeSlowLoad) -> None:
    old = manifest()
    rebuild_with(site, "train", TRAIN, approve=False)
    asked = factories.ask("Are meals reimbursed?", using=factories.parts())
    assert asked.answer.text == f"[meals#0] {MEALS}"
    load.finish()
    again = factories.ask("Are meals reimbursed?", using=factories.parts())
    assert (asked.answer.manifest, again.answer.manifest) == (old, manifest())


def test_a_withdrawn_source_is_gone_although_the_old_index_serves(
    site: Path, load: FakeSlowLoad
) -> None:
    withdraw("hotel", actor="op", reason="outdated")
    factories.rebuild()
    assert not Passage.objects.filter(text__contains="Hotels").exists()
    during = factories.search(QUESTION)
    assert load.has_begun()
    load.finish()
    assert factories.labels(during) == ["meals#0"]
    assert during.hits == factories.search(QUESTION).hits


def test_what_was_in_force_on_another_day_is_served_from_the_old_index(
    site: Path, load: FakeSlowLoad
) -> None:
    rebuild_with(site, "meals", MEALS.replace("52", "60"), valid_from="2026-03-01")
    winter = factories.access("public", as_of=date(2026, 2, 1))
    found = factories.search("meals", winter)
    assert load.has_begun()
    assert [hit.text for hit in found.hits][:1] == [MEALS]


def test_a_facts_file_is_no_reason_to_wait(site: Path, load: FakeSlowLoad) -> None:
    factories.import_facts(site, "gx", "[products.GX-100]\nbar = 16")
    factories.rebuild()
    assert len(factories.search(QUESTION).hits) == 2
    assert load.has_begun()


@pytest.mark.parametrize("mode", list(Mode))
def test_hidden_documents_change_no_byte_while_the_old_index_serves(
    site: Path, load: FakeSlowLoad, mode: Mode
) -> None:
    for source in ("secret/a", "secret/b"):
        factories.import_text(site, source, f"{TRAIN} {source}", scope="hr")
    factories.rebuild()
    factories.search(QUESTION)
    load.finish()
    before = factories.search(QUESTION, mode=mode)
    load.hold_up()
    withdraw("secret/a", actor="op", reason="outdated")
    rebuild_with(site, "secret/b", HOTEL, scope="hr", valid_from="2026-02-01")
    during = factories.search(QUESTION, mode=mode)
    load.finish()
    after = factories.search(QUESTION, mode=mode)
    assert repr(before.hits) == repr(during.hits) == repr(after.hits)
    assert during.manifest == before.manifest != after.manifest


# Waiting for the new one


def waits(load: FakeSlowLoad, requests: Requests, **search: Any) -> Found:
    """What a search finds that must not be answered before the new index is loaded."""
    request = requests.start(lambda: factories.search(QUESTION, **search))
    assert load.has_begun()
    assert not request.done()
    load.finish()
    return request.result()


def test_a_source_approved_by_the_rebuild_is_found_at_once(
    site: Path, load: FakeSlowLoad, requests: Requests
) -> None:
    rebuild_with(site, "train", TRAIN)
    found = waits(load, requests)
    assert sorted(factories.labels(found)) == ["hotel#0", "meals#0", "train#0"]
    assert found.manifest == manifest()


def test_a_source_approved_while_the_old_index_serves_is_found_at_once(
    site: Path, load: FakeSlowLoad, requests: Requests
) -> None:
    train = rebuild_with(site, "train", TRAIN, approve=False)
    assert len(factories.search(QUESTION).hits) == 2
    approve(train.document_id, actor="op", shown_sha256=train.text_sha256)
    assert "train#0" in factories.labels(waits(load, requests))
    assert len(load.generations) == 2


def test_a_superseding_text_is_found_at_once(
    site: Path, load: FakeSlowLoad, requests: Requests
) -> None:
    new = MEALS.replace("52", "60")
    rebuild_with(site, "meals", new, valid_from="2026-03-01")
    texts = [hit.text for hit in waits(load, requests).hits]
    assert new in texts and MEALS not in texts


def test_who_may_not_read_the_new_source_does_not_wait(
    site: Path, load: FakeSlowLoad, requests: Requests
) -> None:
    rebuild_with(site, "train", TRAIN, scope="hr")
    both = requests.start(lambda: factories.search(QUESTION, factories.access("public", "hr")))
    assert load.has_begun()
    assert len(factories.search(QUESTION).hits) == 2
    assert not both.done()
    load.finish()
    assert len(both.result().hits) == 3


OTHERS = {
    "profile": lambda: fakes.FakeParts(embedder=fakes.FakeEmbedder(model="bag-of-words-v2")),
    "analyser": lambda: fakes.FakeParts(analyser="another-v2"),
    # These texts are cut alike, so nothing but the policy's id tells.
    "chunking": lambda: fakes.FakeParts(chunker=Sections(500)),
}


@pytest.mark.parametrize("using", OTHERS.values(), ids=OTHERS)
@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.LEXICAL])
def test_an_index_that_was_made_otherwise_is_waited_for(
    site: Path, load: FakeSlowLoad, requests: Requests, using: Any, mode: Mode
) -> None:
    factories.rebuild(using())
    found = waits(load, requests, using=using(), mode=mode)
    assert found.manifest == manifest()
    assert len(found.hits) == 2


def test_the_old_index_does_not_hide_that_the_new_one_was_made_by_another_model(
    site: Path, load: FakeSlowLoad
) -> None:
    factories.rebuild(OTHERS["profile"]())
    load.let.set()
    with pytest.raises(IndexMismatch, match="model"):
        factories.search(QUESTION)


def test_vectors_of_another_epoch_are_waited_for(
    site: Path, load: FakeSlowLoad, requests: Requests
) -> None:
    def exchanged() -> Any:
        searching._checked.clear()
        return fakes.FakeParts(embedder=FakeSuccessor())

    factories.rebuild(exchanged())
    found = waits(load, requests, using=exchanged())
    assert (found.manifest, len(found.hits)) == (manifest(), 2)
