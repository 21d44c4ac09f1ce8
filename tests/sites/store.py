"""Sites in folders of their own, driven by real processes, with a corpus that has editions."""

import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from django.conf import settings

ROOT: Final = Path(settings.BASE_DIR)
DOCUMENTS: Final = 60
MISSING: Final = 64  # passages that the changed site has to pay for
AS_OF: Final = "2026-06-01"
NOUNS: Final = (
    "valve", "pump", "filter", "gasket", "bearing", "sensor", "boiler", "compressor", "ladder",
    "harness", "invoice", "contract", "laptop", "badge", "visitor", "forklift",
)  # fmt: skip
VERBS: Final = ("inspect", "replace", "order", "store", "label", "return", "clean", "record")
QUESTIONS: Final = (
    "How is the valve inspected after replacement?",
    "Who records the return of a laptop?",
    "edition notice for the forklift and the harness",
)
# Each search of a comparison: in the default mode, and one without vectors.
SEARCHES: Final = tuple(
    ("search", question, "--scopes", "public", "--as-of", AS_OF, "--json", *mode)
    for question, mode in [*((q, ()) for q in QUESTIONS[1:]), (QUESTIONS[0], ("--mode", "lexical"))]
)
OPERATOR: Final = ("--scope", "public", "--actor", "op")
SENTENCE: Final = "Employees of team {team} {verb} every {noun} before the {other} is used again."

STARTED: Final[list["subprocess.Popen[str]"]] = []

Done = subprocess.CompletedProcess[str]


class Step(NamedTuple):
    """How one of several commands in a process ended."""

    code: int
    out: str
    err: str


def document(number: int, edition: int = 1) -> str:
    """A text of four sections; only the second names its edition, so only one chunk changes."""
    dice = random.Random(number)
    head = f"---\nid: manual/{number:03}\nlanguage: en\n---\n# Instruction {number:03}\n"
    sections = (_section(number, part, edition, dice) for part in range(1, 5))
    return "\n".join([head, *sections])


def _section(number: int, part: int, edition: int, dice: random.Random) -> str:
    lines = [
        SENTENCE.format(
            team=f"{number:03}-{part}{line}",
            verb=dice.choice(VERBS),
            noun=dice.choice(NOUNS),
            other=dice.choice(NOUNS),
        )
        for line in range(5)
    ]
    if part == 2:
        lines.append(f"This is the edition notice number {edition} for the {dice.choice(NOUNS)}.")
    return f"## Part {part} of instruction {number:03}\n\n{' '.join(lines)}\n"


