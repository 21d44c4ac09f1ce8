"""Measures searching at 100,000 chunks: bare, as a web page, and while a new index is loaded.

    .venv/bin/python benchmarks/serving.py [--home FOLDER] [--documents 5000] [--queries 40]

Builds a site of its own (in a temporary folder unless --home is given; an existing one is used
again): made-up words in natural proportions, random unit vectors, three readers who may read 1 %,
50 % and 100 % of it, their documents mixed. Questions are embedded by the site's real model.
Prints JSON; times are milliseconds, medians over the questions unless named otherwise. The bare
search and the page take turns, so that whatever else the machine does meets both.
"""

import argparse
import gc
import hashlib
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

PROJECT = Path(__file__).resolve().parent.parent
SECTIONS = 20  # chunks of a document
WORDS_EACH = 104  # about 650 characters a chunk
WORDS = 30_000
SHARES = {"1": ("few",), "50": ("few", "half"), "100": ("few", "half", "rest")}
DAY = "2020-01-01"


# The site


def vocabulary() -> list[str]:
    """Made-up words, the most frequent first and short."""
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    rng = np.random.default_rng(1)
    words: dict[str, None] = {}
    while len(words) < WORDS:
        size = 2 + len(words) // 4000
        words["".join(rng.choice(syllables, min(size, 2 + int(rng.integers(4)))))] = None
    return list(words)


def frequencies() -> "np.ndarray[Any, Any]":
    """Zipf's law over the vocabulary."""
    weights = 1 / (np.arange(WORDS) + 2.7) ** 1.07
    shares: np.ndarray[Any, Any] = weights / weights.sum()
    return shares


def document(number: int, words: Sequence[str], chosen: "np.ndarray[Any, Any]") -> str:
    """A title and sections of one paragraph each, which the chunker keeps as one chunk each."""
    lines = [f"# Instruction {number:05}"]
    for section, row in enumerate(chosen, start=1):
        sentences = (" ".join(words[at] for at in part) for part in np.split(row, 8))
        text = " ".join(f"{sentence.capitalize()}." for sentence in sentences)
        lines.append(f"## Part {section}\n\n{text}")
    return "\n\n".join(lines) + "\n"


def scope_of(number: int) -> str:
    """1 %, 49 % and 50 % of the documents, mixed as they come."""
    return "few" if number % 100 == 0 else "half" if number % 2 == 0 else "rest"


class Scattered:
    """The site's embedder for questions and canaries; random unit vectors for the documents."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.profile = inner, inner.profile
        self.rng = np.random.default_rng(2)

    def embed_batch(self, texts: Sequence[str], **callbacks: Any) -> object:
        from rag.core.embeddings import CANARIES

        if tuple(texts) == CANARIES:
            return self.inner.embed_batch(texts, **callbacks)
        vectors = self.rng.standard_normal((len(texts), self.profile.dimension))
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def build(documents: int) -> None:
    """The site, through the product's own rebuild."""
    from django.db import connection

    with connection.cursor() as cursor:  # a benchmark's data may be lost in a power cut
        cursor.execute("PRAGMA synchronous=OFF")
    people()
    insert(documents)
    index()


def people() -> None:
    from django.contrib.auth.models import User

    from rag.actions.people import grant

    for share, scopes in SHARES.items():
        User.objects.create_user(f"reader-{share}")
        for scope in scopes:
            grant(scope, user=f"reader-{share}", create_scope=True)


def insert(documents: int) -> None:
    """Approved revisions, past the import: the texts are all that this is about."""
    from rag.models import Revision, Scope, Source

    scopes = {scope.name: scope for scope in Scope.objects.all()}
    rng, words, weights = np.random.default_rng(3), vocabulary(), frequencies()
    for first in range(0, documents, 500):
        numbers = range(first, min(first + 500, documents))
        drawn = rng.choice(WORDS, (len(numbers), SECTIONS, WORDS_EACH), p=weights)
        texts = [document(n, words, row) for n, row in zip(numbers, drawn, strict=True)]
        sources = Source.objects.bulk_create(
            Source(source_id=f"manual/{n:05}", scope=scopes[scope_of(n)]) for n in numbers
        )
        Revision.objects.bulk_create(
            revision(source, n, text)
            for source, n, text in zip(sources, numbers, texts, strict=True)
        )


def revision(source: Any, number: int, text: str) -> Any:
    from rag.models import Revision

    digest = hashlib.sha256(text.encode()).hexdigest()
    return Revision(
        source=source,
        document_id=digest,
        version=digest[:12],
        title=f"Instruction {number:05}",
        text=text,
        text_sha256=digest,
        source_sha256=digest,
        encoding="utf-8",
        language="en",
        state="approved",
        valid_from=DAY,
        imported_by="operator",
        approved_by="operator",
    )


def index() -> None:
    from rag.actions.profiles import configured
    from rag.actions.rebuilding import rebuild

    parts = configured()
    parts.__dict__["embedder"] = Scattered(parts.embedder)
    rebuild(parts, cancelled=lambda: False, report=lambda stage, done, total: None)


