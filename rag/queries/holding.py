"""Which snapshot answers a request: while a new index is loaded, the old one serves."""

import logging
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Final

from django.db import connection

from rag.core.index import EMBEDDING_FIELDS, Manifest, Snapshot
from rag.queries.reading import reading

# What two indexes must have in common before one can stand in for the other.
ALIKE: Final = (*EMBEDDING_FIELDS, "epoch")
logger: Final = logging.getLogger(__name__)


@dataclass(frozen=True)
class Tables:
    """How the open transaction's index is read: its generation, its manifest, all of it (hurried
    if somebody waits for it); and in which revisions it differs from a snapshot."""

    generation: Callable[[], str]
    manifest: Callable[[], tuple[Manifest, str]]
    load: Callable[[Manifest, str, bool], Snapshot]
    differing: Callable[[Snapshot], frozenset[int]]


@dataclass(eq=False)
class _Load:
    """One load: of which index, and how it ended."""

    generation: str
    ended: threading.Event = field(default_factory=threading.Event)
    error: Exception | None = None


class Holder:
    """What a process holds. One thread at a time loads, and holds no lock while it does."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._lock = threading.Lock()  # guards the next three
        self._held: dict[str, Snapshot] = {}
        self._under_way: _Load | None = None
        # An index that could not be loaded, with the error until a request was told of it.
        self._failed: dict[str, Exception | None] = {}
        self._comparing = threading.Lock()  # guards the next one
        self._compared: dict[tuple[str, str], frozenset[int]] = {}

    def held(self, generation: str) -> Snapshot | None:
        with self._lock:
            return self._held.get(generation)

    def snapshot_for(self, revisions: Collection[int]) -> Snapshot:
        """A snapshot that ranks these revisions as the index of the open transaction does."""
        generation = self._tables.generation()
        held = self.held(generation)
        if held is not None:
            return held
        self._raise_untold(generation)
        old = self._stand_in(generation, revisions)
        if old is None:
            return self.snapshot_of(generation)
        self._load_beside(generation)
        return old

    def snapshot_of(self, generation: str) -> Snapshot:
        """Held, loaded by another thread that is at it, or loaded here."""
        while True:
            with self._lock:
                if generation in self._held:
                    return self._held[generation]
                other = self._under_way
                if other is None:
                    mine = self._begin(generation)
                    break
            other.ended.wait()
            if other.error is not None and other.generation == generation:
                self._told(generation)
                raise other.error.with_traceback(None)
        return self._load_here(mine)

    def _stand_in(self, generation: str, revisions: Collection[int]) -> Snapshot | None:
        """A held snapshot that was made alike and has the very same chunks of ``revisions``.

        None beside an index that could not be loaded: nothing is answered from a damaged one.
        None, too, where this connection has written: no other thread could see what to load.
        """
        with self._lock:
            old = next(reversed(self._held.values()), None)
            failed = generation in self._failed
        if old is None or failed or connection.in_atomic_block:
            return None
        manifest, _ = self._tables.manifest()
        if any(getattr(old.manifest, name) != getattr(manifest, name) for name in ALIKE):
            return None
        return old if self._differing(old, generation).isdisjoint(revisions) else None

    def _differing(self, old: Snapshot, generation: str) -> frozenset[int]:
        """Compared once for all requests that meet these two."""
        pair = (old.generation, generation)
        with self._comparing:
            if pair not in self._compared:
                self._compared = {pair: self._tables.differing(old)}
            return self._compared[pair]

    def _load_beside(self, generation: str) -> None:
        """Begin to load in the background, unless some thread is loading already."""
        with self._lock:
            if self._under_way is not None or generation in self._held:
                return
            load = self._begin(generation)
        # A daemon: a command that is done does not wait for an index that nobody asks for.
        thread = threading.Thread(target=self._beside, args=(load,), name="index", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # the system gives no more threads
            self._end(load)
            raise

    def _beside(self, load: _Load) -> None:
        try:
            self._load(load, hurried=False)
        except Exception as error:
            where = getattr(error, "detail", str(error))
            logger.error("The new index could not be loaded: %s", where, exc_info=error)
            # The frames would keep alive what was read of the index so far.
            load.error = error.with_traceback(None)
        finally:
            self._end(load)
            connection.close()

    def _load_here(self, load: _Load) -> Snapshot:
        try:
            return self._load(load, hurried=True)
        except Exception as error:
            load.error = error
            raise
        finally:
            self._end(load)
            self._told(load.generation)

    def _load(self, load: _Load, *, hurried: bool) -> Snapshot:
        """Load the index that this thread's transaction sees, which may be newer than asked for."""
        with reading():
            manifest, load.generation = self._tables.manifest()
            held = self.held(load.generation)
            snapshot = held or self._tables.load(manifest, load.generation, hurried)
        with self._lock:
            self._held[snapshot.generation] = snapshot
        return snapshot

    def _begin(self, generation: str) -> _Load:
        # Two at most: the newest serves while one is loaded, and for requests begun before it.
        self._held = dict(list(self._held.items())[-1:])
        self._under_way = _Load(generation)
        return self._under_way

    def _end(self, load: _Load) -> None:
        with self._lock:
            if load.error is not None:
                self._failed = {load.generation: load.error}
            self._under_way = None
        load.ended.set()

    def _told(self, generation: str) -> None:
        with self._lock:
            if generation in self._failed:
                self._failed[generation] = None

    def _raise_untold(self, generation: str) -> None:
        """What went wrong in the background reaches the next request for that index."""
        with self._lock:
            error = self._failed.get(generation)
        if error is not None:
            self._told(generation)
            raise error.with_traceback(None)
