"""Approving, succession, withdrawing and erasing, as the next search shows them."""

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from rag.actions.asking import Asked
from rag.actions.checking import check
from rag.actions.governing import approve, erase, left_closed, withdraw
from rag.core.errors import InvalidFile, NotAllowed, NotFound
from rag.core.hits import Hit
from rag.core.retrieval import Mode
from rag.models import Answer, Attribute, Chunk, Citation, Passage, ProductFact, Revision
from tests import factories

OLD = "Meals on business trips are reimbursed up to EUR 45 per day."
NEW = "Meals on business trips are reimbursed up to EUR 52 per day."
HOTEL = "Hotels are booked through the travel desk and nowhere else."


def served(day: date = factories.TODAY) -> list[str]:
    """The texts that a search about meals gives on that day."""
    found = factories.search("meals", factories.access("public", as_of=day), mode=Mode.LEXICAL)
    return [hit.text for hit in found.hits]


def pending(folder: Path, source: str = "a", text: str = OLD, **front: str) -> Revision:
    """A revision that is indexed and waits for its approval."""
    revision = factories.import_text(folder, source, text, approve=False, **front)
    factories.rebuild()
    return revision


# Approval


def test_an_approval_takes_effect_at_once(db: None, tmp_path: Path) -> None:
    revision = pending(tmp_path)
    assert served() == []
    done = approve(revision.document_id, actor="op", shown_sha256=revision.text_sha256)
    assert served() == [OLD]
    assert (done.state, done.approved_by, done.valid_from) == ("approved", "op", date(2026, 1, 1))


def test_an_approval_of_another_text_is_refused(db: None, tmp_path: Path) -> None:
    revision = pending(tmp_path)
    with pytest.raises(NotAllowed, match="not the text that was shown"):
        approve(revision.document_id, actor="op", shown_sha256="0" * 64)
    assert served() == []


def test_what_is_not_indexed_cannot_be_approved(db: None, tmp_path: Path) -> None:
    revision = factories.import_text(tmp_path, "a", OLD, approve=False)
    with pytest.raises(NotAllowed, match="not indexed yet"):
        approve(revision.document_id, actor="op", shown_sha256=revision.text_sha256)


def test_an_approval_by_nobody_is_refused(db: None, tmp_path: Path) -> None:
    revision = pending(tmp_path)
    factories.user("gone", active=False)
    for actor in ("gone", "nobody"):
        with pytest.raises(NotFound, match="no user"):
            approve(revision.document_id, actor=actor, shown_sha256=revision.text_sha256)


def test_an_unknown_document_cannot_be_approved(db: None) -> None:
    with pytest.raises(NotFound, match="no revision 'x'"):
        approve("x", actor="op", shown_sha256="")


def test_an_approval_without_a_window_begins_today(db: None, tmp_path: Path) -> None:
    revision = factories.import_text(tmp_path, "a", OLD, valid_from=None, approve=False)
    factories.rebuild()
    done = approve(revision.document_id, actor="op", shown_sha256=revision.text_sha256)
    assert done.approved_at is not None
    assert done.valid_from == done.approved_at.date()


def test_an_approval_that_would_never_be_in_force_is_refused(db: None, tmp_path: Path) -> None:
    revision = factories.import_text(
        tmp_path, "a", OLD, valid_from=None, valid_until="2026-01-31", approve=False
    )
    factories.rebuild()
    with pytest.raises(NotAllowed):
        approve(revision.document_id, actor="op", shown_sha256=revision.text_sha256)


# Succession


