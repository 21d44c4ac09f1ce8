"""A question in a script that the embedder never learnt is ranked by its words alone."""

from pathlib import Path
from typing import Any

import pytest

from rag.actions.searching import search_many
from rag.core.embeddings import HashingEmbedder
from rag.core.retrieval import Mode, Options
from rag.core.sources import Selection
from rag.models import Answer
from tests import factories
from tests.fakes import FakeEmbedder, FakeParts

ARABIC = "هل يجب تجديد الجواز؟"


def latin() -> FakeEmbedder:
    """Says of itself that it learnt Latin letters alone."""
    return FakeEmbedder(scripts=("LATIN",))


@pytest.fixture
def passports(db: None, tmp_path: Path) -> FakeParts:
    factories.import_text(tmp_path, "jawaz", "# الجواز\n\nيجب تجديد الجواز كل خمس سنوات.")
    factories.import_text(tmp_path, "passport", "# Passports\n\nA passport is renewed in time.")
    factories.rebuild()
    return FakeParts(embedder=latin())


def test_it_is_found_by_its_words_alone(passports: FakeParts) -> None:
    (hit,) = factories.search(ARABIC, using=passports).hits
    assert (hit.source_id, hit.cosine) == ("jawaz", None)


def test_a_question_that_it_can_read_is_ranked_by_both(passports: FakeParts) -> None:
    hits = factories.search("When is a passport renewed?", using=passports).hits
    assert hits[0].source_id == "passport"
    assert hits[0].cosine is not None


def test_many_questions_at_once_bring_what_each_brings_alone(passports: Any) -> None:
    asked = [ARABIC, "When is a passport renewed?", "passport"]
    alone = [factories.search(question, using=passports) for question in asked]
    access = factories.access("public")
    assert search_many(asked, access, Selection(), Options(), passports) == alone
    assert [found.hits[0].cosine is None for found in alone] == [True, False, False]


def test_who_asks_for_meaning_alone_gets_it(passports: FakeParts) -> None:
    hits = factories.search(ARABIC, using=passports, mode=Mode.DENSE).hits
    assert all(hit.cosine is not None for hit in hits)


def test_the_record_says_how_it_was_ranked(passports: FakeParts) -> None:
    factories.ask(ARABIC, using=passports)
    assert Answer.objects.get().options["mode"] == "lexical"


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("When?", True),
        ("Ist das groß?", True),
        ("متى؟", False),
        ("いつ", False),
        ("GX-100 の校正は", False),
        ("Calibrating the GX-100 の", True),
        ("42 %", True),
    ],
)
def test_half_of_the_letters_decide(text: str, readable: bool) -> None:
    assert latin().profile.can_read(text) is readable


def test_a_model_that_names_no_script_reads_all() -> None:
    assert HashingEmbedder().profile.can_read(ARABIC)
