"""A person's own questions: all of them, nobody else's, and not a word of what was quoted."""

from datetime import date
from pathlib import Path
from typing import Final

import pytest
from django.contrib.auth.models import User
from django.test import Client

from rag.actions.governing import today
from rag.actions.people import grant
from rag.models import Answer
from rag.queries.eligibility import access_of_user
from tests import factories

pytestmark = pytest.mark.django_db
URL: Final = "/answers/"
RULE: Final = "Meals on business trips are reimbursed up to EUR 52 per day."


@pytest.fixture
def erin(client: Client, tmp_path: Path) -> User:
    """A member who is signed in and may read one source about meals."""
    person = factories.user("erin", groups=["member"])
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    grant("public", user="erin")
    client.force_login(person)
    return person


def ask(question: str, as_of: date | None = None) -> Answer:
    return factories.ask(question, access_of_user("erin", as_of or today())).answer


def page(client: Client, number: str = "1") -> str:
    response = client.get(URL, {"page": number})
    assert response.status_code == 200
    return response.content.decode()


def test_it_holds_own_questions_and_no_quotation(client: Client, erin: User) -> None:
    answers = [
        ask("Which meals on business trips are reimbursed?", date(2026, 3, 1)),
        ask("What is the warranty of the GX-999?"),
    ]
    factories.ask("Which secret meals are reimbursed?")  # an operator's
    text = page(client)
    assert [answer.status for answer in answers] == ["accepted", "refused"]
    assert [f'href="{URL}{answer.pk}/"' in text for answer in answers] == [True, True]
    assert ">answered</span>" in text and ">refused</span>" in text
    assert text.count("as of 1 March 2026") == 1
    assert "secret" not in text and "EUR 52" not in text and "Insufficient" not in text


def test_it_has_pages_of_twenty_newest_first(client: Client, erin: User) -> None:
    for number in range(21):
        ask(f"meals {number:02}?")
    first, second = page(client), page(client, "2")
    assert first.index("meals 20?") < first.index("meals 19?") < first.index("meals 01?")
    assert 'href="?page=2"' in first and "meals 00?" not in first
    assert 'href="?page=1"' in second and "meals 00?" in second and "meals 01?" not in second


@pytest.mark.parametrize("number", ["nonsense", "0", "99"])
def test_a_page_that_is_not_there_is_the_nearest(client: Client, erin: User, number: str) -> None:
    ask("meals 00?")
    assert "meals 00?" in page(client, number)


def test_an_empty_one_says_so(client: Client, erin: User) -> None:
    assert "You have asked nothing yet." in page(client)


def test_without_the_permission_it_is_missing(client: Client) -> None:
    client.force_login(factories.user("guest"))
    assert client.get(URL).status_code == 404
