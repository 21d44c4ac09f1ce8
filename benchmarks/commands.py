"""Runs the commands on standard input, a JSON list a line, in one process.

An import that refuses some file goes on, as for an operator; any other failure ends the run.
"""

import json
import os
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evidencesite.settings")
    sys.path.insert(0, str(PROJECT))
    import evidencesite  # noqa: F401, I001  the process's SQLite, before Django
    import django
    from django.core.management import ManagementUtility

    django.setup()
    for line in sys.stdin:
        command = json.loads(line)
        try:
            ManagementUtility(["manage.py", *command]).execute()
        except SystemExit as ended:
            if ended.code and command[0] != "import_sources":
                raise


if __name__ == "__main__":
    main()
