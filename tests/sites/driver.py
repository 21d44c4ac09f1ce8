"""Run many commands in one process: ``python -m tests.sites.driver [FAULT]``.

Every line of standard input is a JSON list of argument lists; every line of standard output the
JSON list of their {code, out, err}. FAULT names a rule of access that this process does without,
so that a test of the rule can be seen to fail.

The clock stands at ``NOON`` and moves on by a minute with every page, so that two sites which are
built one after the other carry the same times, around midnight as well.
"""

import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from datetime import datetime, timedelta
from importlib import import_module
from typing import Any
from unittest.mock import patch

import django
from django.core.management import ManagementUtility
from django.db import connections


class Clock:
    """What ``timezone.now`` is for this process."""

    def __init__(self) -> None:
        self.time = datetime.fromisoformat(os.environ["NOON"])

    def __call__(self) -> datetime:
        return self.time


def run(arguments: Sequence[str], clock: Clock) -> dict[str, Any]:
    """One command, exactly as ``manage.py`` runs it; or pages, see ``pages.py``."""
    if arguments[0] in ("page", "crawl"):
        clock.time += timedelta(minutes=1)
        # Found late: its imports need the settings.
        show = getattr(import_module("tests.sites.pages"), arguments[0])
        return {"code": 0, "out": show(arguments[1:]), "err": ""}
    out, err = io.StringIO(), io.StringIO()
    code: object = 0
    with redirect_stdout(out), redirect_stderr(err):
        try:
            ManagementUtility(["manage.py", *arguments]).execute()
        except SystemExit as exit_:
            code = exit_.code or 0
    return {"code": code, "out": out.getvalue(), "err": err.getvalue()}


@contextmanager
def kept_connection() -> Iterator[None]:
    """A command ends by closing the database; here it stays open, as in a server's worker."""
    with patch.object(connections, "close_all", lambda: None):
        yield


def main() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "evidencesite.settings"
    django.setup()
    clock = Clock()
    with ExitStack() as stack:
        stack.enter_context(kept_connection())
        stack.enter_context(patch("django.utils.timezone.now", clock))
        for name in sys.argv[1:]:
            # Found late: its imports need the settings.
            stack.enter_context(import_module("tests.sites.faults").fault(name))
        for line in sys.stdin:
            print(json.dumps([run(arguments, clock) for arguments in json.loads(line)]), flush=True)


if __name__ == "__main__":
    main()