def write_documents(folder: Path, numbers: Sequence[int], edition: int = 1) -> Path:
    """The documents of these numbers as files below ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    for number in numbers:
        (folder / f"{number:03}.md").write_text(document(number, edition))
    return folder


@dataclass(frozen=True)
class Store:
    """A site's folder, and what its operator can do there: everything is a process of its own."""

    home: Path

    @property
    def database(self) -> Path:
        return self.home / "evidence.sqlite3"

    def environment(self, changes: Mapping[str, str] | None = None) -> dict[str, str]:
        mine = {"EVIDENCE_HOME": str(self.home), "EVIDENCE_PROFILE": "hashing"}
        return os.environ | mine | {"PYTHONDONTWRITEBYTECODE": "1"} | dict(changes or {})

    def manage(self, *arguments: str, env: Mapping[str, str] | None = None, **how: Any) -> Done:
        """Run ``manage.py`` to its end."""
        return self.run([sys.executable, "manage.py", *arguments], env, **how)

    def child(
        self, name: str, *arguments: str, env: Mapping[str, str] | None = None, **how: Any
    ) -> Done:
        """Run one of the scripts beside this file to its end."""
        return self.run(self.command(name, *arguments), env, **how)

    def run(self, command: Sequence[str], env: Mapping[str, str] | None = None, **how: Any) -> Done:
        return subprocess.run(
            command,
            cwd=ROOT,
            env=self.environment(env),
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
            **how,
        )

    def start(self, name: str, *arguments: str, **env: str) -> subprocess.Popen[str]:
        """Start one of the scripts beside this file; ``end_started`` ends it in any case."""
        child = subprocess.Popen(
            self.command(name, *arguments),
            cwd=ROOT,
            env=self.environment(env),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        STARTED.append(child)
        return child

    @staticmethod
    def command(name: str, *arguments: str) -> list[str]:
        return [sys.executable, "-m", f"tests.sites.{name}", *arguments]

    def tries(self, *commands: Sequence[str], prefix: Sequence[str] = (), **env: str) -> list[Step]:
        """Run several commands of ``manage.py`` in one process; how each ended."""
        command = self.command("crash_steps", json.dumps([list(c) for c in commands]))
        done = self.run([*prefix, *command], env)
        assert done.returncode == 0, done.stdout + done.stderr
        return [Step(*ended) for ended in json.loads(done.stdout)]

    def steps(self, *commands: Sequence[str], **env: str) -> list[str]:
        """The same where each must succeed; what each printed."""
        ended = self.tries(*commands, **env)
        assert all(step.code == 0 for step in ended), ended
        return [step.out for step in ended]

    def searches(self) -> list[Any]:
        """What the searches of a comparison find now."""
        return [json.loads(text) for text in self.steps(*SEARCHES)]

    def rebuild(self, *arguments: str, **env: str) -> dict[str, Any]:
        """A rebuild that must succeed; its report."""
        done = self.manage("rebuild", "--json", *arguments, env=env)
        assert done.returncode == 0, done.stderr
        report: dict[str, Any] = json.loads(done.stdout)
        return report

    def copy(self, to: Path) -> "Store":
        """A copy of a quiet site."""
        shutil.copytree(self.home, to)
        return Store(to)

    def sql(self, statement: str, *values: object) -> list[Any]:
        """Run raw SQL, past every rule of the product."""
        connection = sqlite3.connect(self.database, timeout=20)
        try:
            with connection:
                return connection.execute(statement, values).fetchall()
        finally:
            connection.close()

    def governed(self) -> list[Any]:
        """Every revision as far as an index and its approvals change it."""
        return self.sql(
            "SELECT document_id, state, indexed, status, valid_from, valid_until, approved_by"
            " FROM rag_revision ORDER BY document_id"
        )

    def outcomes(self) -> list[str]:
        """How each rebuild ended, oldest first."""
        return [row[0] for row in self.sql("SELECT outcome FROM rag_rebuildrun ORDER BY id")]

    def stage(self) -> tuple[str, int]:
        """Stage of the newest rebuild and how much of it is done."""
        rows = self.sql("SELECT stage, done FROM rag_rebuildrun ORDER BY id DESC LIMIT 1")
        return (rows[0][0], rows[0][1]) if rows else ("", 0)

    def passages(self) -> set[str]:
        """The texts that have a stored vector."""
        return {row[0] for row in self.sql("SELECT text FROM rag_passage")}


def end_started() -> None:
    """Kill what ``Store.start`` started and a failed test left running."""
    while STARTED:
        child = STARTED.pop()
        child.kill()
        with child:
            child.communicate()


def paid(file: Path) -> list[str]:
    """SHA-256 of every text that a child embedded, in order, oldest first."""
    return file.read_text().split() if file.exists() else []


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def _scratch() -> "tempfile.TemporaryDirectory[str]":
    """A folder for this test process; it goes when the process ends."""
    return tempfile.TemporaryDirectory(prefix="evidencesite-stores-")


@cache
def old_site() -> Store:
    """Sixty approved documents and a product's facts, indexed. To be copied, not changed."""
    folder = Path(_scratch().name)
    corpus = write_documents(folder / "corpus", range(1, DOCUMENTS + 1))
    (corpus / "gx.facts.toml").write_text('id = "gx"\n[products.GX-100]\nbar = 16\n')
    store = Store(folder / "old")
    window = ("--create-scope", "--valid-from", "2026-01-01", "--approve")
    store.steps(
        ("people",), ("import_sources", str(corpus), *OPERATOR, *window), ("rebuild", "--json")
    )
    return store


@cache
def changed_site() -> Store:
    """The old site with documents changed, added and withdrawn since its index was made."""
    folder = Path(_scratch().name)
    store = old_site().copy(folder / "changed")
    changed = write_documents(folder / "changed-files", range(1, 61, 3), edition=2)
    added = write_documents(folder / "added-files", range(101, 109))
    drafts = write_documents(folder / "draft-files", range(201, 204))
    (changed / "gx.facts.toml").write_text('id = "gx"\n[products.GX-100]\nbar = 12\n')
    window = (*OPERATOR, "--valid-from", "2026-02-01")
    gone = [f"manual/{number:03}" for number in range(2, 60, 12)]
    store.steps(
        ("import_sources", str(changed), *window, "--approve"),
        ("import_sources", str(added), *window, "--approve"),
        ("import_sources", str(drafts), *window),
        *(("withdraw", name, "--actor", "op", "--reason", "outdated") for name in gone),
    )
    return store
