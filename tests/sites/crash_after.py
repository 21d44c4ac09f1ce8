"""Child: look at a site after a crash as its next processes would, then rebuild it.

``python -m tests.sites.crash_after SEARCHES`` (a JSON list of search commands) prints JSON: the
searches, what ``rebuild --check`` and SQLite find, the report of the next rebuild, and the
searches and the check after it. The first to open the database recovers its log.
"""

import io
import json
import sys
from typing import Any

from tests.sites.crash_child import ready


def printed(*command: str) -> Any:
    """What a command prints as JSON; a refused one prints its reason and ends this process."""
    from django.core.management import call_command

    out = io.StringIO()
    try:
        call_command(*command, stdout=out)
    except SystemExit:
        if command[:2] != ("rebuild", "--check"):
            raise
    return json.loads(out.getvalue())


def main(searches: list[list[str]]) -> dict[str, Any]:
    from django.db import connection

    from rag.actions.audit import first_broken_event

    look = {"searches": [printed(*search) for search in searches]}
    with connection.cursor() as cursor:
        integrity = cursor.execute("PRAGMA integrity_check").fetchall()
        stored = cursor.execute("SELECT text FROM rag_passage").fetchall()
        governed = cursor.execute(
            "SELECT document_id, state, indexed, status, valid_from, valid_until, approved_by"
            " FROM rag_revision ORDER BY document_id"
        ).fetchall()
    return look | {
        "integrity": [row[0] for row in integrity],
        "stored": [row[0] for row in stored],
        "governed": governed,
        "broken_event": first_broken_event(),
        "check": printed("rebuild", "--check", "--json")["differences"],
        "rebuild": printed("rebuild", "--json"),
        "searches_after": [printed(*search) for search in searches],
        "check_after": printed("rebuild", "--check", "--json")["differences"],
    }


if __name__ == "__main__":
    ready()
    print(json.dumps(main(json.loads(sys.argv[1])), default=str))
