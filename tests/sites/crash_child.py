"""What the child scripts share: Django made ready, the embedder watched, statements traced.

``PAID_FILE``: each text that is embedded is appended as its SHA-256, before its vector is made.
``EMBED_SECONDS``: how long one text takes.
"""

import hashlib
import os
import time
from collections.abc import Callable, Sequence
from typing import Any


def ready() -> None:
    """Set Django up as ``manage.py`` does, with the embedder watched."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evidencesite.settings")
    import evidencesite  # noqa: F401, I001
    import django

    django.setup()
    _watch_embedder(os.environ.get("PAID_FILE", ""), float(os.environ.get("EMBED_SECONDS", "0")))


def on_connect(prepare: Callable[[Any], None]) -> None:
    """Call ``prepare`` with each raw SQLite connection that Django opens."""
    from django.db.backends.signals import connection_created

    def opened(connection: Any, **signal: Any) -> None:
        prepare(connection.connection)

    connection_created.connect(opened, weak=False)


def _watch_embedder(file: str, seconds: float) -> None:
    from rag.core.embeddings import CANARIES, HashingEmbedder

    embed = HashingEmbedder.embed_batch

    def watched(self: HashingEmbedder, texts: Sequence[str], **callbacks: Any) -> Any:
        if tuple(texts) != CANARIES:
            _append(file, texts)
            for _ in texts:
                time.sleep(seconds)
        return embed(self, texts, **callbacks)

    setattr(HashingEmbedder, "embed_batch", watched)  # noqa: B010


def _append(file: str, texts: Sequence[str]) -> None:
    if not file:
        return
    lines = "".join(f"{hashlib.sha256(text.encode()).hexdigest()}\n" for text in texts)
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(descriptor, lines.encode())
    os.close(descriptor)
