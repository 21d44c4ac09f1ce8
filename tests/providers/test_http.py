"""The one client ends in time, reads within its limit, and names every fault."""

import gzip
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from rag.adapters import transport
from rag.adapters.http import JsonClient
from rag.core.errors import InvalidOption, ProviderError
from tests.fault_server import (
    Call,
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

KEY = "sk-proj-0123456789abcdef"
PATH = "/v1/thing"


def client(server: FaultServer, *, deadline: float = 5, most_bytes: int = 4096) -> JsonClient:
    return JsonClient("acme", server.address, key=KEY, deadline=deadline, most_bytes=most_bytes)


def fault_of(server: FaultServer, **bounds: float) -> str:
    """What is said when the thing is asked for."""
    with pytest.raises(ProviderError) as caught:
        client(server, **bounds).post(PATH, {}, "asking")  # type: ignore[arg-type]
    sentence = str(caught.value)
    assert sentence.startswith("acme: asking failed: ")
    return sentence.removeprefix("acme: asking failed: ")


def test_an_answer_is_parsed_and_the_request_is_as_asked(server: FaultServer) -> None:
    server.plays(PATH, json_answer({"a": [1.5, None, "ä"]}))
    assert client(server).post(PATH, {"q": "ü"}, "asking") == {"a": [1.5, None, "ä"]}
    [call] = server.calls
    assert (call.method, call.body) == ("POST", {"q": "ü"})
    assert call.headers["authorization"] == f"Bearer {KEY}"
    assert call.headers["accept-encoding"] == "identity"


@pytest.mark.parametrize("script", [silent, dripping_head, dripping_body])
def test_the_deadline_holds_however_an_answer_is_delayed(
    server: FaultServer, script: Script
) -> None:
    server.plays(PATH, script)
    assert fault_of(server, deadline=0.2) == "no complete answer within 0.2 s."


@pytest.mark.parametrize("script", [silent, dripping_head, status(503, retry_after=60)])
def test_a_call_is_given_up_from_another_thread(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch, script: Script
) -> None:
    monkeypatch.setattr(transport, "LOOK_SECONDS", 0.01)
    server.plays(PATH, script)
    asking = client(server, deadline=300)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(asking.post, PATH, {}, "asking")
        while not server.calls:
            assert not asked.done()
        asking.give_up()
        with pytest.raises(ProviderError, match="it was given up"):
            asked.result(30)


def test_an_answer_that_takes_many_looks_is_whole(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(call: Call) -> Iterator[bytes]:
        first, *rest = json_answer({"a": "b" * 1000})(call)
        for piece in (first[:9], first[9:], *rest):
            call.closed.wait(0.02)
            yield piece

    monkeypatch.setattr(transport, "LOOK_SECONDS", 0.001)
    server.plays(PATH, late)
    assert client(server).post(PATH, {}, "asking") == {"a": "b" * 1000}


FAULTS = {
    "error": (status(500, "out of\nmemory."), "HTTP 500 (out of memory)."),
    "silent error": (answer(b"<h1>", "text/html", 502), "HTTP 502."),
    "redirect": (redirect("http://127.0.0.1:1/"), "HTTP 307, a redirect, which is not followed."),
    "page": (answer(b"<html>", "text/html"), "the answer is text/html instead of JSON."),
    "no type": (answer(b"{}", ""), "the answer is nothing named instead of JSON."),
    "truncated": (truncated(b'{"a": 1'), "the answer broke off or is not HTTP."),
    "broken": (answer(b'{"a": 1'), "the answer is not whole, valid JSON."),
    "empty": (answer(b""), "the answer is not whole, valid JSON."),
    "deep": (answer(b"[" * 4000), "the answer is not whole, valid JSON."),
    "nan": (json_answer([float("nan")]), "the answer holds a number that is not finite."),
    "infinity": (json_answer(-float("inf")), "the answer holds a number that is not finite."),
    "too big": (answer(b"[1e999]"), "the answer holds a number that is not finite."),
    "latin-1": (answer(b'"\xe4"'), "the answer is not UTF-8."),
    "half a character": (answer(b'"\\ud800"'), "the answer is not UTF-8."),
    "error with 200": (json_answer({"error": {"message": "no GPU"}}), "no GPU."),
    "encoded": (
        answer(gzip.compress(bytes(9000)), Content_Encoding="gzip"),
        "the answer is encoded as gzip, unasked.",
    ),
    "not HTTP": (
        lambda call: [b"220 mail.example ESMTP\r\n"],
        "the answer broke off or is not HTTP.",
    ),
    "hung up": (lambda call: [], "the answer broke off or is not HTTP."),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named_in_one_sentence(server: FaultServer, name: str) -> None:
    script, sentence = FAULTS[name]
    server.plays(PATH, script)
    assert fault_of(server) == sentence
    assert len(server.calls) == 1


def test_a_body_is_read_no_further_than_the_limit(server: FaultServer) -> None:
    server.plays(PATH, flood(300))
    assert fault_of(server, most_bytes=100_000) == "the answer is longer than 100,000 bytes."
    # What the operating system buffers between the two is out of the client's hands.
    assert server.sent < 30 * 2**20


def test_a_refused_connection_is_named() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        nobody = JsonClient("acme", f"http://127.0.0.1:{unused.getsockname()[1]}", deadline=2)
        with pytest.raises(ProviderError, match=r"^acme: asking failed: the connection was ref"):
            nobody.get(PATH, "asking")


# Coming back later


@pytest.mark.parametrize("code", [429, 503])
def test_a_server_that_says_when_to_come_back_is_asked_again(
    server: FaultServer, code: int
) -> None:
    past = "Wed, 21 Oct 2015 07:28:00 GMT"
    later = [status(code, retry_after=0), status(code, retry_after=past)]
    server.plays(PATH, *later, json_answer({"a": 1}))
    assert client(server).post(PATH, {}, "asking") == {"a": 1}
    assert len(server.calls) == 3


@pytest.mark.parametrize("wait", [None, 6, "Fri, 31 Dec 2077 23:59:59 GMT", "soon", "-1", "1e3"])
def test_a_server_that_says_nothing_usable_is_asked_once(server: FaultServer, wait: object) -> None:
    server.plays(PATH, status(429, "slow down", retry_after=wait), json_answer({}))
    assert fault_of(server, deadline=5) == "HTTP 429 (slow down)."
    assert len(server.calls) == 1


def test_a_server_that_always_puts_off_is_given_up(server: FaultServer) -> None:
    server.plays(PATH, status(503, retry_after=0))
    assert fault_of(server) == "HTTP 503."
    assert len(server.calls) == 3


# The key


@pytest.mark.parametrize("echo", [KEY, KEY.upper(), KEY[3:12], f"Bearer {KEY}", f"{KEY[:10]}***"])
def test_a_key_that_the_server_repeats_is_not_shown(
    server: FaultServer, caplog: pytest.LogCaptureFixture, echo: str
) -> None:
    caplog.set_level("DEBUG")
    server.plays(
        PATH,
        status(401, f"Incorrect API key provided: {echo}."),
        json_answer({"error": {"message": echo}}),
        answer(b"", f"text/{echo}"),
    )
    for _ in range(3):
        assert "since they repeat the key" in fault_of(server)
    assert "0123" not in caplog.text


def test_a_key_stands_in_no_representation_and_in_no_traceback(server: FaultServer) -> None:
    server.plays(PATH, status(500, KEY))
    asking = client(server)
    with pytest.raises(ProviderError) as caught:
        asking.get(PATH, "asking")
    assert caught.value.__cause__ is caught.value.__context__ is None
    assert KEY not in f"{asking!r} {caught.value!r} {asking.endpoint!r}"


@pytest.mark.parametrize("key", ["two words", "line\n", "schlüssel"])
def test_a_key_that_no_header_can_hold_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        JsonClient("acme", "http://127.0.0.1", key=key)
    assert key.strip() not in str(caught.value)


def test_the_environment_names_no_proxy(
    server: FaultServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    server.plays(PATH, json_answer({"a": 1}))
    assert client(server).get(PATH, "asking") == {"a": 1}
