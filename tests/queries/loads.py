"""Loading that a test holds up, and requests in threads of their own."""

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

from django.db import connection

from rag.core.index import Manifest, Snapshot
from rag.queries.loading import load_snapshot

PATIENCE: Final = 20  # seconds after which a thread that waits for nothing fails its test
T = TypeVar("T")


class FakeSlowLoad:
    """Loads as usual, but only when it is let; knows which generations it was asked for."""

    def __init__(self) -> None:
        self.let, self.begun = threading.Event(), threading.Event()
        self.let.set()
        self.generations: list[str] = []
        self.connections: list[Any] = []  # of the threads that loaded, one for each load

    def __call__(self, manifest: Manifest, generation: str, hurried: bool) -> Snapshot:
        self.generations.append(generation)
        self.connections.append(connection.connection)
        self.begun.set()
        assert self.let.wait(PATIENCE), "nobody let it go on"
        return load_snapshot(manifest, generation, hurried)

    def hold_up(self) -> None:
        """Every load from now on begins and goes no further."""
        self.let.clear()
        self.begun.clear()

    def has_begun(self) -> bool:
        """Wait until a load that is held up has begun."""
        return self.begun.wait(PATIENCE)

    def finish(self) -> None:
        """Let go on what was held up, and wait until the thread in the background has ended."""
        self.let.set()
        for thread in threading.enumerate():
            if thread.name == "index":
                thread.join(PATIENCE)
                assert not thread.is_alive()


class FakeEnd(threading.Event):
    """The end of a load that knows when requests wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting = threading.Semaphore(0)

    def wait(self, timeout: float | None = None) -> bool:
        self.waiting.release()
        return super().wait(timeout)

    def awaited_by(self, requests: int) -> bool:
        """Wait until so many wait."""
        return all(self.waiting.acquire(timeout=PATIENCE) for _ in range(requests))


class Requests:
    """Requests side by side, each with a connection of its own, as a server's threads have."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(4)

    def start(self, request: Callable[[], T]) -> "Future[T]":
        return self._pool.submit(_and_close, request)

    def end(self) -> None:
        self._pool.shutdown()


def _and_close(request: Callable[[], T]) -> T:
    try:
        return request()
    finally:
        connection.close()
