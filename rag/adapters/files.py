"""From paths to decoded files: which files an import takes, and what stands in them."""

import hashlib
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from stat import S_IFREG, S_ISDIR, S_ISLNK, S_ISREG
from typing import Any

import yaml

from rag.core.errors import InvalidFile, InvalidText
from rag.core.facts import facts_front, product_facts
from rag.core.text import body_start, decode, front_matter

MAX_BYTES = 2 * 1024 * 1024
# PyYAML needs about a second for this much; the most in 397 real files is 585 characters.
MAX_FRONT_MATTER = 64 * 1024
TEXT_SUFFIXES = (".md", ".txt")
FACTS_SUFFIXES = (".toml", ".json")
# In a folder, where .toml and .json may be anything, facts say what they are.
FACTS_ENDINGS = (".facts.toml", ".facts.json")
CREDENTIALS = (
    ".env*", ".netrc", ".npmrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.kdbx", "id_rsa*",
    "id_ed25519*", "credentials", "credentials.json", "secrets.json", "secrets.toml",
    "secrets.yml", "secrets.yaml",
)  # fmt: skip

_TAKEN, _FOLDER, _SKIPPED = "taken", "folder", "skipped"
_NOT_IMPORTED = "only .md, .txt and product facts in .toml or .json are imported"
_ENDING = re.compile(r"(\.md|\.txt|(\.facts)?\.(toml|json))\Z", re.IGNORECASE | re.ASCII)
# A newline in a name would end up in an id, and so in the lines of a published answer.
_NAME_FAULTS = {
    "Cs": "its name is not valid UTF-8",
    "Cc": "its name has a control character",
    "Zl": "its name has a line separator",
    "Zp": "its name has a paragraph separator",
}


@dataclass(frozen=True)
class FoundFile:
    """A file to import: ``path`` is absolute, ``relative`` (POSIX form) makes its id.

    ``relative`` starts below the folder that was given; for a file given by name it is the name.
    """

    path: Path
    relative: str
    prefix: str | None
    folder: str = ""

    @property
    def shown(self) -> str:
        """The file as it is named to people, with the folder that was given."""
        name = f"{self.folder}/{self.relative}" if self.folder else self.relative
        return repr(name) if _name_fault(name) else name


@dataclass(frozen=True)
class Finding:
    """What an import takes, what it passes over by suffix, and what it refuses; each sorted."""

    files: tuple[FoundFile, ...]
    skipped: tuple[str, ...]
    refused: tuple[InvalidFile, ...]


@dataclass(frozen=True)
class LoadedFile:
    """A decoded file; ``sha256`` (hex) is that of its bytes.

    ``front`` is the front matter of a text, or the keys of product facts beside the products.
    """

    found: FoundFile
    sha256: str
    encoding: str
    text: str
    front: Mapping[str, object]


def find_files(paths: Sequence[Path], prefix: str | None) -> Finding:
    """Files under the given paths, in ordinal order of ``relative``; opens none, never raises.

    ``prefix`` begins the ids of all of them; None means the name of the folder, or nothing for
    a file given by name. What is reached twice counts once, as it was reached first.
    """
    files: dict[Path, FoundFile] = {}
    skipped: dict[Path, str] = {}
    refused: dict[Path, InvalidFile] = {}
    for path in paths:
        for found, verdict in _given(path, prefix):
            if verdict == _TAKEN:
                files.setdefault(found.path, found)
            elif verdict == _SKIPPED:
                skipped.setdefault(found.path, found.shown)
            else:
                refused.setdefault(found.path, InvalidFile(found.shown, verdict))
    return Finding(
        tuple(sorted(files.values(), key=lambda found: (found.relative, found.path))),
        tuple(sorted(skipped.values())),
        tuple(sorted(refused.values(), key=lambda refusal: (refusal.path, refusal.reason))),
    )


def source_id(found: FoundFile) -> str:
    """``prefix/relative/path`` without its suffix; ``.facts.toml`` counts as one suffix."""
    stem = _ENDING.sub("", found.relative)
    return f"{found.prefix}/{stem}" if found.prefix else stem


def name_refusal(name: str) -> str | None:
    """Why a regular file of that name is never taken, whatever its suffix, or None."""
    return _refusal(Path(name), S_IFREG)


def is_facts(found: FoundFile) -> bool:
    """Whether the file holds product facts, and not a text."""
    return found.path.suffix.lower() in FACTS_SUFFIXES


def _given(given: Path, prefix: str | None) -> Iterator[tuple[FoundFile, str]]:
    """A path as the operator gave it, or all that lies below it, each with its verdict."""
    try:
        path = _absolute(given)
        is_folder = S_ISDIR(path.lstat().st_mode)
    except (OSError, RuntimeError, ValueError) as error:
        yield FoundFile(given, str(given), prefix), _sentence(error)
        return
    found = FoundFile(path, path.name, prefix)
    if not is_folder:
        yield found, _verdict(path, TEXT_SUFFIXES + FACTS_SUFFIXES, _NOT_IMPORTED)
    elif fault := _folder_fault(path, prefix):
        yield found, fault
    else:
        yield from _below(path, path.name if prefix is None else prefix)


def _folder_fault(path: Path, prefix: str | None) -> str | None:
    if path.name.startswith("."):
        return "hidden folders are not read"
    return _name_fault(path.name) if prefix is None else None


def _absolute(path: Path) -> Path:
    """Without symbolic links, but for the last part: if it is one, it will be refused."""
    if path.name in ("", ".."):
        return path.resolve()
    return path.parent.resolve() / path.name


