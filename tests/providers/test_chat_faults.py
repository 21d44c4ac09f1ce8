"""Every fault of a chat endpoint: exit code 1, one sentence, and the question on record."""

import socket
from pathlib import Path

import pytest
from pytest_django import Settings

from rag.models import Answer, Citation
from tests import factories
from tests.commands.command_line import run
from tests.fault_server import FaultServer, json_answer, status
from tests.providers.chat_servers import ASK, GOOD, PATHS, RULE, configure, says
from tests.providers.faults import ENDLESS, FAULTS, KEY


@pytest.fixture(autouse=True)
def index(db: None, server: FaultServer, settings: Settings, tmp_path: Path) -> None:
    configure(settings, server)
    factories.import_text(tmp_path, "meals", RULE)
    factories.rebuild()


def check_failed(style: str, name: str, cause: str) -> None:
    """Asking fails by name, shows no secret, and leaves one record without a citation."""
    Answer.objects.all().delete()
    ended = run(*ASK, "--json")
    assert (ended.code, ended.out) == (1, ""), name
    assert ended.err.startswith(f"{style}: chat failed: ") and ended.err.count("\n") == 1, name
    assert cause in ended.err, name
    assert KEY[:8] not in ended.err, name
    recorded = Answer.objects.get()
    assert (recorded.question, recorded.reason_code) == (ASK[1], "provider"), name
    assert recorded.chat_calls == 1, name
    assert recorded.text == f"No answer: {style} failed (chat)."
    assert not Citation.objects.exists()


@pytest.mark.parametrize("style", PATHS)
def test_every_fault_is_named_and_keeps_the_question(
    server: FaultServer, settings: Settings, caplog: pytest.LogCaptureFixture, style: str
) -> None:
    caplog.set_level("DEBUG")
    settings.EVIDENCE_CHAT_PROVIDER = style
    shapes = {
        "no turn": json_answer({"message": None, "choices": []}),
        "content as parts": says(style, [{"type": "text", "text": GOOD}]),
        "calls as words": says(style, GOOD, tool_calls="none"),
    }
    for name, (script, cause) in (FAULTS | {n: (s, "") for n, s in shapes.items()}).items():
        settings.EVIDENCE_CHAT_DEADLINE = 0.2 if script in ENDLESS else 5
        server.plays(PATHS[style], script)
        check_failed(style, name, cause)
    assert KEY[:8] not in caplog.text


@pytest.mark.parametrize("style", PATHS)
def test_a_refused_connection_is_named_and_keeps_the_question(
    settings: Settings, style: str
) -> None:
    settings.EVIDENCE_CHAT_PROVIDER = style
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        settings.EVIDENCE_CHAT_ENDPOINT = f"http://127.0.0.1:{unused.getsockname()[1]}"
        check_failed(style, "refused", "the connection was refused")


def test_a_server_that_is_ready_a_moment_later_answers(server: FaultServer) -> None:
    server.plays("/api/chat", status(503, retry_after=0), says("ollama"))
    assert run(*ASK).out == f"[meals#0] {RULE}\n"
    assert Answer.objects.get().chat_calls == 1
