"""The parts that this process serves with: made once, so that models are loaded once."""

import threading
from typing import Final

from django.conf import settings

from rag.actions.answering import chat_profile
from rag.actions.profiles import Parts, configured

_lock: Final = threading.Lock()
_held: Final[dict[tuple[object, ...], Parts]] = {}


def site_parts() -> Parts:
    """The configured parts; every thread of the process gets the same object."""
    key = (
        *(settings.EVIDENCE_PROFILE, settings.EVIDENCE_CHUNKING, settings.EVIDENCE_GATE),
        settings.EVIDENCE_RETRIEVER,
        *(settings.EVIDENCE_EMBEDDING_ENDPOINT, settings.EVIDENCE_EMBEDDING_MODEL),
        *(settings.EVIDENCE_ANSWER_MODE, *settings.EVIDENCE_ANSWER_MODES, chat_profile()),
    )
    with _lock:
        if key not in _held:
            _held[key] = configured()
        return _held[key]
