"""What an evaluation set consists of."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Entry = dict[str, Any]


@dataclass(frozen=True)
class Batch:
    """Files of one import: path to text, and the command's options. They are all approved."""

    files: Mapping[str, str]
    scope: str
    options: Mapping[str, Any] = field(default_factory=dict)
    approve: bool = True


@dataclass(frozen=True)
class EvalSet:
    """Batches in the order of their import, and files of cases by their names."""

    batches: tuple[Batch, ...]
    cases: Mapping[str, list[Entry]]
    k: int = 10


def files_below(folder: Path, suffixes: Iterable[str] = (".md", ".txt")) -> dict[str, str]:
    """The texts of a folder by their paths in it; newlines as the import makes them."""
    wanted = tuple(suffixes)
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name.endswith(wanted)
    }


def json_lines(text: str) -> list[Entry]:
    return [json.loads(line) for line in text.splitlines()]


def span(source_id: str, start: int, end: int, **more: str) -> Entry:
    return {"source_id": source_id, "start_char": start, "end_char": end} | more


def source_of(path: str) -> str:
    """The id that the import gives a file: its path without the suffix."""
    return path.rpartition(".")[0]
