"""Run many commands in one process: ``python -m tests.sites.driver [FAULT]``.

Every line of standard input is a JSON list of argument lists; every line of standard output the
JSON list of their {code, out, err}. FAULT names a rule of access that this process does without,
so that a test of the rule can be seen to fail.
"""

import io
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from typing import Any
from unittest.mock import patch

import django
from django.core.management import ManagementUtility
from django.db import connections


def run(arguments: Sequence[str]) -> dict[str, Any]:
    """One command, exactly as ``manage.py`` runs it; or pages, see ``pages.py``."""
    if arguments[0] in ("page", "crawl"):
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
    with ExitStack() as stack:
        stack.enter_context(kept_connection())
        for name in sys.argv[1:]:
            # Found late: its imports need the settings.
            stack.enter_context(import_module("tests.sites.faults").fault(name))
        for line in sys.stdin:
            print(json.dumps([run(arguments) for arguments in json.loads(line)]), flush=True)


if __name__ == "__main__":
    main()
