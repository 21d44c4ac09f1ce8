"""Files that are really on disk, and what an import finds and reads in them."""

from pathlib import Path

import pytest

from rag.adapters.files import Finding, LoadedFile, find_files, load
from rag.core.errors import InvalidFile


def write(path: Path, content: str | bytes = "Some rule.\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def find(*paths: Path, prefix: str | None = None) -> Finding:
    return find_files(paths, prefix)


def taken(finding: Finding) -> list[str]:
    return [found.relative for found in finding.files]


def refusals(finding: Finding) -> dict[str, str]:
    return {refusal.path: refusal.reason for refusal in finding.refused}


def loaded(path: Path, content: str | bytes, encoding: str | None = None) -> LoadedFile:
    [found] = find(write(path, content)).files
    return load(found, encoding)


def reason(path: Path, content: str | bytes) -> str:
    with pytest.raises(InvalidFile) as caught:
        loaded(path, content)
    assert caught.value.path == path.name
    return caught.value.reason
