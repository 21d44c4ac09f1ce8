"""One consistent view of the database for the length of a request."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def reading() -> Iterator[None]:
    """An explicit *deferred* read transaction: every query inside sees one state.

    The connection's default is IMMEDIATE, so a plain ``atomic()`` around reads would wait for a
    writer's whole hold. Inside an open transaction this adds nothing.
    """
    if connection.in_atomic_block or _open():
        yield
        return
    with connection.cursor() as cursor:
        cursor.execute("BEGIN DEFERRED")
        try:
            yield
        finally:
            if _open():  # a failing disk may already have ended it
                cursor.execute("ROLLBACK")


def _open() -> bool:
    connection.ensure_connection()
    return bool(connection.connection.in_transaction)
