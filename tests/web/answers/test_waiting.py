"""A question whose chat model is slow: excerpts at once, the answer later, and no page waits."""

import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from rag.actions import waiting
from rag.actions.people import grant
from rag.adapters import transport
from rag.core.chat import AnswerMode
from rag.core.errors import ProviderError
from rag.models import Answer, PendingAnswer
from rag.queries.waiting import SILENT
from rag.web.views import ask as views
from tests import factories, fakes
from tests.chatting import FakeChat, Turn, answering, ended, parts, quotes
from tests.fault_server import fault_server, silent
from tests.providers.chat_servers import PATHS, configure
from tests.web.answers.asked import QUESTION, RULE, revoke_public, withdraw_a

pytestmark = pytest.mark.usefixtures("committed")
HTMX: Final = {"HX-Request": "true"}
READING: Final = "The model is reading"


class SlowModel(FakeChat):
    """Answers, or fails, when it is let or given up."""

    def __init__(self) -> None:
        super().__init__([self._late])
        self.go = threading.Event()
        self.failure: Exception | None = None
        self.quote = RULE

    def give_up(self) -> None:
        self.go.set()

    def _late(self, turn: Turn) -> str:
        assert self.go.wait(30)
        if self.failure:
            raise self.failure
        alias = next(f"S{n}" for n in (1, 2, 3) if f'"S{n}"' in turn.text)
        return quotes((alias, self.quote))


@pytest.fixture
def model(committed: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowModel]:
    """The site's model; every thread that waits for it has ended when the test has."""
    slow = SlowModel()
    monkeypatch.setattr(views, "site_parts", lambda: parts(slow))
    monkeypatch.setattr(waiting, "BEAT", 0.01)
    yield slow
    slow.go.set()
    ended()


def ask(client: Client, status: int = 303) -> Any:
    """The address of a question's answer, or the page of its failure."""
    response = client.post("/ask/", {"q": QUESTION, "scope": "public"})
    assert response.status_code == status
    return response["Location"] if status == 303 else response.content.decode()


def show(client: Client, url: str, headers: dict[str, str] | None = None) -> str:
    response = client.get(url, headers=headers)
    assert response.status_code == 200
    text: str = response.content.decode()
    return text


def arrive(model: SlowModel) -> None:
    model.go.set()
    ended()


def test_the_excerpts_stand_there_while_the_model_reads(
    client: Client, erin: User, model: SlowModel
) -> None:
    page = show(client, ask(client))
    assert READING in page
    assert "Expenses policy" in page
    assert "reimbursed" in page
    assert "quote-card" not in page
    assert 'hx-trigger="every 2s"' in page


def test_an_answer_is_recorded_though_nobody_looks(
    client: Client, erin: User, model: SlowModel
) -> None:
    url = ask(client)
    asked_at = PendingAnswer.objects.get().asked_at
    assert all("being answered" in show(client, page) for page in ("/ask/", "/answers/"))
    arrive(model)
    answer = Answer.objects.get()
    assert (url, answer.asked_at) == (f"/answers/{answer.pk}/", asked_at)
    assert RULE in show(client, url)
    assert QUESTION in show(client, "/answers/")
    assert not PendingAnswer.objects.exists()


def test_the_answer_takes_the_place_of_what_waited(
    client: Client, erin: User, model: SlowModel
) -> None:
    url = ask(client)
    arrive(model)
    middle = show(client, url, HTMX)
    assert middle.startswith('<div class="columns answer" id="answer">')
    assert RULE in middle
    assert "hx-trigger" not in middle
    assert 'hx-swap-oob="innerHTML">The answer has arrived.' in middle


def polled(page: str) -> str:
    return page.partition('hx-get="')[2].partition('"')[0]


