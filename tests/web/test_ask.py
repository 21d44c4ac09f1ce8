"""The page that asks: one form, one record, one address; nothing that was typed is lost."""

from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.db import DatabaseError
from django.test import Client
from django.urls import reverse
from django.utils.html import escape
from pytest_django import Settings

from rag.actions import waiting
from rag.actions.governing import today
from rag.actions.people import grant
from rag.core.errors import IndexDamaged, ProviderError, RagError
from rag.core.retrieval import LONGEST_QUESTION
from rag.models import Answer, Manifest
from rag.web.views import ask as views
from tests import factories

pytestmark = pytest.mark.django_db
URL: Final = "/ask/"
RULE: Final = "Meals on business trips are reimbursed up to EUR 52 per day."
QUESTION: Final = "Which meals are reimbursed on business trips?"
HOSTILE: Final = (
    "<script>alert(1)</script> meals?",
    '"><img src=x onerror=alert(1)> meals',
    "</textarea></title><svg/onload=alert(1)> meals",
    "{{ request }} {% now 'Y' %} meals",
    "meals \u202e\u0000\ufeff👩🏽‍🚀 وجبات",
)


@pytest.fixture(autouse=True)
def hashing(settings: Settings) -> None:
    settings.EVIDENCE_PROFILE = "hashing"


@pytest.fixture
def erin(client: Client, tmp_path: Path) -> User:
    """A member who is signed in and may read one source about meals."""
    person = factories.user("erin", groups=["member"])
    factories.import_text(tmp_path, "a", f"# Meals\n\n{RULE}")
    factories.rebuild()
    grant("public", user="erin")
    client.force_login(person)
    return person


def page(response: Any) -> str:
    text: str = response.content.decode()
    return text


def ask(client: Client, question: str = QUESTION, **form: str) -> Any:
    return client.post(URL, {"q": question, **form})


# Asking


def test_a_question_is_recorded_once_and_leads_to_its_answer(client: Client, erin: User) -> None:
    response = ask(client)
    answer = Answer.objects.get()
    assert (response.status_code, response["Location"]) == (303, f"/answers/{answer.pk}/")
    assert (answer.person, answer.question, answer.as_of) == (erin, QUESTION, today())
    assert RULE in page(client.get(response["Location"]))


def test_the_day_the_product_and_the_scope_are_asked_for(
    client: Client, erin: User, tmp_path: Path
) -> None:
    factories.import_text(tmp_path, "b", RULE, product="GX-1", scope="travel")
    factories.rebuild()
    grant("travel", user="erin")
    ask(client, as_of="2026-03-01", product="GX-1", scope="travel")
    answer = Answer.objects.get()
    assert (answer.as_of, answer.options["product"]) == (date(2026, 3, 1), "GX-1")
    assert (answer.scopes, answer.text) == (["travel"], f"[b#0] {RULE}")


