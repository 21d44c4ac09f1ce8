"""Recorded answers are read for their person alone, with what stands behind them now."""

import uuid
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.db import connection

from rag.actions.governing import approve, erase, withdraw
from rag.actions.people import grant, revoke
from rag.core.citations import Sight
from rag.core.errors import NotFound
from rag.core.sources import Selection, Status
from rag.models import Answer, Chunk
from rag.queries.answers import (
    Cited,
    cited,
    own_answer,
    own_answers,
    products_of,
    selection_of,
)
from rag.queries.eligibility import access_of_user
from tests import factories

pytestmark = pytest.mark.django_db
RULE: Final = "Meals on business trips are reimbursed up to EUR 52 per day."
QUESTION: Final = "Which meals are reimbursed on business trips?"
DAY: Final = factories.TODAY


@pytest.fixture
def erin(tmp_path: Path) -> User:
    """A person with one source about meals in the scope ``public``."""
    person = factories.user("erin", groups=["member"])
    factories.import_text(tmp_path, "a", f"# Meals\n\n## Trips\n\n{RULE}")
    factories.rebuild()
    grant("public", user="erin")
    return person


def ask(question: str = QUESTION, selection: Selection = factories.EVERYTHING) -> Answer:
    return factories.ask(question, access_of_user("erin", DAY), selection).answer


def seen(answer: Answer, reviews: bool = False, today: date = DAY) -> Cited:
    """The only citation of the answer, as Erin sees it."""
    [found] = cited(answer, access_of_user("erin", answer.as_of), reviews, today)
    return found


# Whose answers


def test_own_answers_stand_newest_first(erin: User) -> None:
    answers = [ask(), ask("What about the GX-999?"), ask()]
    assert [row.pk for row in own_answers(erin)] == [answer.pk for answer in reversed(answers)]


def test_nobody_else_has_them(erin: User) -> None:
    answer, hana = ask(), factories.user("hana")
    factories.ask(QUESTION)  # an operator's, of no person
    assert [row.pk for row in own_answers(erin)] == [answer.pk]
    assert not own_answers(hana).exists()


def test_somebody_else_s_answer_is_like_a_missing_one(erin: User) -> None:
    answer, hana = ask(), factories.user("hana")
    assert own_answer(erin, answer.pk) == answer
    for person, answer_id in ((hana, answer.pk), (erin, uuid.uuid4())):
        with pytest.raises(NotFound):
            own_answer(person, answer_id)


def test_a_history_is_read_without_texts(erin: User) -> None:
    ask()
    assert {"text", "hits"} <= own_answers(erin)[0].get_deferred_fields()


# What stands behind a citation now


def test_a_citation_of_a_served_source_is_shown(erin: User) -> None:
    found = seen(ask())
    assert (found.number, found.sight) == (1, Sight.SHOWN)
    assert found.opened
    assert (found.opened.citation.quote, found.opened.section) == (RULE, "Meals › Trips")


def withdrawn() -> None:
    withdraw("a", actor="op", reason="wrong")


def erased() -> None:
    erase("a", actor="op", reason="request")


def revoked() -> None:
    revoke("public", user="erin")


def altered() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rag_revision SET text = replace(text, '52', '99')")


@pytest.mark.parametrize(
    ("acts", "member", "reviewer"),
    [
        ([withdrawn], Sight.WITHDRAWN, Sight.MARKED),
        ([erased], Sight.ERASED, Sight.ERASED),
        ([altered], Sight.ALTERED, Sight.ALTERED),
        ([withdrawn, altered], Sight.WITHDRAWN, Sight.ALTERED),
        ([revoked], Sight.NOT_AVAILABLE, Sight.NOT_AVAILABLE),
        ([withdrawn, revoked], Sight.NOT_AVAILABLE, Sight.NOT_AVAILABLE),
        ([erased, revoked], Sight.NOT_AVAILABLE, Sight.NOT_AVAILABLE),
        ([altered, revoked], Sight.NOT_AVAILABLE, Sight.NOT_AVAILABLE),
    ],
)
def test_what_happened_since_decides(
    erin: User, acts: list[Any], member: Sight, reviewer: Sight
) -> None:
    answer = ask()
    for act in acts:
        act()
    found = [seen(answer), seen(answer, reviews=True)]
    assert [each.sight for each in found] == [member, reviewer]
    assert [each.opened is not None for each in found] == [
        each.sight in (Sight.SHOWN, Sight.MARKED, Sight.ALTERED) for each in found
    ]


def test_a_withdrawn_citation_reads_no_text_for_a_member(erin: User) -> None:
    answer = ask()
    withdrawn()
    assert RULE not in repr(seen(answer))


def test_the_version_in_force_today_is_found(erin: User, tmp_path: Path) -> None:
    answer = ask()
    new = factories.import_text(
        tmp_path, "a", RULE.replace("52", "60"), approve=False, valid_from="2026-07-01"
    )
    factories.rebuild()
    approve(new.document_id, actor="op", shown_sha256=new.text_sha256)
    july = seen(answer, today=date(2026, 7, 2))
    june = seen(answer, today=date(2026, 6, 30))
    assert july.opened and july.opened.in_force_today == new.document_id
    assert june.opened and june.opened.in_force_today == ""


def test_a_quotation_has_its_own_section_even_where_sections_were_joined(
    erin: User, tmp_path: Path
) -> None:
    text = f"# Meals\n\n## Coffee\n\nCoffee is free.\n\n## Trips\n\n{RULE}"
    factories.import_text(tmp_path, "a", text, version="2", valid_from="2026-01-02")
    factories.rebuild()
    assert Chunk.objects.get(revision__version="2").section == "Meals"
    found = seen(ask())
    assert found.opened and found.opened.section == "Meals › Trips"


# What it was narrowed to


@pytest.mark.parametrize(
    "selection",
    [
        Selection(),
        Selection(product="GX-100", canonical_only=False),
        Selection(frozenset({Status.HISTORICAL}), filters=frozenset({("team", "x")})),
    ],
)
def test_a_selection_is_recorded_whole(erin: User, selection: Selection) -> None:
    assert selection_of(ask(selection=selection)) == selection


def test_products_are_those_of_readable_texts(erin: User, tmp_path: Path) -> None:
    for name, scope in (("GX-2", "public"), ("GX-1", "public"), ("GX-9", "hr")):
        factories.import_text(tmp_path, name, f"On {name}.", product=name, scope=scope)
    factories.import_text(tmp_path, "p", "A draft.", product="GX-8", approve=False)
    factories.import_facts(tmp_path, "f", "[products.GX-7]\nbar = 16")
    factories.rebuild()
    assert products_of(access_of_user("erin", DAY)) == ["GX-1", "GX-2"]
