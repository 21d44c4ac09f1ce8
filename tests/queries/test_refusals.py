"""What lies near a refused question: live, and of the asker's own eligible rows alone."""

from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.db import connection

from rag.actions.governing import erase, withdraw
from rag.actions.people import grant, revoke
from rag.core.sources import Selection
from rag.models import Answer, Chunk
from rag.queries.eligibility import access_of_user
from rag.queries.refusals import Near, near, unmentioned
from tests import factories

pytestmark = pytest.mark.django_db
GX200: Final = "The warranty of the GX-200 is 24 months from delivery."
QUESTION: Final = "What is the warranty of the GX-999?"


@pytest.fixture
def erin(tmp_path: Path) -> User:
    """A person with one source on another product than the one that is asked about."""
    person = factories.user("erin", groups=["member"])
    add(tmp_path, "sheet", f"# Product sheet\n\n## Warranty\n\n{GX200}")
    grant("public", user="erin")
    return person


def add(folder: Path, name: str, text: str, **about: Any) -> None:
    factories.import_text(folder, name, text, **about)
    factories.rebuild()


def ask(question: str = QUESTION, selection: Selection = factories.EVERYTHING) -> Answer:
    answer = factories.ask(question, access_of_user("erin", factories.TODAY), selection).answer
    assert answer.status == "refused"
    return answer


def found(answer: Answer, most: int = 3) -> tuple[Near, ...]:
    return near(answer, access_of_user("erin", answer.as_of), most)


def missing(answer: Answer) -> tuple[str, ...]:
    return unmentioned(answer, access_of_user("erin", answer.as_of))


# Near


def test_a_near_passage_comes_with_its_place(erin: User) -> None:
    [row] = found(ask())
    assert row.text.endswith(GX200)
    assert row.section == "Product sheet › Warranty"
    assert "Product sheet" in row.context


def test_at_most_so_many_are_given_best_first(erin: User, tmp_path: Path) -> None:
    for number in range(4):
        add(tmp_path, f"s{number}", f"The warranty of part {number} is short.")
    answer = ask()
    best = [hit["document_id"] for hit in answer.hits[:3]]
    assert [row.revision.document_id for row in found(answer)] == best
    assert len(answer.hits) > 3


def revoked() -> None:
    revoke("public", user="erin")


def withdrawn() -> None:
    withdraw("sheet", actor="op", reason="wrong")


def erased() -> None:
    erase("sheet", actor="op", reason="request")


def altered() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rag_revision SET text = replace(text, '24', '99')")


@pytest.mark.parametrize("act", [revoked, withdrawn, erased, altered])
def test_what_is_no_longer_served_is_not_near(erin: User, act: Any) -> None:
    answer = ask()
    act()
    assert found(answer) == ()


def test_near_passages_do_not_need_the_index_they_were_found_in(erin: User) -> None:
    answer = ask()
    Chunk.objects.all().delete()
    [row] = found(answer)
    assert row.text.endswith(GX200)
    assert (row.section, row.context) == ("", "Product sheet")


# Codes that no source mentions


def test_a_code_in_no_source_is_named_as_typed(erin: User) -> None:
    assert missing(ask("What is the warranty of the gx-999 or the GX-200?")) == ("gx-999",)
    assert missing(ask("Who painted the Mona Lisa?")) == ()


def test_hidden_sources_say_nothing(erin: User, tmp_path: Path) -> None:
    answer = ask()
    add(tmp_path, "secret", "The GX-999 is secret.", scope="hr")
    add(tmp_path, "draft", "The GX-999 is a draft.", approve=False)
    add(tmp_path, "later", "The GX-999 comes later.", valid_from="2027-01-01")
    assert missing(answer) == ("GX-999",)


@pytest.mark.parametrize(
    "about",
    [
        {"text": "The gx-999 is new."},
        {"text": "It is new.", "title": "On the GX-999"},
        {"text": "# GX-999\n\nIt is new."},
        {"text": "It is new.", "product": "GX-999"},
        {"text": "The GX-999 is a copy.", "canonical": False},
    ],
    ids=["text", "title", "heading", "product", "copy"],
)
def test_a_readable_mention_anywhere_counts(
    erin: User, tmp_path: Path, about: dict[str, Any]
) -> None:
    answer = ask()
    add(tmp_path, "new", **about)
    assert missing(answer) == ()


def test_a_heading_counts_for_codes_that_look_like_words(erin: User, tmp_path: Path) -> None:
    answer = ask("What is the warranty of the AB1200?")
    assert missing(answer) == ("AB1200",)
    add(tmp_path, "new", "# Other\n\n## AB1200\n\nIt is new.", title="Parts")
    assert missing(answer) == ()


def test_product_facts_count(erin: User, tmp_path: Path) -> None:
    answer = ask()
    factories.import_facts(tmp_path, "facts", '[products."GX-999"]\nbar = 16')
    factories.rebuild()
    assert missing(answer) == ()


def test_narrowing_does_not_make_a_code_unmentioned(erin: User, tmp_path: Path) -> None:
    answer = ask("What is the warranty of the GX-200?", Selection(product="GX-100"))
    assert missing(answer) == ()
