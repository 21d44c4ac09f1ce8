"""Erin's answers about meals, and their page."""

import re
from datetime import date
from typing import Any, Final

from django.test import Client

from rag.actions.governing import today, withdraw
from rag.actions.people import revoke
from rag.core.sources import Selection
from rag.models import Answer
from rag.queries.eligibility import access_of_user
from tests import factories, fakes

RULE: Final = "Meals on business trips are reimbursed up to EUR 52 per day."
EXCEPTION: Final = "However, drinks are never reimbursed."
OTHER: Final = "Meals on business trips are reimbursed up to EUR 45 per day abroad."
QUESTION: Final = "Which meals are reimbursed on business trips?"
TOKEN: Final = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')


def answered(*quotes: str, as_of: date | None = None, **selection: Any) -> Answer:
    """Erin's answer with these quotations, each of the excerpt that has it."""

    def answer(supplied: Any) -> Any:
        alias = {quote: each.alias for quote in quotes for each in supplied if quote in each.text}
        return fakes.quoting(*((alias[quote], quote) for quote in quotes)).answer(supplied)

    access = access_of_user("erin", as_of or today())
    using = fakes.FakeParts(proposer=fakes.FakeProposer(answer))
    asked = factories.ask(QUESTION, access, Selection(**selection), using)
    assert asked.verdict.accepted
    return asked.answer


def refused(question: str = "What is the warranty of the GX-999?") -> Answer:
    asked = factories.ask(question, access_of_user("erin", today()))
    assert not asked.verdict.accepted
    return asked.answer


def show(client: Client, answer: Answer, status: int = 200) -> str:
    response = client.get(f"/answers/{answer.pk}/")
    assert response.status_code == status
    return TOKEN.sub("", response.content.decode())


def withdraw_a() -> None:
    withdraw("a", actor="op", reason="wrong")


def revoke_public() -> None:
    revoke("public", user="erin")
