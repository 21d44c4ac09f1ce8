"""Child: a rebuild that is watched, or that kills itself at an exact point.

``python -m tests.sites.crash_rebuild MODE [NUMBER]``, where MODE is

* ``plain``: the rebuild as it is;
* ``record FILE``: FILE gets a JSON list of all statements, each with the count of ticks before it;
* ``statement N``: kill -9 as the N-th statement starts (rows of an ``executemany`` count each);
* ``tick N``: kill -9 at the N-th tick, which is inside of a statement;
* ``terminate N``: SIGTERM as the N-th statement starts;
* ``mark``: each statement leaves an ``access("/statement/VERB")`` for strace to see;
* ``untidy``: the disk is full (by pretence) when unused passages are purged, after the commit;
* ``pages N``: the database may not grow beyond N pages: SQLite's own "disk is full".
"""

import json
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.sites.crash_child import on_connect, ready

TICK = 100  # instructions of SQLite's virtual machine


class Watch:
    """Counts statements and ticks of a connection, and kills the process when told to."""

    def __init__(self, mode: str, number: int) -> None:
        self.mode, self.number = mode, number
        self.ticks = 0
        self.statements: list[tuple[str, int]] = []

    def attach(self, connection: Any) -> None:
        if self.mode == "pages":
            connection.execute(f"PRAGMA max_page_count={self.number}")
        if self.mode in ("record", "tick"):
            connection.set_progress_handler(self.tick, TICK)
        connection.set_trace_callback(self.statement)

    def tick(self) -> int:
        self.ticks += 1
        if self.mode == "tick" and self.ticks == self.number:
            die()
        return 0

    def statement(self, sql: str) -> None:
        self.statements.append((sql[:80], self.ticks))
        if self.mode == "mark":
            os.access(f"/statement/{sql.split()[0].strip(';')}/{len(self.statements)}", os.F_OK)
        if self.mode == "statement" and len(self.statements) == self.number:
            die()
        if self.mode == "terminate" and len(self.statements) == self.number:
            os.kill(os.getpid(), signal.SIGTERM)


def fail_to_purge(execute: Callable[..., Any], sql: str, *how: Any) -> Any:
    from django.db import OperationalError

    if sql.startswith('DELETE FROM "rag_passage"'):
        raise OperationalError("database or disk is full")
    return execute(sql, *how)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(mode: str, argument: str = "0") -> None:
    ready()
    watch = Watch(mode, int(argument) if argument.isdigit() else 0)
    if mode == "untidy":
        from django.db import connection

        connection.execute_wrappers.append(fail_to_purge)
    elif mode != "plain":
        on_connect(watch.attach)
    from django.core.management import execute_from_command_line

    try:
        execute_from_command_line(["manage.py", "rebuild", "--json"])
    finally:
        if mode == "record":
            Path(argument).write_text(json.dumps(watch.statements))


if __name__ == "__main__":
    main(*sys.argv[1:])
