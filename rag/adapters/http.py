"""The one client for model providers: JSON in and out, bounded in time and size."""

import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Final, NoReturn

import httpcore
import httpx

from rag.adapters.endpoints import Endpoint, Fault
from rag.adapters.payload import Discretion, as_json, error_message, retry_after, strict_json
from rag.adapters.transport import BoundedTransport, Deadline
from rag.core.errors import InvalidOption, ProviderError

TRIES: Final = 3
LATER: Final = (429, 503)


class _Later(Fault):
    """The server asks to come back; ``wait`` in seconds, None if it does not say when."""

    def __init__(self, cause: str, wait: float | None) -> None:
        super().__init__(cause)
        self.wait = wait


class JsonClient:
    """Calls of one provider. Threads may share it; nothing is opened before the first call.

    ``deadline`` (seconds) holds for a call with all its repetitions, ``most_bytes`` for an answer
    as it comes over the wire. Redirects, proxies of the environment and compressed answers are
    refused; ``allowed_hosts`` may be contacted besides this machine. ``place`` is held during a
    call, and may refuse it. Raises InvalidOption.
    """

    def __init__(
        self,
        provider: str,
        endpoint: str,
        *,
        key: str = "",
        deadline: float = 300.0,
        most_bytes: int = 16 * 2**20,
        allowed_hosts: Collection[str] = (),
        place: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        if not (key.isascii() and key.isprintable()) or " " in key:
            # The value is not shown, and a header would refuse it with the value in its words.
            raise InvalidOption("key", "(not shown)", "it has white space or letters beyond ASCII")
        self.provider, self.deadline, self.most_bytes = provider, deadline, most_bytes
        self.endpoint = Endpoint.of(endpoint, allowed_hosts)
        self._discretion = Discretion(key)
        self._headers = {"Accept": "application/json", "Accept-Encoding": "identity"}
        self._given_up, self._place = threading.Event(), place
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    def __repr__(self) -> str:
        return f"JsonClient({self.provider!r}, {self.endpoint.url('')!r})"

    def give_up(self) -> None:
        """End the call that another thread is in, within a second, and all that follow."""
        self._given_up.set()

    def post(
        self,
        path: str,
        body: Mapping[str, object],
        operation: str,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> object:
        """The parsed answer; ``cancelled`` is asked twice a second, and ends the call.

        Raises ProviderError with the provider, operation and cause.
        """
        return self._named("POST", path, as_json(body), operation, cancelled)

    def get(
        self, path: str, operation: str, cancelled: Callable[[], bool] = lambda: False
    ) -> object:
        """The parsed answer, as ``post``."""
        return self._named("GET", path, b"", operation, cancelled)

    def _named(
        self, method: str, path: str, body: bytes, operation: str, cancelled: Callable[[], bool]
    ) -> object:
        deadline = Deadline(self.deadline, lambda: self._given_up.is_set() or cancelled())
        # Chained causes are cut: a log that prints them would print what the server chose.
        try:
            with self._place():
                return self._repeated(method, path, body, deadline)
        except Fault as fault:
            cause = str(fault)
        except (httpcore.ProtocolError, httpx.HTTPError, httpx.InvalidURL):
            cause = "the answer broke off or is not HTTP"
        raise ProviderError(self.provider, operation, cause)

    def _repeated(self, method: str, path: str, body: bytes, deadline: Deadline) -> object:
        for _ in range(TRIES - 1):
            try:
                return self._once(method, path, body, deadline)
            except _Later as later:
                if later.wait is None or later.wait >= deadline.left:
                    raise
                deadline.pause(later.wait)
        return self._once(method, path, body, deadline)

    def _once(self, method: str, path: str, body: bytes, deadline: Deadline) -> object:
        headers = self._headers | ({"Content-Type": "application/json"} if body else {})
        transport = BoundedTransport(self.endpoint.scheme, deadline)
        with (
            httpx.Client(transport=transport, trust_env=False, follow_redirects=False) as client,
            client.stream(
                method, self.endpoint.url(path), content=body, headers=headers
            ) as response,
        ):
            return self._value(response)

    def _value(self, response: httpx.Response) -> object:
        if response.is_redirect:
            raise Fault(f"HTTP {response.status_code}, a redirect, which is not followed")
        if not response.is_success:
            self._refuse(response)
        value = self._json(response)
        if message := error_message(value):
            raise Fault(self._discretion.shown(message))
        return value

    def _refuse(self, response: httpx.Response) -> NoReturn:
        try:
            message = error_message(self._json(response))
        except Fault:
            message = ""
        status = f"HTTP {response.status_code}"
        cause = f"{status} ({self._discretion.shown(message)})" if message else status
        if response.status_code in LATER:
            raise _Later(cause, retry_after(response.headers.get("Retry-After")))
        raise Fault(cause)

    def _json(self, response: httpx.Response) -> object:
        encoding = response.headers.get("Content-Encoding", "identity")
        if encoding.strip().lower() != "identity":
            raise Fault(f"the answer is encoded as {self._discretion.shown(encoding)}, unasked")
        kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if kind != "application/json" and not kind.endswith("+json"):
            shown = self._discretion.shown(kind) or "nothing named"
            raise Fault(f"the answer is {shown} instead of JSON")
        return strict_json(self._bytes(response))

    def _bytes(self, response: httpx.Response) -> bytes:
        """The body as it comes, read no further than the limit."""
        raw = bytearray()
        for piece in response.iter_raw():
            raw += piece
            if len(raw) > self.most_bytes:
                raise Fault(f"the answer is longer than {self.most_bytes:,} bytes")
        return bytes(raw)
