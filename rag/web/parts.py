"""The parts that this process serves with: made once, so that models are loaded once."""

import threading
from typing import Final

from django.conf import settings

from rag.actions.profiles import Parts, configured

_lock: Final = threading.Lock()
_held: Final[dict[tuple[str, ...], Parts]] = {}


def site_parts() -> Parts:
    """The configured parts; every thread of the process gets the same object."""
    names = ("PROFILE", "CHUNKING", "GATE", "RETRIEVER")
    key = tuple(getattr(settings, f"EVIDENCE_{name}") for name in names)
    with _lock:
        if key not in _held:
            _held[key] = configured()
        return _held[key]