def _below(top: Path, prefix: str) -> Iterator[tuple[FoundFile, str]]:
    pending = [top]
    while pending:
        folder = pending.pop()
        try:
            children = list(folder.iterdir())
        except OSError as error:
            yield _found(folder, top, prefix), _sentence(error)
            continue
        for path in children:
            verdict = _verdict(path, TEXT_SUFFIXES + FACTS_ENDINGS, _SKIPPED)
            if verdict == _FOLDER:
                pending.append(path)
            else:
                yield _found(path, top, prefix), verdict


def _found(path: Path, top: Path, prefix: str) -> FoundFile:
    return FoundFile(path, path.relative_to(top).as_posix(), prefix, top.name)


def _verdict(path: Path, endings: tuple[str, ...], otherwise: str) -> str:
    """_TAKEN, _FOLDER, ``otherwise`` for a name without one of the endings, or a refusal."""
    try:
        status = path.lstat()
    except OSError as error:
        return _sentence(error)
    refusal = _refusal(path, status.st_mode)
    if refusal or S_ISDIR(status.st_mode):
        return refusal or _FOLDER
    if not path.name.lower().endswith(endings):
        return otherwise
    if status.st_size > MAX_BYTES:
        return "it is larger than 2 MB"
    return _TAKEN if os.access(path, os.R_OK) else "it may not be read"


def _refusal(path: Path, mode: int) -> str | None:
    """Why this may not be imported whatever its suffix; the file is not opened to tell."""
    name, is_folder = path.name.lower(), S_ISDIR(mode)
    credential = any(fnmatchcase(name, pattern) for pattern in CREDENTIALS)
    refusals = (
        (S_ISLNK(mode), "a symbolic link is not followed"),
        (not S_ISREG(mode) and not is_folder, "it is not a regular file"),
        (credential and not is_folder, "its name is that of a credential file"),
        (name.startswith("."), "hidden folders are not read" if is_folder else "it is hidden"),
    )
    return next((reason for bad, reason in refusals if bad), _name_fault(path.name))


def _name_fault(name: str) -> str | None:
    categories = map(unicodedata.category, name)
    return next((_NAME_FAULTS[kind] for kind in categories if kind in _NAME_FAULTS), None)


def _sentence(error: OSError | RuntimeError | ValueError) -> str:
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "it does not exist"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"it cannot be read ({reason})"


def load(found: FoundFile, encoding: str | None = None) -> LoadedFile:
    """Read and decode a file once; raises InvalidFile with the reason for all that goes wrong.

    ``encoding`` is what the operator says of files without a byte order mark.
    """
    try:
        data = _read(found.path)
        decoded = decode(data, encoding)
        front = _facts_front(found, decoded.text) if is_facts(found) else _front(decoded.text)
    except OSError as error:
        raise InvalidFile(found.shown, _sentence(error)) from error
    except InvalidText as error:
        raise InvalidFile(found.shown, str(error).rstrip(".")) from error
    return LoadedFile(
        found, hashlib.sha256(data).hexdigest(), decoded.encoding, decoded.text, front
    )


def _read(path: Path) -> bytes:
    """At most MAX_BYTES of a regular file.

    What was found may have been replaced since: a link is not followed, a FIFO does not block,
    and a file that grows meanwhile is cut off and refused.
    """
    flags = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with open(path, "rb", opener=lambda name, mode: os.open(name, mode | flags)) as file:
        if not S_ISREG(os.fstat(file.fileno()).st_mode):
            raise InvalidText("it is not a regular file")
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES:
        raise InvalidText("it is larger than 2 MB")
    return data


class _PlainLoader(yaml.BaseLoader):
    """YAML whose values stay as they are written: ``1.10`` is a version, not the number 1.1.

    Without anchors, aliases and tags: nine lines of aliases make a billion nodes. A key that
    stands twice would lose one of its values without a word.
    """

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        # PyYAML's own stubs leave this method without types.
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) or getattr(event, "tag", None):
            raise yaml.composer.ComposerError(
                problem="anchors, aliases and tags are not allowed", problem_mark=event.start_mark
            )
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        mapping = super().construct_mapping(node, deep)
        if len(mapping) < len(node.value):
            raise yaml.constructor.ConstructorError(
                problem="a key stands twice", problem_mark=node.start_mark
            )
        return mapping


def _front(text: str) -> dict[str, object]:
    """Front matter with its values as they are written; {} if there is none."""
    if not text[body_start(text) :].strip():
        raise InvalidText("there is no text in it")
    source = front_matter(text)
    if len(source.encode()) > MAX_FRONT_MATTER:
        raise InvalidText("its front matter is larger than 64 KB")
    try:
        front = yaml.load(source, _PlainLoader)
    except yaml.MarkedYAMLError as error:
        # Marks count from zero, and the opening fence stands before the first line.
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise InvalidText(f"its front matter is not YAML, line {line}: {error.problem}") from error
    except (yaml.YAMLError, ValueError, ArithmeticError) as error:
        # A control character, for example.
        cause = str(error).partition("\n")[0]
        raise InvalidText(f"its front matter is not YAML: {cause}") from error
    except RecursionError as error:
        raise InvalidText("its front matter is nested too deeply") from error
    return _mapping({} if front is None else front)


def _mapping(front: object) -> dict[str, object]:
    if not isinstance(front, dict):
        raise InvalidText("its front matter is not a list of keys and values")
    return front


def _facts_front(found: FoundFile, text: str) -> dict[str, object]:
    """The keys beside the products, once the whole file has proved to hold facts."""
    form = found.path.suffix.lower().removeprefix(".")
    front = facts_front(text, form)
    product_facts(text, form)
    return front
