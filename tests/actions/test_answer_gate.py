"""The answer gate on the way of a question: when it is asked, and what it sees."""

from pathlib import Path
from typing import Any, Final

import pytest

from rag.actions import asking, recording
from rag.core.answerability import FIGURES, Gate
from rag.core.answers import UNSUPPORTED
from rag.core.retrieval import Mode, Options
from tests import factories, fakes

pytestmark = pytest.mark.django_db
RULE: Final = "Meals on business trips are reimbursed up to EUR 52 per day."
BEFORE: Final = Gate("before", (("first", 1.0),), bias=-1e3)
AFTER: Final = Gate("after", (("first", 1.0), ("sentence", 1.0)), bias=-1e3)
SECRET: Final = "Meals need a receipt."


@pytest.fixture(autouse=True)
def index(tmp_path: Path) -> None:
    factories.import_text(tmp_path, "meals", RULE)
    factories.rebuild()


def decided(gate: Gate, *scopes: str, using: Any = None, **options: Any) -> recording.Decision:
    parts: Any = using or fakes.FakeParts(proposer=factories.parts().proposer)
    parts.gate = gate
    access = factories.access(*scopes or ("public",))
    return asking.decide(RULE, access, factories.EVERYTHING, Options(**options), parts)


@pytest.mark.parametrize(("gate", "proposals"), [(BEFORE, 0), (AFTER, 1)])
def test_no_proposer_is_asked_where_the_refusal_is_known_before(gate: Gate, proposals: int) -> None:
    using = fakes.FakeParts(proposer=fakes.quoting(("S1", RULE)))
    verdict = decided(gate, using=using).verdict
    assert (verdict.text, verdict.reason_code) == (UNSUPPORTED, "unsupported")
    assert len(using.proposer.asked) == proposals


def test_a_gate_that_passes_changes_no_answer() -> None:
    wide = Gate("wide", tuple((name, 1.0) for name in FIGURES), bias=1e3)
    assert decided(wide).verdict.text == f"[meals#0] {RULE}"


def test_hidden_documents_move_no_figure(tmp_path: Path) -> None:
    before = decided(AFTER).support
    factories.import_text(tmp_path, "secret", SECRET, scope="hr")
    factories.rebuild()
    assert decided(AFTER).support == before
    assert decided(AFTER, "public", "hr").support != before


def test_without_a_hit_there_is_nothing_to_weigh() -> None:
    assert decided(AFTER, "nowhere").support is None


def test_words_alone_have_no_cosine() -> None:
    found = decided(AFTER, mode=Mode.LEXICAL).support
    assert found is not None
    assert (found.cosine, found.coverage) == (None, 1.0)