def test_a_successor_closes_its_predecessor_the_day_before(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", OLD)
    factories.rebuild()
    factories.import_text(tmp_path, "a", NEW, valid_from="2026-03-01")
    factories.rebuild()
    old, new = Revision.objects.order_by("pk")
    assert (old.status, old.valid_until) == ("superseded", date(2026, 2, 28))
    assert (new.status, new.valid_until) == ("current", None)
    assert (served(date(2026, 2, 28)), served(date(2026, 3, 1))) == ([OLD], [NEW])


def test_a_future_successor_leaves_today_s_rule_in_force(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", OLD)
    factories.import_text(tmp_path, "a", NEW, valid_from="2027-01-01")
    factories.rebuild()
    assert served() == [OLD]
    assert (served(date(2026, 12, 31)), served(date(2027, 1, 1))) == ([OLD], [NEW])


def test_a_rule_replaced_on_its_first_day_is_never_served(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", OLD)
    factories.rebuild()
    factories.import_text(tmp_path, "a", NEW)
    factories.rebuild()
    assert (served(date(2026, 1, 1)), served(date(2025, 12, 31))) == ([NEW], [])


def test_requested_approvals_are_carried_out_oldest_window_first(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", NEW, valid_from="2026-03-01")
    factories.import_text(tmp_path, "a", OLD)
    factories.rebuild()
    assert (served(date(2026, 2, 28)), served(date(2026, 3, 1))) == ([OLD], [NEW])
    assert Revision.objects.get(valid_from="2026-01-01").status == "superseded"


def test_another_source_is_not_closed(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", OLD)
    factories.import_text(tmp_path, "b", NEW, valid_from="2026-03-01")
    factories.rebuild()
    assert sorted(served()) == [OLD, NEW]


def test_superseded_without_an_end_stays_in_the_archive(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", OLD, status="superseded")
    factories.rebuild()
    assert served(date(2026, 2, 1)) == []
    factories.import_text(tmp_path, "a", NEW, valid_from="2026-03-01")
    factories.rebuild()
    assert served(date(2026, 2, 1)) == []


# Withdrawal


def figures(found_in: list[Hit]) -> list[tuple[str, float | None, float | None, float]]:
    return [(hit.label, hit.cosine, hit.lexical, hit.rank) for hit in found_in]


@pytest.mark.parametrize("mode", list(Mode))
@pytest.mark.parametrize("act", [withdraw, erase])
def test_what_is_gone_leaves_no_trace_in_the_figures_of_the_rest(
    db: None, tmp_path: Path, mode: Mode, act: Callable[..., object]
) -> None:
    question = "Are meals and hotels reimbursed?"
    factories.import_text(tmp_path, "a", OLD)
    factories.import_text(tmp_path, "b", f"{HOTEL} Meals are another matter.")
    factories.rebuild()
    without = factories.search(question, mode=mode)
    factories.import_text(tmp_path, "0-bad", f"{NEW} Meals, meals, hotels. {HOTEL}", language="fr")
    factories.rebuild()
    assert figures(list(factories.search(question, mode=mode).hits)) != figures(list(without.hits))
    act("0-bad", actor="op", reason="wrong")
    after = factories.search(question, mode=mode)
    assert figures(list(after.hits)) == figures(list(without.hits))
    assert after.languages == without.languages == ("en",)


def test_one_revision_can_be_withdrawn_by_its_document_id(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", OLD)
    new = factories.import_text(tmp_path, "a", NEW, valid_from="2026-03-01")
    factories.rebuild()
    withdraw(new.document_id, actor="op", reason="wrong")
    assert (served(date(2026, 2, 28)), served(date(2026, 3, 1))) == ([OLD], [])


def test_a_withdrawn_draft_is_not_approved_by_the_next_rebuild(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", OLD)
    withdraw("a", actor="op", reason="wrong")
    assert factories.rebuild().approved == []
    assert served() == []


def test_a_rebuild_takes_what_was_withdrawn_out_of_the_index(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", OLD)
    factories.rebuild()
    withdraw("a", actor="op", reason="wrong")
    assert factories.rebuild().removed == 1
    assert (Chunk.objects.count(), Passage.objects.count()) == (0, 0)
    assert Revision.objects.get().text.endswith(OLD)


def test_a_withdrawn_text_does_not_come_back_by_import(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", OLD)
    factories.rebuild()
    withdraw("a", actor="op", reason="wrong")
    with pytest.raises(InvalidFile, match="was withdrawn; give the text a new version"):
        factories.import_text(tmp_path, "a", OLD)
    factories.import_text(tmp_path, "a", OLD, version="2")
    factories.rebuild()
    assert served() == [OLD]


@pytest.mark.parametrize("act", [withdraw, erase])
def test_a_reason_an_actor_and_a_source_are_needed(
    db: None, tmp_path: Path, act: Callable[..., object]
) -> None:
    factories.import_text(tmp_path, "a", OLD)
    with pytest.raises(NotAllowed, match="A reason is needed"):
        act("a", actor="op", reason="  ")
    with pytest.raises(NotFound, match="no user"):
        act("a", actor="nobody", reason="wrong")
    with pytest.raises(NotFound, match="no source 'b'"):
        act("b", actor="op", reason="wrong")


@pytest.mark.parametrize("act", [withdraw, erase])
def test_the_same_cannot_be_done_twice(
    db: None, tmp_path: Path, act: Callable[..., object]
) -> None:
    factories.import_text(tmp_path, "a", OLD)
    act("a", actor="op", reason="wrong")
    with pytest.raises(NotAllowed, match="already"):
        act("a", actor="op", reason="wrong")


# Erasure


def everything_stored() -> str:
    """What the tables hold of sources and answers, as one text."""
    models = (Revision, Attribute, Chunk, Passage, ProductFact, Answer, Citation)
    return "\n".join(str(row) for model in models for row in model.objects.values())


def answered(tmp_path: Path) -> Asked:
    factories.import_text(tmp_path, "a", NEW, title="Refunds", team="pearl")
    factories.import_text(tmp_path, "b", HOTEL)
    factories.rebuild()
    asked = factories.ask("What is reimbursed for meals on business trips per day?")
    assert asked.answer.text == f"[a#0] {NEW}"
    return asked


def test_erasing_removes_the_words_everywhere(db: None, tmp_path: Path) -> None:
    answered(tmp_path)
    erase("a", actor="op", reason="request")
    stored = everything_stored()
    assert not [word for word in ("52 per", "Refunds", "pearl") if word in stored]
    assert "travel desk" in stored


def test_an_erased_revision_keeps_its_hashes(db: None, tmp_path: Path) -> None:
    answered(tmp_path)
    before = Revision.objects.get(source__source_id="a")
    [after] = erase("a", actor="op", reason="request")
    assert (after.state, after.text, after.indexed) == ("erased", "", False)
    assert (after.document_id, after.source_sha256, after.text_sha256, after.source.scope) == (
        before.document_id,
        before.source_sha256,
        before.text_sha256,
        before.source.scope,
    )


def test_erasing_redacts_recorded_answers(db: None, tmp_path: Path) -> None:
    asked = answered(tmp_path)
    digest = asked.answer.citations.get().quote_sha256
    erase("a", actor="op", reason="request")
    answer = Answer.objects.get(pk=asked.answer.pk)
    assert answer.text == f"[a#0] (erased; SHA-256 {digest})"
    assert answer.citations.get().quote == ""


def test_an_erased_text_does_not_come_back_by_import(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", NEW)
    erase("a", actor="op", reason="request")
    with pytest.raises(InvalidFile, match="was erased; give the text a new version"):
        factories.import_text(tmp_path, "a", NEW)


def test_erasing_facts_removes_them(db: None, tmp_path: Path) -> None:
    factories.import_facts(tmp_path, "facts", '[products.GX]\nbar = "16"')
    factories.rebuild()
    assert ProductFact.objects.count() == 1
    erase("facts", actor="op", reason="request")
    assert ProductFact.objects.count() == 0


def test_an_index_is_whole_after_an_erasure(db: None, tmp_path: Path) -> None:
    answered(tmp_path)
    erase("a", actor="op", reason="request")
    assert check(factories.parts()) == []
    assert factories.labels(factories.search("hotels")) == ["b#0"]


def test_an_erasure_spares_the_same_words_of_another_source(db: None, tmp_path: Path) -> None:
    for name in ("a", "b"):
        factories.import_text(tmp_path, name, f"# Title\n\n{NEW}")
    factories.rebuild()
    assert Passage.objects.count() == 1
    erase("a", actor="op", reason="request")
    assert factories.labels(factories.search("meals")) == ["b#0"]


def test_a_predecessor_stays_closed_when_its_successor_is_withdrawn(
    db: None, tmp_path: Path
) -> None:
    old = factories.import_text(tmp_path, "a", OLD)
    factories.rebuild()
    new = factories.import_text(tmp_path, "a", NEW, valid_from="2026-03-01")
    factories.rebuild()
    withdrawn = withdraw(new.document_id, actor="op", reason="mistake")
    assert [revision.pk for revision in left_closed(withdrawn)] == [old.pk]
    assert served(date(2026, 2, 1)) == [OLD]
    assert served(date(2026, 6, 1)) == []
