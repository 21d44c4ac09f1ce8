"""Product facts in answers: equal to what is stored and served at the moment of the gate."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from rag.actions.asking import Asked, decide
from rag.actions.governing import erase, withdraw
from rag.core.answers import INVALID, NO_EXCERPTS, UNSUPPORTED, Proposal
from rag.core.errors import IndexDamaged, SourceDamaged
from rag.core.retrieval import Options
from rag.core.sources import Selection, Status
from rag.models import Answer, FactCitation, ProductFact, Revision
from tests import factories, fakes

GX = '[products.GX-100]\nweight = "1.2 kg"\nbattery_life = "14 hours"'
MANUAL = "The GX-100 has a weight of 1.2 kg and is carried on a strap."
QUESTION = "What is the weight of the GX-100?"
LINE = "[gx] GX-100 weight: 1.2 kg"


class FakeUnasked(fakes.FakeProposer):
    """A proposer, and a judge, that nobody may ask."""

    def __init__(self) -> None:
        super().__init__(lambda supplied: None)

    def relevance(self, question: str, excerpts: Any) -> Any:
        raise AssertionError("the judge was asked")

    def propose(self, question: str, supplied: Any) -> Any:
        raise AssertionError("the proposer was asked")


UNASKED: Any = fakes.FakeParts(proposer=FakeUnasked())


@pytest.fixture
def gx(db: None, tmp_path: Path) -> Revision:
    revision = factories.import_facts(tmp_path, "gx", GX)
    factories.rebuild()
    return revision


def stated(asked: Asked) -> list[tuple[str, str, str]]:
    return [(f.source_id, f.fact.name, f.fact.value) for f in asked.verdict.facts]


def test_a_fact_alone_is_an_answer_and_is_recorded(gx: Revision) -> None:
    asked = factories.ask(QUESTION, using=UNASKED)
    assert (asked.answer.status, asked.answer.text) == ("accepted", LINE)
    [row] = FactCitation.objects.filter(answer=asked.answer)
    assert (row.product, row.name, row.value) == ("GX-100", "weight", "1.2 kg")
    assert (row.revision, row.source_sha256) == (gx, gx.source_sha256)


def test_facts_stand_before_quotations(gx: Revision, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "manual", MANUAL)
    factories.rebuild()
    using = fakes.FakeParts(proposer=fakes.quoting(("S1", MANUAL)))
    assert factories.ask(QUESTION, using=using).answer.text == f"{LINE}\n[manual#0] {MANUAL}"


def test_a_refused_proposal_takes_no_fact_away(gx: Revision, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "manual", MANUAL)
    factories.rebuild()
    using = fakes.FakeParts(proposer=fakes.quoting(("S1", MANUAL.replace("1.2", "9.9"))))
    assert factories.ask(QUESTION, using=using).answer.text == LINE


HOW: Final = "How do I reduce the weight of the GX-100?"


def test_a_fact_that_is_not_what_was_asked_stands_beside_quotations_alone(
    gx: Revision, tmp_path: Path
) -> None:
    assert factories.ask(HOW, using=UNASKED).answer.text == NO_EXCERPTS
    how = "The weight of the GX-100 is reduced by taking its strap off."
    factories.import_text(tmp_path, "manual", how)
    factories.rebuild()
    using = fakes.FakeParts(proposer=fakes.quoting(("S1", how)))
    assert factories.ask(HOW, using=using).answer.text == f"{LINE}\n[manual#0] {how}"
    silent = factories.ask(HOW, using=fakes.FakeParts(proposer=fakes.FakeProposer(lambda s: None)))
    assert (silent.answer.text, stated(silent)) == (UNSUPPORTED, [])


def test_a_code_of_another_kind_is_not_answered_by_the_fact_alone(
    gx: Revision, tmp_path: Path
) -> None:
    factories.import_text(tmp_path, "valve", "Valve QX-4471 closes by itself on the plate.")
    factories.rebuild()
    using = fakes.FakeParts(proposer=fakes.FakeProposer(lambda s: None))
    asked = factories.ask("What is the weight of the GX-100 and of QX-4471?", using=using)
    assert (asked.answer.text, stated(asked)) == (UNSUPPORTED, [])


def withdraw_gx() -> None:
    withdraw("gx", actor="op", reason="wrong")


def end_the_window() -> None:
    Revision.objects.filter(source__source_id="gx").update(valid_until="2026-02-01")


@pytest.mark.parametrize("act", [withdraw_gx, end_the_window])
def test_a_fact_no_longer_served_at_the_gate_is_refused(
    gx: Revision, tmp_path: Path, act: Callable[[], None]
) -> None:
    factories.import_text(tmp_path, "manual", MANUAL)
    factories.rebuild()

    def answer(supplied: Any) -> Proposal | None:
        act()
        return fakes.quoting(("S1", MANUAL)).answer(supplied)

    asked = factories.ask(QUESTION, using=fakes.FakeParts(proposer=fakes.FakeProposer(answer)))
    assert (asked.answer.text, asked.verdict.facts) == (INVALID, ())


def test_a_fact_altered_behind_the_sites_back_is_an_error(gx: Revision) -> None:
    ProductFact.objects.filter(name="weight").update(value="9.9 kg")
    with pytest.raises(IndexDamaged, match="a product fact is not what its source states"):
        factories.ask(QUESTION, using=UNASKED)
    Revision.objects.filter(pk=gx.pk).update(text=gx.text.replace("1.2", "9.9"))
    with pytest.raises(SourceDamaged):
        factories.ask(QUESTION, using=UNASKED)
    assert not Answer.objects.exists()


# Unknown and forbidden


@pytest.mark.parametrize("question", ["What is the weight of the {}?", "Is {} as heavy as GX-100?"])
def test_unknown_and_forbidden_codes_are_refused_alike_and_nobody_is_asked(
    gx: Revision, tmp_path: Path, question: str
) -> None:
    factories.import_text(tmp_path, "manual", MANUAL)
    factories.import_facts(tmp_path, "secret", GX.replace("GX-100", "QX-900"), scope="hr")
    factories.rebuild()
    told = []
    for code in ("QX-900", "ZX-901"):
        asked = factories.ask(question.format(code), using=UNASKED)
        hits = [(h.label, h.lexical) for h in asked.found.hits]  # the vector is that of the code
        told.append((asked.answer.text, asked.answer.reason_code, hits, asked.found.notice))
    assert told[0] == told[1]
    assert told[0][0] == NO_EXCERPTS


def test_an_unknown_code_beside_a_known_one_refuses_the_fact_too(gx: Revision) -> None:
    asked = factories.ask("What is the weight of the GX-100 and the GX-999?", using=UNASKED)
    assert (asked.answer.text, stated(asked)) == (NO_EXCERPTS, [])


def test_a_code_that_a_document_uses_is_no_product_code(gx: Revision, tmp_path: Path) -> None:
    text = "Valve QX-4471 closes at a weight of 16 kg on the plate."
    factories.import_text(tmp_path, "valve", text)
    factories.rebuild()
    using = fakes.FakeParts(proposer=fakes.quoting(("S1", text)))
    alone = factories.ask("At which weight does QX-4471 close?", using=using)
    assert alone.answer.text == f"[valve#0] {text}"
    both = factories.ask("What is the weight of the GX-100 beside QX-4471?", using=using)
    assert both.answer.text == f"{LINE}\n[valve#0] {text}"


# Day, archive, product, conflicts


def test_the_day_asked_for_decides(gx: Revision) -> None:
    early = factories.access("public", as_of=factories.TODAY.replace(year=2025))
    assert factories.ask(QUESTION, early, using=UNASKED).answer.text == NO_EXCERPTS


def test_what_a_question_is_narrowed_to_is_the_product_of_the_fact(gx: Revision) -> None:
    for product, found in (("GX-100", True), ("GX-200", False)):
        asked = factories.ask(QUESTION, selection=Selection(product=product), using=UNASKED)
        assert asked.verdict.accepted is found


def test_the_archive_is_marked(gx: Revision) -> None:
    archive = Selection(statuses=frozenset(Status))
    asked = factories.ask(QUESTION, selection=archive, using=UNASKED)
    assert asked.fact_warnings == (("not in force",),)


def test_two_sources_that_state_other_values_are_both_given(gx: Revision, tmp_path: Path) -> None:
    factories.import_facts(tmp_path, "other", '[products.GX-100]\nweight = "1.3 kg"')
    factories.rebuild()
    asked = factories.ask(QUESTION, using=UNASKED)
    assert stated(asked) == [("gx", "weight", "1.2 kg"), ("other", "weight", "1.3 kg")]
    assert asked.fact_warnings == (("sources disagree",), ("sources disagree",))


def test_an_unrecorded_answer_has_the_same_facts(gx: Revision) -> None:
    who = factories.access("public")
    decision = decide(QUESTION, who, Selection(), Options(), UNASKED)
    assert decision.verdict.text == LINE
    assert not Answer.objects.exists()


def test_erasing_the_source_takes_the_words_out_of_the_record(gx: Revision) -> None:
    asked = factories.ask("Weight and battery life of the GX-100?", using=UNASKED)
    assert len(asked.verdict.facts) == 2
    erase("gx", actor="op", reason="request")
    answer = Answer.objects.get()
    shas = answer.facts.order_by("position").values_list("fact_sha256", flat=True)
    assert answer.text.split("\n") == [f"[gx] (erased; SHA-256 {sha})" for sha in shas]
    assert not answer.facts.exclude(product="", name="", value="").exists()
