"""A real site on disk, used as an operator uses it: by commands in processes of their own."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
ACTOR: Final = "ada"
TIMEOUT: Final = 120
# When everything happens in the processes of ``driver.py``: on the day of this run.
NOON: Final = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)

# What may differ between two sites that show the same: a random id, and the digest of the whole
# index, which only operators are shown. Nothing else is normalised.
VARYING: Final = ("answer_id", "manifest")
_VARYING: Final = re.compile(rf'^ "({"|".join(VARYING)})": "[0-9a-f-]*"', re.MULTILINE)

_PEOPLE: Final = f"""
from django.contrib.auth.models import Group, User
User.objects.create_user({ACTOR!r})
for group, user, role in (
    ("sellers", "sam", "member"),
    ("sellers", "sue", "member"),
    ("sellers", "rosa", "reviewer"),
    ("sellers", "paul", "approver"),
    ("sellers", "adam", "admin"),
    ("people-team", "hana", "member"),
    ("nobody", "nora", "member"),
):
    person = User.objects.create_user(user)
    for name in (group, role):
        person.groups.add(Group.objects.get_or_create(name=name)[0])
"""


@dataclass(frozen=True)
class Result:
    """How a command ended and what it printed."""

    returncode: int
    stdout: bytes
    stderr: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.stdout)

    def shown(self) -> tuple[int, bytes, bytes]:
        """Everything that can be observed, without the fields of ``VARYING``."""
        return self.returncode, normalised(self.stdout), normalised(self.stderr)


def normalised(output: bytes) -> bytes:
    """The output with the values of ``VARYING`` blotted out, where they stand at the top level."""
    return _VARYING.sub(r' "\1": "…"', output.decode()).encode()


class Driver:
    """One process that has loaded Django once and runs commands until it is closed."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def run(self, *arguments: str) -> Result:
        """Run one command."""
        return self.run_all([arguments])[0]

    def run_all(self, commands: Sequence[Sequence[str]]) -> list[Result]:
        """Run the commands in order, in one process."""
        requests, answers = _pipes(self._process)
        requests.write(json.dumps([list(command) for command in commands]).encode() + b"\n")
        requests.flush()
        line = answers.readline()
        assert line, f"the driver died: {_stderr(self._process)}"
        return [Result(r["code"], r["out"].encode(), r["err"].encode()) for r in json.loads(line)]


@dataclass(frozen=True)
class Site:
    """A site in the folder ``home``; ``profile`` embeds, ``settings`` are further variables."""

    home: Path
    profile: str = "hashing"
    settings: tuple[tuple[str, str], ...] = ()

    def run(self, *arguments: str) -> Result:
        """``manage.py`` with these arguments."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env=self.environment(),
            capture_output=True,
            timeout=TIMEOUT,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def json(self, *arguments: str) -> Any:
        """What ``manage.py`` prints with ``--json``; the command must succeed."""
        result = self.run(*arguments, "--json")
        assert result.returncode == 0, result
        return result.json

    def create(self) -> None:
        """Tables and people: ada imports, hana is of the people-team, nora has no grant, and the
        sellers are sam and sue (members), rosa (reviewer), paul (approver) and adam (admin)."""
        for command in (["migrate", "--verbosity", "0"], ["shell", "--command", _PEOPLE]):
            result = self.run(*command)
            assert result.returncode == 0, result

    def copy(self, home: Path, **changes: str) -> "Site":
        """The same site in another folder. No process may have it open."""
        shutil.copytree(self.home, home)
        return Site(home, changes.get("profile", self.profile), self.settings)

    def run_all(self, commands: Sequence[Sequence[str]], fault: str = "") -> list[Result]:
        """Run the commands in one process; ``fault`` is a rule that ``driver.py`` takes out."""
        with self.driver(fault) as driver:
            return driver.run_all(commands)

    def do(self, commands: Sequence[Sequence[str]]) -> None:
        """Run commands that must all succeed."""
        for command, result in zip(commands, self.run_all(commands), strict=True):
            assert result.returncode == 0, (command, result)

    @contextmanager
    def driver(self, fault: str = "") -> Iterator[Driver]:
        """A process that keeps running while other processes change the site."""
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.sites.driver", *filter(None, [fault])],
            cwd=ROOT,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        try:
            yield Driver(process)
        finally:
            process.communicate(timeout=TIMEOUT)

    def environment(self) -> dict[str, str]:
        """What its processes run with."""
        ours = ("EVIDENCE_", "DJANGO_", "PYTHONHASHSEED")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        own = {"EVIDENCE_HOME": str(self.home), "EVIDENCE_PROFILE": self.profile}
        return kept | own | {"NOON": NOON.isoformat()} | dict(self.settings)


def _pipes(process: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None and process.stdout is not None
    return process.stdin, process.stdout


def _stderr(process: "subprocess.Popen[bytes]") -> str:
    assert process.stderr is not None
    return process.stderr.read().decode()