# What is measured


def questions(count: int) -> list[str]:
    """Five words each, from frequent to rare."""
    words, rng = vocabulary(), np.random.default_rng(4)
    ranks = np.exp(rng.uniform(np.log(10), np.log(10_000), (count, 5))).astype(int)
    return [f"How is the {' '.join(words[at] for at in row)}?" for row in ranks]


def milliseconds(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1000


def rss_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def loading() -> dict[str, float]:
    """The first load of a process, and the comparison that each further one begins with."""
    from rag.queries.reading import reading
    from rag.queries.snapshots import current_snapshot, differing_revisions

    before = rss_mb()
    with reading():
        load = milliseconds(current_snapshot) / 1000
        gc.collect()
        after, peak = rss_mb(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        compare = milliseconds(lambda: differing_revisions(current_snapshot())) / 1000
    figures = {"seconds": load, "mb": after - before, "peak_mb": peak - before}
    return rounded(figures | {"compare_seconds": compare})


def searching(share: str, asked: Sequence[str]) -> dict[str, float]:
    """A bare search, and the page that shows it if the site has one, in turns."""
    show = page_of(f"reader-{share}")
    bare: list[float] = []
    page: list[float] = []
    for question in (asked[0], *asked):  # the first is not counted
        bare.append(milliseconds(partial(find, share, question)))
        if show:
            page.append(milliseconds(partial(show, question)))
    figures = {"bare": median(bare[1:])}
    if page:
        figures |= {"page": median(page[1:]), "ratio": median(page[1:]) / median(bare[1:])}
    return rounded(figures)


def find(share: str, question: str) -> Any:
    from django.utils.timezone import localdate

    from rag.actions.profiles import configured
    from rag.actions.searching import search
    from rag.core.retrieval import Options
    from rag.core.sources import Selection
    from rag.queries.eligibility import access_of_user

    access = access_of_user(f"reader-{share}", localdate())
    return search(question, access, Selection(), Options(), configured())


def page_of(user: str) -> Callable[[str], object] | None:
    """How a signed-in person opens the search page; None while the site has none."""
    from django.contrib.auth.models import Group, User
    from django.test import Client
    from django.urls import Resolver404, resolve

    try:
        resolve("/search/")
    except Resolver404:
        return None
    person = User.objects.get(username=user)
    person.groups.add(Group.objects.get(name="member"))
    client = Client(HTTP_HOST="localhost")
    client.force_login(person, "django.contrib.auth.backends.ModelBackend")

    def show(question: str) -> None:
        response = client.get("/search/", {"q": question})
        if response.status_code != 200 or b"Instruction" not in response.content:
            sys.exit(f"The search page answered {response.status_code} without a result.")

    return show


def while_loading(share: str, asked: Sequence[str]) -> dict[str, float]:
    """Searches of a process that loads a new index at the same time.

    The first of them compares both indexes, once for all that follow.
    """
    from rag.models import Manifest

    Manifest.objects.update(generation=uuid.uuid4().hex)
    times: list[float] = []
    started = time.perf_counter()
    while not is_loaded():
        times.append(milliseconds(partial(find, share, asked[len(times) % len(asked)])))
    return rounded(
        {
            "first": times[0],
            "median": median(times[1:]),
            "slowest": max(times[1:]),
            "searches": len(times),
            "loaded_after_seconds": time.perf_counter() - started,
        }
    )


def is_loaded() -> bool:
    """Whether the index in the tables is held: its manifest then is one object, not read anew."""
    from rag.queries.snapshots import current_manifest

    return current_manifest() is current_manifest()


def rounded(figures: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 2) for name, value in figures.items()}


def measure(queries: int) -> dict[str, Any]:
    from rag.models import Chunk, Revision

    asked = questions(queries)
    found = {"load": loading()}  # before anything else takes memory
    sizes = {"chunks": Chunk.objects.count(), "revisions": Revision.objects.count()}
    return {
        **sizes,
        **found,
        "search": {share: searching(share, asked) for share in SHARES},
        "search while loading": {share: while_loading(share, asked) for share in SHARES},
    }


def ready(home: Path) -> None:
    os.environ["EVIDENCE_HOME"] = str(home.resolve())
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evidencesite.settings")
    sys.path.insert(0, str(PROJECT))
    import evidencesite  # noqa: F401, I001  the process's SQLite, before Django
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def in_child(home: Path, options: argparse.Namespace) -> None:
    """Build in a process of its own: its memory would be counted as that of a server."""
    command = [sys.executable, __file__, "--build", "--home", str(home)]
    subprocess.run([*command, "--documents", str(options.documents)], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--documents", type=int, default=5000)
    parser.add_argument("--queries", type=int, default=40)
    parser.add_argument("--build", action="store_true", help="build the site and measure nothing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = options.home or Path(scratch)
        if options.build:
            ready(home)
            build(options.documents)
            return
        if not (home / "built").exists():
            in_child(home, options)
            (home / "built").touch()
        ready(home)
        print(json.dumps(measure(options.queries), indent=1))


if __name__ == "__main__":
    main()
