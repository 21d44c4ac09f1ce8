"""How many threads of a process may wait for a provider: a hung one must not hold them all."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore
from typing import Final

from rag.core.errors import Busy

PATIENCE: Final = 1.0  # seconds that one more waits for a place; a provider that works is faster
FULL: Final = (
    "The service that embeds questions is slow, and as many wait for it as may at once. "
    "Try again in a moment, or search by words."
)


class Places:
    """Places for ``most`` calls at the same time."""

    def __init__(self, most: int) -> None:
        self._free = BoundedSemaphore(most)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """One place meanwhile. Raises Busy where none gets free in time."""
        if not self._free.acquire(timeout=PATIENCE):
            raise Busy(FULL)
        try:
            yield
        finally:
            self._free.release()
