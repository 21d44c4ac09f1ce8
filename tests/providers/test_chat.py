"""Chat models over real HTTP: what is sent, what is read, and how every fault ends."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from rag.actions.answering import chat_profile, configured_answering, connect
from rag.actions.people import grant
from rag.core.chat import ChatClient, Message
from rag.core.errors import Misconfigured, ProviderError
from rag.core.prompts import RETRIEVE
from rag.models import EvaluationRun
from tests import factories
from tests.chatting import CHAT_MODES, ended
from tests.commands.command_line import done, run, write
from tests.fault_server import FaultServer, Script, answer, json_answer, silent, status, truncated
from tests.providers.chat_servers import ASK, CALL, GOOD, PATHS, RULE, configure, says
from tests.providers.faults import KEY


@pytest.fixture(autouse=True)
def configured(server: FaultServer, settings: Settings) -> None:
    configure(settings, server)


@pytest.fixture
def index(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "meals", RULE)
    factories.rebuild()


def model(settings: Settings, style: str = "ollama") -> ChatClient:
    settings.EVIDENCE_CHAT_PROVIDER = style
    return connect(chat_profile())


HELLO: Final = [Message("system", "Rules."), Message("user", "Ünknown?")]
SENT: Final = [
    {"role": "system", "content": "Rules."},
    {"role": "user", "content": "Ünknown?"},
]


def test_ollama_is_told_context_schema_and_seed(server: FaultServer, settings: Settings) -> None:
    server.plays("/api/chat", says("ollama", "Hello."))
    reply = model(settings).complete(HELLO, schema={"type": "object"})
    assert (reply.text, reply.calls) == ("Hello.", ())
    assert server.called("/api/chat") == [
        {
            "model": "chatty:1b",
            "messages": SENT,
            "stream": False,
            "think": False,
            "options": {"num_ctx": 8192, "num_predict": 1024, "temperature": 0, "seed": 42},
            "format": {"type": "object"},
        }
    ]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        (
            "json_schema",
            {
                "type": "json_schema",
                "json_schema": {"name": "quotations", "strict": True, "schema": {"type": "object"}},
            },
        ),
        ("json_object", {"type": "json_object"}),
        ("json_object_schema", {"type": "json_object", "schema": {"type": "object"}}),
    ],
)
def test_an_openai_style_server_is_bound_to_json_as_the_profile_says(
    server: FaultServer, settings: Settings, mode: str, expected: object
) -> None:
    settings.EVIDENCE_CHAT_JSON = mode
    server.plays(PATHS["openai"], says("openai", "Hello."))
    model(settings, "openai").complete(HELLO, schema={"type": "object"})
    [call] = server.calls
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.body == {
        "model": "chatty:1b",
        "messages": SENT,
        "stream": False,
        "max_tokens": 1024,
        "temperature": 0,
        "seed": 42,
        "response_format": expected,
    }


def test_an_endpoint_may_end_with_v1(server: FaultServer, settings: Settings) -> None:
    settings.EVIDENCE_CHAT_ENDPOINT = f"{server.address}/v1/"
    server.plays(PATHS["openai"], says("openai", "Hello."))
    assert model(settings, "openai").complete(HELLO).text == "Hello."


@pytest.mark.parametrize("style", PATHS)
@pytest.mark.usefixtures("index")
def test_a_tool_is_offered_called_and_answered(
    server: FaultServer, settings: Settings, style: str
) -> None:
    settings.EVIDENCE_CHAT_PROVIDER, settings.EVIDENCE_ANSWER_MODE = style, "tool"
    call = CALL | {"id": "a" * 9999, "type": "function"}
    server.plays(PATHS[style], says(style, None, tool_calls=[call]), says(style))
    assert run(*ASK).out == f"[meals#0] {RULE}\n"
    first, second = server.called(PATHS[style])
    [offered] = first["tools"]
    assert offered["function"]["name"] == RETRIEVE.name and "tools" not in second
    called, given = second["messages"][-2:]
    [echo] = called["tool_calls"]
    assert echo["function"]["name"] == RETRIEVE.name
    assert given["role"] == "tool" and RULE in given["content"]
    assert given.get("tool_name", RETRIEVE.name) == RETRIEVE.name
    assert echo.get("id") == given.get("tool_call_id")
    assert len(echo.get("id", "ninechars")) == 9  # Mistral's template refuses any other length


def in_turns(sent: list[dict[str, Any]]) -> bool:
    """Whether templates take it that want both sides in turns; a tool is on the user's."""
    rules, *turns = ["user" if each["role"] == "tool" else each["role"] for each in sent]
    return (rules, turns) == ("system", [*["user", "assistant"] * (len(turns) // 2), "user"])


@pytest.mark.parametrize("style", PATHS)
@pytest.mark.parametrize("mode", CHAT_MODES)
@pytest.mark.usefixtures("index")
def test_user_and_assistant_take_turns_in_every_request(
    server: FaultServer, settings: Settings, style: str, mode: str
) -> None:
    settings.EVIDENCE_CHAT_PROVIDER, settings.EVIDENCE_ANSWER_MODE = style, mode
    called = [says(style, None, tool_calls=[CALL])] if mode == "tool" else []
    server.plays(PATHS[style], *called, says(style, "prose"), says(style))
    assert run(*ASK).code == 0
    requests = server.called(PATHS[style])
    assert len(requests) == 2 + len(called)
    assert all(in_turns(body["messages"]) for body in requests)


# Faults


def odd(style: str) -> dict[str, Script]:
    """Answers of the right type and the wrong shape."""
    return {
        "empty": json_answer({}),
        "list": json_answer([]),
        "no turn": json_answer({"message": None, "choices": []}),
        "choices as words": json_answer({"choices": "none", "message": "none"}),
        "content as parts": says(style, [{"type": "text", "text": GOOD}]),
        "calls as words": says(style, GOOD, tool_calls="none"),
        "error with 200": json_answer({"error": f"no model for {KEY}"}),
        "error": status(500, f"bad key {KEY}"),
        "page": answer(b"<html>", "text/html"),
        "truncated": truncated(b'{"message": {'),
    }


@pytest.mark.parametrize("style", PATHS)
def test_an_odd_answer_is_a_named_error_without_any_secret(
    server: FaultServer, settings: Settings, style: str
) -> None:
    for name, script in odd(style).items():
        server.plays(PATHS[style], script)
        with pytest.raises(ProviderError, match=f"^{style}: chat failed: ") as caught:
            model(settings, style).complete(HELLO)
        assert KEY not in str(caught.value), name


def test_calls_without_a_name_are_none(server: FaultServer, settings: Settings) -> None:
    calls: list[object] = [None, {}, {"function": None}, {"function": {"name": 7}}, CALL]
    server.plays("/api/chat", says("ollama", None, tool_calls=calls))
    assert model(settings).complete(HELLO).calls == (RETRIEVE.name,)


def test_the_requests_of_a_question_share_its_time(server: FaultServer, settings: Settings) -> None:
    settings.EVIDENCE_CHAT_DEADLINE = 0.3
    server.plays("/api/chat", says("ollama"), silent)
    asked = model(settings)
    asked.complete(HELLO)
    for _ in range(2):  # the second one finds no time left, and asks nothing
        with pytest.raises(ProviderError, match="chat failed: no complete answer within"):
            asked.complete(HELLO)
    assert len(server.calls) == 2


@pytest.mark.usefixtures("index")
def test_json_tells_the_counters(server: FaultServer) -> None:
    server.plays("/api/chat", says("ollama", "prose"), says("ollama"))
    asked = run(*ASK, "--json").json
    assert (asked["retrieval_calls"], asked["chat_calls"]) == (0, 2)
    assert asked["proposer"] == "baseline/ollama:chatty:1b/quotes-v2"


@pytest.mark.usefixtures("index")
def test_a_command_chooses_among_the_allowed_modes(server: FaultServer, settings: Settings) -> None:
    settings.EVIDENCE_ANSWER_MODES = ["extractive"]
    assert run(*ASK, "--answer-mode", "extractive").code == 0
    refused = run(*ASK, "--answer-mode", "tool")
    assert refused.code == 1 and "this site allows baseline, extractive" in refused.err
    assert server.calls == []


@pytest.mark.usefixtures("index")
def test_an_evaluation_is_of_the_mode_that_was_chosen(
    server: FaultServer, settings: Settings, tmp_path: Path
) -> None:
    settings.EVIDENCE_ANSWER_MODES = ["provider"]
    server.plays("/api/chat", says("ollama"))
    case = {"case_id": "a", "question": ASK[1], "scopes": ["public"], "answerable": True}
    cases = write(tmp_path / "cases.jsonl", json.dumps(case))
    [judged] = done("evaluate", cases, "--answers", "--answer-mode", "provider")["cases"]
    assert judged["answer"]["answer"] == f"[meals#0] {RULE}"
    assert (judged["answer"]["retrieval_calls"], judged["answer"]["chat_calls"]) == (1, 1)
    assert EvaluationRun.objects.get().proposer == "provider/ollama:chatty:1b/quotes-v2"


@pytest.mark.parametrize(
    ("provider", "setting", "value", "named"),
    [
        ("openai", "ENDPOINT", "", "set EVIDENCE_CHAT_ENDPOINT"),
        ("openai", "MODEL", "", "set EVIDENCE_CHAT_MODEL"),
        ("ollama", "ENDPOINT", "http://169.254.169.254/", "the host is neither"),
        ("ollama", "KEY", "two words", "white space"),
    ],
)
def test_what_is_not_set_up_is_named_to_operators_alone(
    settings: Settings, provider: str, setting: str, value: str, named: str
) -> None:
    settings.EVIDENCE_CHAT_PROVIDER = provider
    setattr(settings, f"EVIDENCE_CHAT_{setting}", value)
    chat = configured_answering().model  # nothing is wrong as long as nobody is asked
    with pytest.raises(Misconfigured, match=named) as caught:
        chat.connect()
    assert "EVIDENCE" not in caught.value.for_readers and "169" not in caught.value.for_readers
    assert "two words" not in str(caught.value)


def test_ollama_and_its_model_are_the_defaults(settings: Settings) -> None:
    settings.EVIDENCE_CHAT_ENDPOINT = settings.EVIDENCE_CHAT_MODEL = ""
    profile = chat_profile()
    assert (profile.endpoint, profile.name) == ("http://127.0.0.1:11434", "ollama:granite4:3b")


# In the browser


@pytest.fixture
def erin(client: Client, committed: None, index: None) -> User:
    person = factories.user("erin", groups=["member"])
    grant("public", user="erin")
    client.force_login(person)
    return person


def asked(client: Client, question: str) -> str:
    """The page of a question once its model has answered."""
    response = client.post("/ask/", {"q": question})
    assert response.status_code == 303
    ended()
    return client.get(response["Location"]).content.decode()


def test_a_page_offers_to_ask_again_when_the_model_fails(
    server: FaultServer, client: Client, erin: User, caplog: pytest.LogCaptureFixture
) -> None:
    server.plays("/api/chat", status(503, f"loading {KEY}"))
    text = asked(client, "Which <meals>?")
    assert "No answer: ollama failed (chat)." in text
    assert 'name="q" value="Which &lt;meals&gt;?"' in text and ">Ask again<" in text
    assert "ollama: chat failed: HTTP 503" in caplog.text
    assert KEY not in text + caplog.text


def test_a_recorded_failure_shows_what_lies_near_and_judges_none_of_it(
    server: FaultServer, client: Client, erin: User
) -> None:
    server.plays("/api/chat", status(500))
    text = asked(client, "Which meals are reimbursed?")
    assert "No answer: ollama failed (chat)." in text
    assert "nothing takes its place" in text
    assert "Near your question" in text and "clearly enough" not in text


def test_a_page_answers_by_the_model(server: FaultServer, client: Client, erin: User) -> None:
    server.plays("/api/chat", says("ollama"))
    assert RULE in asked(client, "Which meals are reimbursed?")
