"""A model provider on loopback that plays every fault over real HTTP.

    with fault_server() as server:
        server.plays("/api/embed", json_answer({"embeddings": [[1.0]]}))
        server.plays("/api/chat", status(429, retry_after=0), json_answer({"message": {}}))
        ... JsonClient("ollama", server.address).post("/api/chat", {}, "chat")
        server.calls  # what was asked: method, path, headers, parsed body

A script is a function from a ``Call`` to the bytes that go over the wire, headers included. The
scripts of a path are played in order; the last one is repeated. A path without one gets a 404.
A script that waits does so until the client has gone or the server is closed.
"""

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

MEGABYTE: Final = 2**20


@dataclass(frozen=True)
class Call:
    """What a client asked; ``closed`` is set when the server ends."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: Any
    closed: threading.Event = field(repr=False, compare=False)


Script = Callable[[Call], Iterable[bytes]]


@dataclass
class FaultServer:
    """``calls`` are all requests so far, ``sent`` the bytes that went out.

    What a script raises, an assertion too, is raised again when the server ends.
    """

    address: str = ""
    calls: list[Call] = field(default_factory=list)
    sent: int = 0
    failures: list[Exception] = field(default_factory=list)
    scripts: dict[str, list[Script]] = field(default_factory=dict)
    closed: threading.Event = field(default_factory=threading.Event)

    def plays(self, path: str, *scripts: Script) -> None:
        """From now on this path answers so."""
        self.scripts[path] = list(scripts)

    def called(self, path: str) -> list[Any]:
        """The bodies that a path was sent."""
        return [call.body for call in self.calls if call.path == path]

    def next_script(self, path: str) -> Script:
        waiting = self.scripts.get(path) or [status(404)]
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]


@contextmanager
def fault_server() -> Iterator[FaultServer]:
    """A server of its own, with a thread for each request."""
    playing = FaultServer()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(playing))
    playing.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield playing
    finally:
        playing.closed.set()
        server.shutdown()
        server.server_close()
        thread.join()
    for failure in playing.failures:
        raise failure


def _handler(playing: FaultServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def play(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = json.loads(self.rfile.read(length) or b"null")
            headers = {name.lower(): value for name, value in self.headers.items()}
            call = Call(self.command, self.path, headers, body, playing.closed)
            playing.calls.append(call)
            self.close_connection = True
            try:
                for piece in playing.next_script(self.path)(call):
                    playing.sent += self.connection.send(piece)
            except OSError:
                """The client has gone."""
            except Exception as error:
                playing.failures.append(error)

        do_GET = do_POST = play

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing: a test's output is its own."""

    return Handler


def head(status: int, headers: Mapping[str, object]) -> bytes:
    """The head of an answer."""
    lines = [f"HTTP/1.1 {status} Played", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def answer(body: bytes, kind: str = "application/json", code: int = 200, **more: object) -> Script:
    """A whole answer; ``more`` are headers, with ``_`` for ``-``."""
    named = {name.replace("_", "-"): value for name, value in more.items()}
    headers = {"Content-Type": kind, "Content-Length": len(body), **named}
    return lambda call: [head(code, headers), body]


def json_answer(value: object, code: int = 200, **more: object) -> Script:
    """A value as JSON; NaN and Infinity as Python writes them."""
    return answer(json.dumps(value).encode(), "application/json", code, **more)


def computed(value: Callable[[Any], object]) -> Script:
    """JSON made from the body of the request, as a model's answer is."""
    return lambda call: json_answer(value(call.body))(call)


def status(code: int, message: str = "", retry_after: object = None) -> Script:
    """An error of the server, with its words and with when to come back."""
    value = {"error": message} if message else {}
    if retry_after is None:
        return json_answer(value, code)
    return json_answer(value, code, Retry_After=retry_after)


def redirect(address: str) -> Script:
    """Somewhere else."""
    return answer(b"", code=307, Location=address)


def truncated(body: bytes) -> Script:
    """A body that ends before its announced length."""
    headers = {"Content-Type": "application/json", "Content-Length": len(body) + 10}
    return lambda call: [head(200, headers), body]


def silent(call: Call) -> Iterator[bytes]:
    """Takes the request and never answers."""
    call.closed.wait(30)
    yield b""


def dripping_head(call: Call) -> Iterator[bytes]:
    """A header that never ends, a byte at a time."""
    yield b"HTTP/1.1 200 OK\r\nX: "
    while not call.closed.wait(0.01):
        yield b"x"


def dripping_body(call: Call) -> Iterator[bytes]:
    """White space before the JSON, a byte at a time, for ever."""
    yield head(200, {"Content-Type": "application/json"})
    while not call.closed.wait(0.01):
        yield b" "


def flood(megabytes: int) -> Script:
    """A body of that size that does not announce its length."""

    def play(call: Call) -> Iterator[bytes]:
        yield head(200, {"Content-Type": "application/json"})
        for _ in range(megabytes):
            yield b" " * MEGABYTE

    return play
