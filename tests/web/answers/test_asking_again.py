"""Asking the same question again from its answer, as of another day or of more scopes."""

import re
from datetime import date

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from rag.actions.governing import today
from rag.actions.people import Account, change_user, grant, revoke
from rag.models import Answer
from tests import factories
from tests.web.answers.asked import QUESTION, RULE, answered, show

pytestmark = pytest.mark.django_db


def fields(text: str, part: str) -> dict[str, str]:
    """The fields of the form that holds ``part``."""
    form = next(form for form in text.split("<form")[1:] if part in form.partition("</form")[0])
    return dict(re.findall(r'name="(\w+)"[^>]* value="([^"]*)"', form.partition("</form")[0]))


def test_asking_as_of_another_day_keeps_the_question(client: Client, erin: User) -> None:
    answer = answered(RULE, as_of=date(2026, 3, 1))
    text = show(client, answer)
    again = fields(text, "Ask as of today")
    assert again == {"q": QUESTION, "product": "", "scope": "", "as_of": today().isoformat()}
    assert client.post("/ask/", again).status_code == 303
    asked = Answer.objects.latest("asked_at")
    assert (asked.question, asked.as_of) == (QUESTION, today())
    assert "Ask as of today" not in show(client, asked)


def test_asking_again_keeps_what_it_was_narrowed_to(client: Client, erin: User) -> None:
    client.post("/ask/", {"q": QUESTION, "scope": "travel"})
    text = show(client, Answer.objects.get())
    assert "only the scope travel" in text
    assert fields(text, "id_another_day")["scope"] == "travel"
    revoke("travel", user="erin")
    assert "travel" not in show(client, Answer.objects.get())


@pytest.mark.parametrize("through", ["grant", "group"])
def test_a_scope_that_came_later_is_asked_too(client: Client, erin: User, through: str) -> None:
    revoke("travel", user="erin")
    client.post("/ask/", {"q": QUESTION})
    if through == "grant":
        grant("travel", user="erin")
    else:
        factories.user("paul", groups=["travellers"])
        grant("travel", group="travellers")
        Answer.objects.update(asked_at=timezone.now())  # the group's grant is the older
        groups = frozenset({"member", "travellers"})
        change_user("erin", Account(groups=groups), actor="ada")
    text = show(client, Answer.objects.get())
    assert "only the scope" not in text
    assert fields(text, "id_another_day")["scope"] == ""


def test_a_chosen_scope_stays_chosen_whatever_is_granted_later(client: Client, erin: User) -> None:
    client.post("/ask/", {"q": QUESTION, "scope": "travel"})
    grant("hr", user="erin", create_scope=True)
    text = show(client, Answer.objects.get())
    assert fields(text, "id_another_day")["scope"] == "travel"
