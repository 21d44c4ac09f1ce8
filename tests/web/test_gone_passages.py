"""An answer whose passages are gone: nothing to print, and the question can be asked again."""

from pathlib import Path
from typing import Final

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from rag.actions.governing import withdraw
from rag.actions.people import grant
from rag.models import Answer
from rag.queries.eligibility import access_of_user
from tests import factories

pytestmark = pytest.mark.django_db
RULE: Final = "Meals on business trips are reimbursed up to EUR 52 per day."
OTHER: Final = "Meals on business trips are taken at noon."


@pytest.fixture
def answered(client: Client, settings: Settings, tmp_path: Path) -> str:
    """The address of an answer of two passages from two sources."""
    settings.EVIDENCE_PROFILE = "hashing"
    person: User = factories.user("erin", groups=["member"])
    factories.import_text(tmp_path, "a", RULE)
    factories.import_text(tmp_path, "b", OTHER)
    factories.rebuild()
    grant("public", user="erin")
    client.force_login(person, "django.contrib.auth.backends.ModelBackend")
    asked = factories.ask(
        "Which meals are on business trips?", access_of_user("erin", factories.TODAY)
    )
    assert asked.answer.citations.count() == 2
    return f"/answers/{asked.answer.pk}/"


@pytest.mark.parametrize(
    ("gone", "prints", "asks_again"),
    [((), True, False), (("a",), True, True), (("a", "b"), False, True)],
)
def test_what_is_left_can_be_printed_and_what_is_gone_asked_for_again(
    client: Client, answered: str, gone: tuple[str, ...], prints: bool, asks_again: bool
) -> None:
    for source in gone:
        withdraw(source, actor="op", reason="Wrong.")
    page = client.get(answered).content.decode()
    assert ("data-print" in page) is prints
    assert (">Ask again</button>" in page) is asks_again


def test_asking_again_asks_the_same_as_of_the_same_day(client: Client, answered: str) -> None:
    withdraw("a", actor="op", reason="Wrong.")
    page = client.get(answered).content.decode()
    form = page[: page.index(">Ask again</button>")].rpartition("<form")[2]
    day = Answer.objects.get().as_of.isoformat()
    assert f'name="as_of" value="{day}"' in form
    assert 'name="q" value="Which meals are on business trips?"' in form
