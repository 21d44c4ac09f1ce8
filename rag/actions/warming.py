"""Warming up: a server's process loads models and index before somebody waits for them."""

import logging

from django.db import DatabaseError, connection

from rag.actions.governing import today
from rag.actions.profiles import Parts, default_policy
from rag.actions.searching import search
from rag.core.errors import RagError
from rag.core.retrieval import Options
from rag.core.sources import Access, Selection

logger = logging.getLogger("rag")


def warm_up(parts: Parts) -> None:
    """Load what the first request would: embedder, cross-encoder and the snapshot of the index.

    It searches as nobody, who may read nothing. What cannot be loaded is named in the log, and
    each request that needs it says so itself.
    """
    nobody = Access("", frozenset(), today())
    try:
        parts.proposer.relevance("warm up", ["warm up"])
        search("warm up", nobody, Selection(), Options(policy=default_policy()), parts)
    except (RagError, DatabaseError) as error:
        logger.warning("not warmed up: %s", error)
    finally:
        connection.close()