def test_line_ends_of_a_form_count_as_one_character(client: Client, erin: User) -> None:
    lines = "\r\n".join(["meals"] * (LONGEST_QUESTION // 6))
    ask(client, lines)
    assert Answer.objects.get().question == lines.replace("\r\n", "\n")


def test_without_a_grant_the_refusal_is_recorded(client: Client) -> None:
    person = factories.user("sam", groups=["member"])
    factories.rebuild()
    client.force_login(person)
    assert "No scope is granted to you yet" in page(client.get(URL))
    assert ask(client).status_code == 303
    assert Answer.objects.get().status == "refused"


# Who picks the quotations


def test_who_picks_is_asked_only_where_there_is_a_choice(
    client: Client, erin: User, settings: Settings
) -> None:
    assert "Picked by" not in page(client.get(URL))
    settings.EVIDENCE_ANSWER_MODE, settings.EVIDENCE_ANSWER_MODES = "provider", ["extractive"]
    text = page(client.get(URL))
    assert ">Picked by</label>" in text
    assert '<option value="provider">model (provider)</option>' in text
    assert '<option value="extractive">rules, no model</option>' in text
    assert 'value="tool"' not in text


def test_a_mode_that_was_chosen_is_recorded_and_asked_again(
    client: Client, erin: User, settings: Settings
) -> None:
    settings.EVIDENCE_ANSWER_MODE, settings.EVIDENCE_ANSWER_MODES = "provider", ["extractive"]
    shown = page(client.get(ask(client, mode="extractive")["Location"]))
    answer = Answer.objects.get()
    assert answer.proposer.startswith("extractive") and answer.chat_calls == 0
    assert 'name="mode" value="extractive"' in shown
    settings.EVIDENCE_ANSWER_MODES = []
    assert 'name="mode"' not in page(client.get(f"/answers/{answer.pk}/"))


# What makes no sense


@pytest.mark.parametrize(
    ("form", "sentence"),
    [
        ({"q": ""}, "Ask a question first."),
        ({"q": " \r\n "}, "Ask a question first."),
        ({"q": "?!"}, "A question needs at least one word."),
        ({"q": "x" * 1001}, "A question has at most 1,000 characters; this one has 1001."),
        ({"q": "meals", "as_of": "soon"}, "Give a day such as 2026-11-30."),
        ({"q": "meals", "product": "GX-9"}, "Choose a product from the list."),
        ({"q": "meals", "scope": "hr"}, "Choose a scope from the list."),
        ({"q": "meals", "mode": "tool"}, "Choose who picks from the list."),
        ({"q": "me\0als"}, "Null characters are not allowed."),
    ],
)
def test_what_makes_no_sense_is_said_at_its_field(
    client: Client, erin: User, form: dict[str, str], sentence: str
) -> None:
    factories.scope("hr")
    response = client.post(URL, form)
    assert response.status_code == 422
    assert escape(sentence) in page(response)
    assert escape(form["q"].strip()) in page(response)
    assert not Answer.objects.exists()


def test_a_field_with_a_mistake_is_described_by_its_sentence(client: Client, erin: User) -> None:
    text = page(client.post(URL, {"q": "?!", "as_of": "soon"}))
    for name in ("q", "as_of"):
        assert f'id="id_{name}_error"' in text
        assert f'aria-describedby="id_{name}_error"' in text
    assert text.count('aria-invalid="true"') == 2


def test_a_hidden_scope_and_product_are_like_unknown_ones(
    client: Client, erin: User, tmp_path: Path
) -> None:
    forms = [{"q": "meals", "scope": "hr"}, {"q": "meals", "product": "GX-9"}]
    before = [page(client.post(URL, form)) for form in forms]
    factories.import_text(tmp_path, "secret", RULE, product="GX-9", scope="hr")
    factories.rebuild()
    after = [page(client.post(URL, form)) for form in forms]
    assert [len(text) for text in before] == [len(text) for text in after]
    assert "GX-9" not in "".join(after)


# What fails


FAILURES: Final = [
    (ProviderError("embedded", "embed", "out of memory"), "(embedded: embed)"),
    (IndexDamaged("a vector does not match its SHA-256", "secret#0"), "The index is damaged"),
    (DatabaseError("disk I/O error"), "The database did not answer."),
]


@pytest.mark.parametrize(("error", "sentence"), FAILURES)
def test_a_question_is_not_lost_when_something_fails(
    client: Client, erin: User, monkeypatch: pytest.MonkeyPatch, error: Exception, sentence: str
) -> None:
    def failing(*args: object) -> None:
        raise error

    monkeypatch.setattr(waiting, "begin", failing)
    response = ask(client, "Where is <it>?", as_of="2026-03-01")
    assert response.status_code == 503
    assert sentence in page(response)
    assert "Where is &lt;it&gt;?" in page(response)
    assert 'value="2026-03-01"' in page(response)
    assert "secret" not in page(response)


def test_a_question_comes_back_although_nothing_can_be_read(
    client: Client, erin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*args: object) -> None:
        raise DatabaseError("disk I/O error")

    monkeypatch.setattr(waiting, "begin", failing)
    monkeypatch.setattr(views, "own_answers", failing)
    response = ask(client)
    assert (response.status_code, QUESTION in page(response)) == (503, True)


def test_a_missing_index_is_a_failure_of_that_kind(client: Client, erin: User) -> None:
    Manifest.objects.all().delete()
    response = ask(client)
    assert (response.status_code, QUESTION in page(response)) == (503, True)


def test_other_errors_go_to_their_page(
    client: Client, erin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(*args: object) -> None:
        raise RagError("not like that")

    monkeypatch.setattr(waiting, "begin", failing)
    response = ask(client)
    assert (response.status_code, "not like that" in page(response)) == (400, True)


# The form


def test_the_form_is_filled_from_its_address(client: Client, erin: User) -> None:
    text = page(client.get(URL, {"q": "meals & <more>", "as_of": "2026-03-01"}))
    assert "meals &amp; &lt;more&gt;</textarea>" in text
    assert 'value="2026-03-01"' in text
    assert f'maxlength="{LONGEST_QUESTION}"' in text
    assert not Answer.objects.exists()


def test_the_day_is_today_at_first(client: Client, erin: User) -> None:
    assert f'value="{today().isoformat()}"' in page(client.get(URL))


def test_lists_hold_what_the_person_may_read(client: Client, erin: User, tmp_path: Path) -> None:
    assert 'name="product"' not in page(client.get(URL))
    assert 'name="scope"' not in page(client.get(URL))
    for name, scope in (("GX-1", "public"), ("GX-2", "travel"), ("GX-9", "hr")):
        factories.import_text(tmp_path, name, f"On {name}.", product=name, scope=scope)
    factories.rebuild()
    grant("travel", user="erin")
    text = page(client.get(URL))
    assert [f'value="{name}"' in text for name in ("GX-1", "GX-2", "travel")] == [True] * 3
    assert [f'value="{name}"' in text for name in ("GX-9", "hr")] == [False] * 2


@pytest.mark.parametrize("question", HOSTILE)
def test_hostile_questions_are_escaped_on_every_page(
    client: Client, erin: User, question: str
) -> None:
    question = question.replace("\0", "")
    texts = [page(ask(client, question, as_of="never")), page(client.get(URL, {"q": question}))]
    answer = ask(client, question)["Location"]
    texts += [page(client.get(address)) for address in (answer, "/answers/", URL)]
    for text in texts:
        assert escape(question) in text
        assert "<script>alert" not in text and "<img src=x" not in text and "<svg" not in text


def test_the_last_questions_stand_beside_the_form(client: Client, erin: User) -> None:
    for number in range(7):
        ask(client, f"meals {number}?")
    text = page(client.get(URL))
    assert [f"meals {number}?" in text for number in range(7)] == [False] * 2 + [True] * 5
    assert reverse("answers") in text


# Who may


def test_without_the_permission_the_page_is_missing(client: Client) -> None:
    client.force_login(factories.user("guest"))
    assert client.get(URL).status_code == client.post(URL, {"q": "meals"}).status_code == 404
    assert not Answer.objects.exists()


def test_nobody_is_asked_to_sign_in(client: Client) -> None:
    assert client.get(URL)["Location"] == f"/accounts/login/?next={URL}"


def test_other_methods_are_refused(client: Client, erin: User) -> None:
    assert client.put(URL).status_code == 405
