"""A transport for httpx that cannot overrun its time: each wait on the socket ends by then.

A timeout of httpx is per read, and a server that drips a byte a second, in the headers too,
passes it for hours.
"""

import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from math import inf
from typing import Any, Final

import httpcore
import httpx

from rag.adapters.endpoints import Fault, resolved

CONNECT_SECONDS: Final = 10.0
PIECE: Final = 16 * 1024
LOOK_SECONDS: Final = 0.5  # how long a call that was given up may go on reading


class Deadline:
    """A moment ``seconds`` from now, or when the call is given up."""

    def __init__(self, seconds: float, given_up: Callable[[], bool] = lambda: False) -> None:
        self.seconds = seconds
        self._given_up = given_up
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds until then, above 0. Raises Fault when it has passed."""
        if self._given_up():
            raise Fault("it was given up")
        left = self._end - time.monotonic()
        if left <= 0:
            raise self.passed()
        return left

    def pause(self, seconds: float) -> None:
        """Wait, unless the call is given up meanwhile. Raises Fault as above."""
        until = time.monotonic() + seconds
        while (wait := until - time.monotonic()) > 0:
            time.sleep(min(wait, self.left, LOOK_SECONDS))

    def passed(self) -> Fault:
        return Fault(f"no complete answer within {self.seconds:g} s")


class BoundedTransport(httpx.BaseTransport):
    """One connection for one call: no proxy, no reuse, addresses checked, TLS verified."""

    def __init__(self, scheme: str, deadline: Deadline) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=_trusted() if scheme == "https" else None,
            max_connections=1,
            network_backend=_Backend(scheme, deadline),
        )

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        answer = self._pool.handle_request(
            httpcore.Request(
                request.method,
                httpcore.URL(
                    scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                ),
                headers=request.headers.raw,
                content=request.stream,
            )
        )
        return httpx.Response(answer.status, headers=answer.headers, stream=_Body(answer))

    def close(self) -> None:
        self._pool.close()


class _Body(httpx.SyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    def close(self) -> None:
        self._answer.close()


class _Backend(httpcore.NetworkBackend):
    def __init__(self, scheme: str, deadline: Deadline) -> None:
        self._scheme, self._deadline = scheme, deadline

    def connect_tcp(self, host: str, port: int, *args: Any, **options: Any) -> "_Stream":
        """Connect to the first address that answers, exactly as it was checked."""
        fault = Fault("its host name is not known")
        for address in resolved(host, port, self._scheme):
            wait = min(CONNECT_SECONDS, self._deadline.left)
            try:
                return _Stream(socket.create_connection(address, wait), self._deadline)
            except OSError as error:
                fault = _fault(error, self._deadline)
        raise fault


class _Stream(httpcore.NetworkStream):
    """A socket each of whose waits ends with the deadline."""

    def __init__(self, connected: socket.socket, deadline: Deadline) -> None:
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket, self._deadline = connected, deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        while True:
            with self._bounded(LOOK_SECONDS), suppress(TimeoutError):
                return self._socket.recv(max_bytes)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        # In pieces: TLS starts its timeout anew with each part that was sent.
        for start in range(0, len(buffer), PIECE):
            with self._bounded():
                self._socket.sendall(buffer[start : start + PIECE])

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> "_Stream":
        with self._bounded():
            secured = ssl_context.wrap_socket(self._socket, server_hostname=server_hostname)
        return _Stream(secured, self._deadline)

    def close(self) -> None:
        self._socket.close()

    @contextmanager
    def _bounded(self, most: float = inf) -> Iterator[None]:
        self._socket.settimeout(min(self._deadline.left, most))
        try:
            yield
        except OSError as error:
            self._socket.close()
            raise _fault(error, self._deadline) from None


def _fault(error: OSError, deadline: Deadline) -> Fault:
    """What happened to a connection, without a word that the other side chose."""
    if isinstance(error, TimeoutError):
        return deadline.passed()
    if isinstance(error, ssl.SSLCertVerificationError):
        return Fault(f"its certificate is not trusted ({error.verify_message})")
    if isinstance(error, ssl.SSLError):
        return Fault("TLS could not be agreed on")
    if isinstance(error, ConnectionRefusedError):
        return Fault("the connection was refused")
    return Fault("the connection failed or broke off")


@cache
def _trusted() -> ssl.SSLContext:
    """The certificates that this machine trusts, a company's own too; 20 ms to load."""
    return ssl.create_default_context()
