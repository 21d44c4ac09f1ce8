"""Uploads: files from a person's browser, imported by the rules of every import.

The person's file names are checked and shown and give ids; no file is ever opened under one.
"""

import secrets
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from django.conf import settings

from rag.actions.importing import ImportReport, Request, import_found
from rag.adapters.files import (
    FACTS_SUFFIXES,
    MAX_BYTES,
    TEXT_SUFFIXES,
    Finding,
    FoundFile,
    name_refusal,
)
from rag.core.chunks import Chunker
from rag.core.errors import InvalidFile, InvalidText, NotFound, StorageError
from rag.core.text import decode

# A process that is killed leaves its folder behind; the next upload after that long removes it.
LEFT_BEHIND: Final = 3600  # seconds


@dataclass(frozen=True)
class SentFile:
    """A file as a browser sent it: a name that nobody checked, and at most MAX_BYTES + 1 bytes."""

    name: str
    data: bytes


def upload(files: Sequence[SentFile], request: Request, chunker: Chunker) -> ImportReport:
    """Import the files as pending revisions for ``request.reader``; one refused stops no other.

    A scope that the reader may not read is one that is not there: ``NotFound``.
    """
    if request.reader is None or request.scope not in request.reader.access.scopes:
        raise NotFound("scope", request.scope)
    refusals = [(file, _refusal(file)) for file in files]
    refused = tuple(InvalidFile(_shown(file), reason) for file, reason in refusals if reason)
    with _folder() as folder:
        found = [_keep(file, folder, request) for file, reason in refusals if not reason]
        return import_found(Finding(tuple(found), (), refused), request, chunker)


def _refusal(file: SentFile) -> str | None:
    """Why the file is not taken: by its name, its size, or because it is no text."""
    name = file.name.lower()
    if "/" in name:
        return "its name is a path"
    if reason := name_refusal(file.name):
        return reason
    if name.endswith(FACTS_SUFFIXES):
        return "product facts are not uploaded: an operator imports them"
    if not name.endswith(TEXT_SUFFIXES):
        return "only .md and .txt files are uploaded"
    if len(file.data) > MAX_BYTES:
        return "it is larger than 2 MB"
    try:
        decode(file.data)
    except InvalidText:
        return "it is not text in UTF-8, or in UTF-16 with a byte order mark: save it as UTF-8"
    return None


def _shown(file: SentFile) -> str:
    """The name as any import shows it; it is not looked at as a path."""
    return FoundFile(Path(), file.name, None).shown


def _keep(file: SentFile, folder: Path, request: Request) -> FoundFile:
    """The file under a drawn name, with the one that it was sent under for its id."""
    path = folder / (secrets.token_hex(16) + Path(file.name).suffix.lower())
    try:
        path.write_bytes(file.data)
    except OSError as error:
        raise _not_kept(error) from error
    return FoundFile(path, file.name, request.prefix)


@contextmanager
def _folder() -> Iterator[Path]:
    """A folder below EVIDENCE_HOME/uploads that is gone afterwards, whatever happens."""
    uploads = Path(settings.EVIDENCE_HOME, "uploads")
    try:
        uploads.mkdir(mode=0o700, exist_ok=True)
        _remove_left_behind(uploads)
        folder = Path(mkdtemp(dir=uploads))
    except OSError as error:
        raise _not_kept(error) from error
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _remove_left_behind(uploads: Path) -> None:
    oldest = time.time() - LEFT_BEHIND
    for folder in uploads.iterdir():
        with suppress(FileNotFoundError):  # another upload has ended meanwhile
            if folder.stat().st_mtime < oldest:
                shutil.rmtree(folder, ignore_errors=True)


def _not_kept(error: OSError) -> StorageError:
    return StorageError(f"The files could not be kept: {error.strerror}. Nothing was imported.")
