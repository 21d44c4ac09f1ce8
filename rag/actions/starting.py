"""Starting a rebuild from the browser: a process of its own, which outlives the web server."""

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import IO, Final

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from rag.actions.audit import record
from rag.actions.people import actor_named
from rag.actions.rebuild_lock import rebuild_is_running
from rag.core.errors import Busy, StorageError
from rag.queries.runs import START, unanswered_start

# How long a started command may take until its run is on record: it takes one or two seconds.
STARTING: Final = timedelta(seconds=30)
LOG: Final = "rebuild.log"


def start_rebuild(actor: str) -> None:
    """Start ``manage.py rebuild`` and do not wait for it; its output goes to EVIDENCE_HOME/LOG.

    Raises ``Busy`` while one runs or starts. The command takes the lock itself: of two that start
    together the second ends with exit code 3.
    """
    with transaction.atomic():
        if rebuild_is_running() or is_starting():
            raise Busy("A rebuild is running already. Wait for it to end.")
        record(actor_named(actor), START, "index")
        _spawn(f"{timezone.now():%Y-%m-%d %H:%M:%S %Z} started by {actor}\n")


def is_starting() -> bool:
    """Whether a rebuild was asked for that may still begin."""
    asked = unanswered_start()
    return asked is not None and timezone.now() - asked < STARTING


def command() -> Sequence[str]:
    """What is started."""
    return (sys.executable, str(settings.BASE_DIR / "manage.py"), "rebuild")


def _spawn(heading: str) -> None:
    """Start the command in a session of its own: no signal to the server's group reaches it."""
    with _log() as log:
        log.write(heading.encode())
        log.flush()
        try:
            process = subprocess.Popen(
                command(),
                cwd=settings.BASE_DIR,
                env=os.environ | {"EVIDENCE_HOME": str(settings.EVIDENCE_HOME)},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            raise StorageError(f"The rebuild cannot be started: {error.strerror}.") from error
    # A child that nobody waits for stays behind as a zombie. If this process ends first, the
    # system's first process inherits it.
    threading.Thread(target=process.wait, name="rebuild", daemon=True).start()


def _log() -> IO[bytes]:
    path = Path(settings.EVIDENCE_HOME, LOG)
    try:
        return path.open("ab")
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}.") from error
