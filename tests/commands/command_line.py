"""A command run inside the test's process, the files it is given, and how it ended."""

import io
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.core.management import call_command

RULE: Final = "A rule of the house is kept by everybody.\n"
IMPORT: Final = ("--scope", "public", "--actor", "ada")


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(*arguments: str | Path) -> Ended:
    """Run a command against the test's database. Wrong usage raises ``CommandError``."""
    out, err, code = io.StringIO(), io.StringIO(), 0
    try:
        call_command(*map(str, arguments), stdout=out, stderr=err)
    except SystemExit as exit_:
        code = int(exit_.code or 0)
    return Ended(code, out.getvalue(), err.getvalue())


def done(*arguments: str | Path) -> Any:
    """The JSON of a command that must succeed."""
    ended = run(*arguments, "--json")
    assert ended.code == 0, ended
    return ended.json


def write(path: Path, content: str | bytes) -> Path:
    """A file with exactly this content, its folders made as needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def front(**keys: str) -> bytes:
    """A rule below a front matter of these keys."""
    lines = "".join(f"{key}: {value}\n" for key, value in keys.items())
    return f"---\n{lines}---\n{RULE}".encode()
