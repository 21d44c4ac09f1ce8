"""The lock that lets one rebuild run at a time, and how others see whether it is held.

It is an ``flock``: it frees itself when its process dies, however it dies.
"""

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TextIO, cast

from django.conf import settings

from rag.core.errors import Busy, StorageError

# Who looks whether a rebuild runs holds a shared lock for some microseconds, and somebody looks
# every second or so. A rebuild that starts in such a moment has to ask again.
TRIES: Final = 10
PAUSE: Final = 0.05  # seconds


@contextmanager
def only_rebuild() -> Iterator[None]:
    """Hold the site's rebuild lock. Raises ``Busy`` while another rebuild holds it."""
    with _lock_file() as lock:
        for _ in range(TRIES):
            if _take(lock):
                break
            time.sleep(PAUSE)
        else:
            raise Busy("Another rebuild is running on this site. Wait for it to end.")
        yield


def rebuild_is_running() -> bool:
    """Whether a process holds the rebuild lock now.

    A lock has no question "who holds it?": a shared one is taken and given back at once. Several
    who look do not see each other, and a rebuild that starts meanwhile tries again.
    """
    try:
        with _path().open() as lock:
            fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # no rebuild has ever run, or the folder is not readable: it says so itself
        return False
    return False


def _take(lock: TextIO) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _lock_file() -> TextIO:
    path = _path()
    try:
        return cast(TextIO, path.open("w"))
    except OSError as error:
        raise StorageError(
            f"{path} cannot be written: {error.strerror}. Check the folder's permissions."
        ) from error


def _path() -> Path:
    return Path(settings.EVIDENCE_HOME, "rebuild.lock")
