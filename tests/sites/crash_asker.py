"""Child: twenty threads that ask at once, each answer recorded; print how many, and every error.

``python -m tests.sites.crash_asker STOP_FILE QUESTION``: begins when a line comes on stdin; the
twenty ask again until STOP_FILE is there, and once more.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

from tests.sites.crash_child import ready

THREADS = 20


def ask_once(question: str) -> str:
    """'' or the error."""
    from django.db import connection

    from rag.actions.asking import ask
    from rag.actions.profiles import configured
    from rag.core.retrieval import Options
    from rag.core.sources import Selection
    from rag.queries.eligibility import access_of_scopes

    try:
        access = access_of_scopes(frozenset({"public"}), date(2026, 6, 1))
        ask(question, access, Selection(), Options(), configured())
    except Exception as error:  # every kind of failure counts
        return repr(error)
    finally:
        connection.close()
    return ""


def ask_all(stop: Path, question: str) -> dict[str, object]:
    print("ready", flush=True)
    sys.stdin.readline()
    ended: list[str] = []
    last = False
    with ThreadPoolExecutor(THREADS) as pool:
        while not last:
            last = stop.exists()
            ended += pool.map(ask_once, [question] * THREADS)
    return {"asked": len(ended), "errors": [error for error in ended if error]}


if __name__ == "__main__":
    ready()
    print(json.dumps(ask_all(Path(sys.argv[1]), sys.argv[2])))