def test_a_mode_that_was_chosen_waits_is_recorded_and_asked_again(
    client: Client, erin: User, model: SlowModel, settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    settings.EVIDENCE_ANSWER_MODES = ["provider"]
    allowed = answering(model, AnswerMode.EXTRACTIVE, AnswerMode.PROVIDER)
    monkeypatch.setattr(views, "site_parts", lambda: fakes.FakeParts(answering=allowed))
    response = client.post("/ask/", {"q": QUESTION, "mode": "provider"})
    assert PendingAnswer.objects.get().mode == "provider"
    assert 'name="mode" value="provider"' not in show(client, response["Location"])  # it reads
    client.post(f"{response['Location']}cancel/")
    assert 'name="mode" value="provider"' in show(client, response["Location"])
    client.post("/ask/", {"q": QUESTION, "mode": "provider"})
    arrive(model)
    assert Answer.objects.get().proposer.startswith("provider/fake:chatty/")


def test_nothing_is_replaced_until_something_is_new(
    client: Client, erin: User, model: SlowModel
) -> None:
    poll = polled(show(client, ask(client)))
    assert client.get(poll, headers=HTMX).status_code == 204
    withdraw_a()
    assert READING in show(client, poll, HTMX)


@pytest.mark.parametrize("change", [withdraw_a, revoke_public])
def test_what_may_not_be_read_any_more_is_gone_at_once_and_never_quoted(
    client: Client, erin: User, model: SlowModel, change: Callable[[], None]
) -> None:
    url = ask(client)
    change()
    assert "Expenses policy" not in show(client, url)
    assert "reimbursed up to" not in show(client, url)
    arrive(model)
    assert RULE not in show(client, url)
    assert Answer.objects.get().status == "refused"


def test_a_cancelled_question_gets_no_answer(client: Client, erin: User, model: SlowModel) -> None:
    url = ask(client)
    assert client.post(f"{url}cancel/", headers=HTMX)["Location"] == url
    assert "You cancelled this question" in show(client, url)
    arrive(model)
    assert not Answer.objects.exists()
    assert "You cancelled this question" in show(client, url)
    assert "cancelled" in show(client, "/answers/")


def test_the_model_of_a_cancelled_question_is_given_up_and_its_place_is_free(
    client: Client, erin: User, model: SlowModel
) -> None:
    model.failure = ProviderError("fake", "chat", "it was given up")
    url = ask(client)
    assert waiting.places.taken == 1
    client.post(f"{url}cancel/")
    ended()
    assert not Answer.objects.exists()


def test_cancelling_too_late_leads_to_the_answer(
    client: Client, erin: User, model: SlowModel
) -> None:
    url = ask(client)
    arrive(model)
    assert client.post(f"{url}cancel/")["Location"] == url
    assert RULE in show(client, url)


def test_a_hung_model_takes_nothing_but_its_own_places(
    client: Client, erin: User, model: SlowModel, settings: Settings
) -> None:
    settings.EVIDENCE_CHAT_WAITING = 2
    settings.EVIDENCE_CHAT_WAITING_EACH = 9
    ask(client)
    ask(client)
    page = ask(client, status=503)
    assert "As many questions wait for the model" in page
    assert QUESTION in page
    assert PendingAnswer.objects.count() == 2
    assert "Expenses policy" in show(client, "/search/?q=meals&mode=lexical")
    arrive(model)
    ask(client)


def test_one_person_does_not_take_all_places(client: Client, erin: User, model: SlowModel) -> None:
    first, _ = ask(client), ask(client)
    page = ask(client, status=503)
    assert "as one person may have there at once (2)." in page
    assert QUESTION in page and waiting.places.taken == 2
    client.force_login(factories.user("paul", groups=["member"]))
    grant("public", user="paul")
    ask(client)
    client.force_login(erin)
    client.post(f"{first}cancel/")
    ask(client)


def test_questions_that_nobody_answers_any_more_take_no_place_of_a_person(
    client: Client, erin: User, model: SlowModel
) -> None:
    silent = timezone.now() - SILENT - timedelta(seconds=1)
    for state in PendingAnswer.State:
        factories.pending_answer(erin, heartbeat=silent, state=state)
    ask(client)


def test_the_fifth_asker_of_a_silent_server_is_told_so_and_search_goes_on(
    client: Client, erin: User, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waiting, "BEAT", 0.01)
    monkeypatch.setattr(transport, "LOOK_SECONDS", 0.01)
    with fault_server() as server:
        configure(settings, server)
        settings.EVIDENCE_CHAT_WAITING_EACH = 9
        server.plays(PATHS["ollama"], silent)
        urls = [ask(client) for _ in range(4)]
        assert "As many questions wait" in ask(client, status=503)
        assert READING in show(client, urls[0])
        assert "Expenses policy" in show(client, "/search/?q=meals&mode=lexical")
        for url in urls:
            client.post(f"{url}cancel/")
        ended()


def test_a_question_that_needs_no_model_is_answered_while_all_places_are_taken(
    client: Client, erin: User, model: SlowModel, settings: Settings
) -> None:
    settings.EVIDENCE_CHAT_WAITING = 1
    ask(client)
    response = client.post("/ask/", {"q": "What is the warranty of the GX-999?"})
    assert "Insufficient evidence" in show(client, response["Location"])


def test_a_model_that_fails_is_a_refusal_that_says_so(
    client: Client, erin: User, model: SlowModel
) -> None:
    model.failure = ProviderError("fake", "chat", "no complete answer within 300 s")
    url = ask(client)
    arrive(model)
    assert Answer.objects.get().reason_code == "provider"
    assert "did not answer" in show(client, url)


def test_a_fault_of_the_site_is_said_and_nothing_is_recorded(
    client: Client, erin: User, model: SlowModel
) -> None:
    model.failure = RuntimeError("a secret of the server")
    url = ask(client)
    arrive(model)
    page = show(client, url)
    assert "This question could not be answered" in page
    assert "secret" not in page
    assert "hx-trigger" not in page
    assert not Answer.objects.exists()


def test_a_process_that_died_is_found_out_and_the_question_can_be_asked_again(
    client: Client, erin: User
) -> None:
    silent = timezone.now() - SILENT - timedelta(seconds=1)
    row = factories.pending_answer(erin, question=QUESTION, heartbeat=silent)
    page = show(client, f"/answers/{row.pk}/")
    assert "This question was interrupted" in page
    assert "hx-trigger" not in page
    assert f'name="q" value="{QUESTION}"' in page
    assert "interrupted" in show(client, "/answers/")
    assert QUESTION not in show(client, "/ask/")


def test_a_sign_of_life_is_given_while_the_model_reads(
    client: Client, erin: User, model: SlowModel
) -> None:
    ask(client)
    begun = PendingAnswer.objects.get().heartbeat
    while PendingAnswer.objects.get().heartbeat == begun:
        assert not model.go.wait(0.005)


def test_a_person_who_is_gone_leaves_no_answer(
    client: Client, erin: User, model: SlowModel
) -> None:
    ask(client)
    erin.delete()
    arrive(model)
    assert not Answer.objects.exists()
    assert not PendingAnswer.objects.exists()
