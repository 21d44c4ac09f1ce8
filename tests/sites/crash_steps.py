"""Child: run several commands of ``manage.py`` in one process; print how each ended.

``python -m tests.sites.crash_steps '[["rebuild", "--json"], …]'`` prints a JSON list of
[exit code, stdout, stderr]. Two steps are no commands: ``["people"]`` makes the tables and the
user ``op``; ``["digests", QUESTION…]`` prints the digest of what each question finds.
"""

import io
import json
import sys

from tests.sites.crash_child import ready


def step(name: str, *arguments: str) -> tuple[int, str, str]:
    from django.core.management import call_command

    out, err, code = io.StringIO(), io.StringIO(), 0
    try:
        if name == "people":
            people()
        elif name == "digests":
            out.write(json.dumps([digest(number, q) for number, q in enumerate(arguments)]))
        else:
            call_command(name, *arguments, stdout=out, stderr=err)
    except SystemExit as ended:
        code = int(ended.code or 0)
    return code, out.getvalue(), err.getvalue()


def people() -> None:
    from django.contrib.auth.models import User
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    User.objects.create_user("op")


def digest(number: int, question: str) -> str:
    """The number of the question and the SHA-256 of all that a search for it finds."""
    import hashlib
    from datetime import date

    from rag.actions.profiles import configured
    from rag.actions.searching import search
    from rag.core.retrieval import Options
    from rag.core.sources import Selection
    from rag.queries.eligibility import access_of_scopes

    access = access_of_scopes(frozenset({"public"}), date(2026, 6, 1))
    found = search(question, access, Selection(), Options(k=5), configured())
    content = json.dumps([found.manifest, *(hit.to_dict() for hit in found.hits)])
    return f"{number}:{hashlib.sha256(content.encode()).hexdigest()}"


if __name__ == "__main__":
    ready()
    print(json.dumps([step(*command) for command in json.loads(sys.argv[1])]))
