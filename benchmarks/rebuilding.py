"""Measures rebuilds: full, 1 % changed, nothing changed; and the replacement of a large index.

    .venv/bin/python -m benchmarks.rebuilding [--shared ../shared] [--documents 400]
    .venv/bin/python -m benchmarks.rebuilding --replace SITE

The first imports real handbooks into a site of its own and rebuilds it with the real model, each
time by `manage.py rebuild`; a change is one more sentence in a document. The second takes a site
that `benchmarks/serving.py --home SITE` built, gives the sources of two of its three scopes other
texts, and rebuilds it (random vectors) while one process searches the third scope and another
writes: how long the slowest of each waits, and how much memory the searching one takes. Prints
JSON.
"""

import argparse
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from benchmarks.serving import PROJECT, find, index, milliseconds, questions, ready, rss_mb

PAUSE: Final = 0.02
OPERATOR: Final = (
    "from django.contrib.auth.models import User; User.objects.create_user('operator')"
)


def manage(home: Path, *arguments: str, check: bool = True) -> str:
    """One command of the site, and what it printed."""
    command = [sys.executable, "manage.py", *arguments]
    environment = os.environ | {"EVIDENCE_HOME": str(home)}
    done = subprocess.run(
        command, cwd=PROJECT, env=environment, check=check, capture_output=True, text=True
    )
    return done.stdout


def imported(home: Path, folder: Path) -> None:
    named = ("--scope", "public", "--create-scope", "--actor", "operator", "--approve")
    # Some have no text and are refused: that is an exit code, and the others are imported.
    manage(home, "import_sources", str(folder), "--prefix", "books", *named, check=False)


def rebuilt(home: Path) -> dict[str, Any]:
    report = json.loads(manage(home, "rebuild", "--json"))
    return {name: report[name] for name in ("seconds", "chunks", "embedded", "peak_rss_mb")}


def rebuilds(shared: Path, documents: int) -> dict[str, Any]:
    """Full, nothing changed, and one document in a hundred changed."""
    books = sorted((shared / "eval" / "handbooks").rglob("*.md"))[:documents]
    with tempfile.TemporaryDirectory() as scratch:
        home, folder = Path(scratch) / "home", Path(scratch) / "books"
        folder.mkdir()
        for number, book in enumerate(books):
            (folder / f"{number:04}.md").write_bytes(book.read_bytes())
        manage(home, "migrate")
        manage(home, "shell", "--command", OPERATOR)
        imported(home, folder)
        found = {"full": rebuilt(home), "nothing changed": rebuilt(home)}
        for file in sorted(folder.iterdir())[::100]:
            file.write_bytes(file.read_bytes() + b"\n\nThis page was read again in spring.\n")
        imported(home, folder)
        found["1 % changed"] = rebuilt(home)
    full = found["full"]["seconds"]
    shares = {name: round(each["seconds"] / full, 3) for name, each in found.items()}
    return {"documents": len(books), **found, "share of full": shares}


# The replacement of a large index


def change_texts() -> int:
    """Other texts in place of those of two scopes, no passage as it was: how many."""
    from rag.models import Revision

    changed, stamp = [], time.time_ns()
    for revision in Revision.objects.exclude(source__scope__name="few"):
        revision.text = "\n\n".join(f"{p} {stamp}" for p in revision.text.split("\n\n"))
        digest = hashlib.sha256(revision.text.encode()).hexdigest()
        revision.text_sha256 = revision.source_sha256 = revision.document_id = digest
        changed.append(revision)
    fields = ("text", "text_sha256", "source_sha256", "document_id")
    Revision.objects.bulk_update(changed, fields, batch_size=200)
    return len(changed)


def search_on(stop: Path) -> dict[str, float]:
    """One search after the other until the file is there."""
    from rag.queries.snapshots import stored_generation

    asked, times, before = questions(200), list[float](), rss_mb()
    find("1", asked[0])
    loaded, first = rss_mb(), stored_generation()
    while not stop.exists():
        times.append(milliseconds(lambda: find("1", asked[len(times) % len(asked)])))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    figures = {"searches": len(times), "median": sorted(times)[len(times) // 2]}
    figures |= {"slowest": max(times), "new index": stored_generation() != first}
    return figures | {
        "snapshot mb": loaded - before,
        "peak beyond two mb": peak - 2 * loaded + before,
    }


def write_on(stop: Path) -> dict[str, float]:
    """One small write after the other until the file is there."""
    from rag.models import Scope

    times = []
    while not stop.exists():
        times.append(milliseconds(lambda: Scope.objects.filter(name="few").update(name="few")))
        time.sleep(PAUSE)
    return {"writes": len(times), "median": sorted(times)[len(times) // 2], "slowest": max(times)}


ROLES: Final = {"search": search_on, "write": write_on}


def replacement(home: Path) -> dict[str, Any]:
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as scratch:
        stop = Path(scratch) / "stop"
        others = {"search": beside(home, "search", stop)}
        time.sleep(30)  # it has loaded its first index
        found["revisions changed"] = change_texts()
        others["write"] = beside(home, "write", stop)
        found["rebuild seconds"] = milliseconds(index) / 1000
        time.sleep(30)  # and the new one
        stop.touch()
        found |= {role: json.loads(other.communicate()[0]) for role, other in others.items()}
    return found


def beside(home: Path, role: str, stop: Path) -> "subprocess.Popen[str]":
    """A process of its own that searches or writes until it is stopped."""
    command = [sys.executable, "-m", "benchmarks.rebuilding", "--replace", str(home)]
    command += ["--role", role, "--stop", str(stop)]
    return subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--replace", type=Path, metavar="SITE")
    parser.add_argument("--role", choices=ROLES, help=argparse.SUPPRESS)
    parser.add_argument("--stop", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.replace is None:
        found = rebuilds(options.shared, options.documents)
    else:
        ready(options.replace)
        found = ROLES[options.role](options.stop) if options.role else replacement(options.replace)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
