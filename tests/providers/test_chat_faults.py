"""Every fault of a chat endpoint: exit code 1, one sentence, and the question on record."""

import gzip
import socket
from pathlib import Path
from typing import Final

import pytest
from pytest_django import Settings

from rag.models import Answer, Citation
from tests import factories
from tests.commands.command_line import run
from tests.fault_server import (
    FaultServer,
    Script,
    answer,
    dripping_body,
    dripping_head,
    flood,
    json_answer,
    redirect,
    silent,
    status,
    truncated,
)
from tests.providers.chat_servers import ASK, GOOD, KEY, RULE, configure, says

FAULTS: Final[dict[str, Script]] = {
    "silent": silent,
    "dripping head": dripping_head,
    "dripping body": dripping_body,
    "busy": status(429, "slow down"),
    "busy for long": status(429, "slow down", retry_after=3600),
    "not there yet": status(503, f"loading for {KEY}"),
    "error": status(500, f"no memory for {KEY}"),
    "unknown key": status(401, f"bad key {KEY}"),
    "redirect": redirect("http://127.0.0.1:1/"),
    "page": answer(b"<html>", "text/html"),
    "other type": answer(GOOD.encode(), "text/plain"),
    "truncated": truncated(b'{"message": {'),
    "broken": answer(b'{"message": {"content": "'),
    "not a number": json_answer({"message": {"content": GOOD}, "eval_count": float("nan")}),
    "infinite": json_answer({"message": {"content": GOOD}, "eval_count": float("inf")}),
    "error with 200": json_answer({"error": f"no model for {KEY}"}),
    "nothing": json_answer({}),
    "no turn": json_answer({"message": None}),
    "content as parts": says("ollama", [{"type": "text", "text": GOOD}]),
    "half a character": answer(b'{"message": {"content": "\\ud800"}}'),
    "flood": flood(30),
    "bomb": answer(gzip.compress(bytes(10**7)), Content_Encoding="gzip"),
    "hung up": lambda call: [],
}
ENDLESS: Final = (silent, dripping_head, dripping_body)


@pytest.fixture(autouse=True)
def index(db: None, server: FaultServer, settings: Settings, tmp_path: Path) -> None:
    configure(settings, server)
    factories.import_text(tmp_path, "meals", RULE)
    factories.rebuild()


def check_failed(name: str) -> None:
    """Asking fails by name, shows no secret, and leaves one record without a citation."""
    Answer.objects.all().delete()
    ended = run(*ASK, "--json")
    assert (ended.code, ended.out) == (1, ""), name
    assert ended.err.startswith("ollama: chat failed: ") and ended.err.count("\n") == 1, name
    assert KEY not in ended.err, name
    recorded = Answer.objects.get()
    assert (recorded.reason_code, recorded.chat_calls) == ("provider", 1), name
    assert recorded.text == "No answer: ollama failed (chat)."
    assert not Citation.objects.exists()


def test_every_fault_is_named_and_keeps_the_question(
    server: FaultServer, settings: Settings
) -> None:
    for name, script in FAULTS.items():
        settings.EVIDENCE_CHAT_DEADLINE = 0.2 if script in ENDLESS else 5
        server.plays("/api/chat", script)
        check_failed(name)


def test_a_refused_connection_is_named_and_keeps_the_question(settings: Settings) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        settings.EVIDENCE_CHAT_ENDPOINT = f"http://127.0.0.1:{unused.getsockname()[1]}"
        check_failed("refused")


def test_a_server_that_is_ready_a_moment_later_answers(server: FaultServer) -> None:
    server.plays("/api/chat", status(503, retry_after=0), says("ollama"))
    assert run(*ASK).out == f"[meals#0] {RULE}\n"
    assert Answer.objects.get().chat_calls == 1
