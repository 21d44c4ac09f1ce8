"""Chunking policies: a text as slices that can be quoted, found and cited."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, Protocol

from rag.core.blocks import blocks
from rag.core.errors import InvalidOption, InvalidText
from rag.core.headings import outline
from rag.core.paths import SEPARATOR
from rag.core.sections import Piece, Reader, pieces
from rag.core.text import LineIndex, Span, body_start

DEFAULT = "sections-v2"

_WORD = re.compile(r"\S+")
_WINDOWS = re.compile(r"(chars|words)-([0-9]{1,6})-overlap-([0-9]{1,6})-v1")
_SECTIONS = re.compile(r"sections(?:-([0-9]{1,6}))?-v([12])")


class _Version(NamedTuple):
    """The usual limit, what reads the blocks and so says what counts as a heading, and whether a
    heading that stands in a chunk is in its context, too (docs/decisions/0001 and 0008)."""

    limit: int
    read: Reader
    repeats: bool


_VERSIONS: Mapping[int, _Version] = MappingProxyType(
    {1: _Version(1000, blocks, True), 2: _Version(900, outline, False)}
)


@dataclass(frozen=True)
class Chunk:
    """A slice of a text: ``text == whole[start_char:end_char]``, character for character.

    ``part`` counts from 0. Offsets are zero-based, end-exclusive code points of the whole text,
    front matter included; lines are one-based and inclusive. ``section`` is the heading path.
    ``context`` (title, heading path, table header) helps finding and is never quotable.
    """

    part: int
    start_char: int
    end_char: int
    start_line: int
    end_line: int
    text: str
    section: str
    context: str


class Chunker(Protocol):
    """A way to cut; its id stands in the index manifest and changes with its results."""

    @property
    def id(self) -> str:
        """Names the policy, its parameters and its version."""

    def split(self, text: str, title: str) -> tuple[Chunk, ...]:
        """Chunks of a whole text in order; check the result of any splitter: ``check_chunks``."""


@dataclass(frozen=True)
class CharacterWindows:
    """Windows of ``size`` characters, each beginning ``size - overlap`` after the one before.

    They run from the end of the front matter to the end of the text and are not trimmed;
    windows of white space alone are left out.
    """

    size: int = 600
    overlap: int = 80

    def __post_init__(self) -> None:
        _check_window(self.size, self.overlap)

    @property
    def id(self) -> str:
        return f"chars-{self.size}-overlap-{self.overlap}-v1"

    def split(self, text: str, title: str) -> tuple[Chunk, ...]:
        """Raises InvalidText for a text without a body."""
        start = _start_of_body(text)
        bounds = _windows(len(text) - start, self.size, self.overlap)
        spans = ((start + first, start + last) for first, last in bounds)
        visible = (Piece(a, b, (), "") for a, b in spans if not text[a:b].isspace())
        return _chunks(text, title, visible)


@dataclass(frozen=True)
class WordWindows:
    """Windows of ``size`` words (runs without white space), ``overlap`` of them shared."""

    size: int
    overlap: int

    def __post_init__(self) -> None:
        _check_window(self.size, self.overlap)

    @property
    def id(self) -> str:
        return f"words-{self.size}-overlap-{self.overlap}-v1"

    def split(self, text: str, title: str) -> tuple[Chunk, ...]:
        """Raises InvalidText for a text without a body."""
        words = [word.span() for word in _WORD.finditer(text, _start_of_body(text))]
        bounds = _windows(len(words), self.size, self.overlap)
        spans = (Piece(words[a][0], words[b - 1][1], (), "") for a, b in bounds)
        return _chunks(text, title, spans)


@dataclass(frozen=True)
class Sections:
    """Slices of at most ``limit`` characters that follow the structure of the text.

    Headings, paragraphs, list items, table rows and code stay whole where they fit; a heading
    stays with its text, a lead-in with its list, a rule with the exception that follows it.
    Chunks do not overlap, are trimmed, and hold every non-space character of the body.
    Short sections are joined with the next one beside or below them; ``section`` then is the
    path that they have in common. Version 1 knows the headings of Markdown alone, version 2
    those of wikis and of plain text, too, and a chunk's context does not repeat its own.
    """

    limit: int = 900
    version: int = 2

    def __post_init__(self) -> None:
        if self.version not in _VERSIONS:
            raise InvalidOption("version", self.version, "known are 1 and 2")
        if self.limit < 20:
            raise InvalidOption("limit", self.limit, "a section chunk has at least 20 characters")

    @property
    def id(self) -> str:
        size = "" if self.limit == _VERSIONS[self.version].limit else f"-{self.limit}"
        return f"sections{size}-v{self.version}"

    def split(self, text: str, title: str) -> tuple[Chunk, ...]:
        """Raises InvalidText for a text without a body."""
        version = _VERSIONS[self.version]
        found = pieces(text, _start_of_body(text), self.limit, version.read)
        return _chunks(text, title, found, version.repeats)


def chunker(identifier: str) -> Chunker:
    """The policy with this id; raises InvalidOption for an unknown one."""
    if windows := _WINDOWS.fullmatch(identifier):
        kind = CharacterWindows if windows[1] == "chars" else WordWindows
        return kind(int(windows[2]), int(windows[3]))
    if sections := _SECTIONS.fullmatch(identifier):
        version = int(sections[2])
        return Sections(int(sections[1] or _VERSIONS[version][0]), version)
    others = "sections-v1, sections-N-v2, sections-N-v1, chars-N-overlap-M-v1"
    known = f"{DEFAULT}, {others} and words-N-overlap-M-v1"
    raise InvalidOption("chunking", identifier, f"known are {known}")


def is_built_in(identifier: str) -> bool:
    """Whether the id has the form of one of the policies here."""
    return bool(_WINDOWS.fullmatch(identifier) or _SECTIONS.fullmatch(identifier))


def chunks_at(text: str, title: str, spans: Iterable[Span]) -> tuple[Chunk, ...]:
    """Chunks at these places of a text, in their order, for a splitter of the site's own."""
    return _chunks(text, title, (Piece(start, end, (), "") for start, end in spans))


def check_chunks(chunks: Sequence[Chunk], text: str) -> None:
    """Refuse chunks that cannot be cited: run on what any splitter gives, before embedding.

    Raises InvalidText for no chunks, parts that do not count 0, 1, 2, …, offsets outside the
    text, blank text and text that is not the slice at its offsets.
    """
    if not chunks:
        raise InvalidText("The splitter gave no chunk.")
    for number, chunk in enumerate(chunks):
        if fault := _fault(chunk, number, text):
            raise InvalidText(f"The splitter's chunk {number} {fault}.")


def _fault(chunk: Chunk, number: int, text: str) -> str:
    if chunk.part != number:
        return f"has part {chunk.part}; parts count 0, 1, 2, … without doubles"
    if not 0 <= chunk.start_char < chunk.end_char <= len(text):
        return f"has offsets {chunk.start_char} to {chunk.end_char} in {len(text)} characters"
    if not chunk.text.strip():
        return "is blank"
    if chunk.text != text[chunk.start_char : chunk.end_char]:
        return "has another text than the slice at its offsets"
    return ""


def _check_window(size: int, overlap: int) -> None:
    if size < 1:
        raise InvalidOption("size", size, "a window holds at least one")
    if not 0 <= overlap < size:
        raise InvalidOption("overlap", overlap, f"it must be from 0 to {size - 1}, below the size")


def _windows(length: int, size: int, overlap: int) -> list[tuple[int, int]]:
    """Bounds of windows over ``length`` items; the last is the first to reach the end."""
    starts = range(0, max(length - overlap, 1), size - overlap)
    return [(start, min(start + size, length)) for start in starts]


def _start_of_body(text: str) -> int:
    start = body_start(text)
    if not text[start:].strip():
        raise InvalidText("The text has no body to quote.")
    return start


def _chunks(
    text: str, title: str, found: Iterable[Piece], repeats: bool = True
) -> tuple[Chunk, ...]:
    lines = LineIndex(text)
    return tuple(
        _chunk(text, title, lines, part, piece, repeats) for part, piece in enumerate(found)
    )


def _chunk(
    text: str, title: str, lines: LineIndex, part: int, piece: Piece, repeats: bool
) -> Chunk:
    own = text[piece.start : piece.end]
    path = [heading for heading in piece.path if heading]
    held = frozenset[str]() if repeats else _bare_lines(own)
    above = [heading for heading in path if heading not in held]
    return Chunk(
        part=part,
        start_char=piece.start,
        end_char=piece.end,
        start_line=lines.line(piece.start),
        end_line=lines.line(piece.end - 1),
        text=own,
        section=SEPARATOR.join(path),
        context="\n".join(filter(None, (title, SEPARATOR.join(above), piece.header))),
    )


def _bare_lines(text: str) -> frozenset[str]:
    """The lines without what marks a heading, white space as in a title."""
    return frozenset(" ".join(line.strip("#=*_` \t").split()) for line in text.split("\n"))
