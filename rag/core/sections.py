"""Where to cut a structured text: its sections, the price of each cut, the cheapest partition."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from rag.core.blocks import Block, Kind
from rag.core.headings import level_and_title
from rag.core.paths import Path, opened
from rag.core.text import Span, block_sentences, skip_space, starts_exception

SMALL = 200
"""Characters below which a section is joined to the next one, or a piece counts as tiny."""

# Prices of a cut. Only their order and rough distance matter: a cut between blocks is nearly
# free, one more chunk (even a tiny one) is cheaper than a cut inside a paragraph, and a rule
# is parted from its exception only where the two do not fit into one chunk.
_BLOCK = 1.0
_CHUNK = 3.0
_SAME_LIST = 2.0
_NESTED = 4.0
_SENTENCE = 10.0
_TINY = 6.0
_CODE = 12.0
_FENCE = 20.0
_INSIDE = 30.0
_LEAD_IN = 40.0
_HEADING = 60.0
_EXCEPTION = 100.0

_LISTED = frozenset({Kind.ITEM, Kind.ROW})
_PAUSE = re.compile(r".*[.!?;:|>。！？]\s", re.DOTALL)
# Every chunk of a table repeats its header: cut it, as ``headings`` cuts titles.
_LONGEST_HEADER = 500

Reader = Callable[[str, int], Sequence[Block]]
"""Gives the blocks of a text from an offset on."""


class Piece(NamedTuple):
    """What becomes a chunk: a trimmed span, its heading path, the header of a table cut in two."""

    start: int
    end: int
    path: tuple[str, ...]
    header: str


class _Atom(NamedTuple):
    """A sentence, row or line that is cut only if it is too long; ``price`` of a cut before it."""

    start: int
    end: int
    price: float
    header: str


@dataclass(frozen=True)
class _Section:
    """The atoms under one heading, or of several sections that were joined."""

    path: tuple[str, ...]
    atoms: tuple[_Atom, ...]
    has_body: bool
    is_exception: bool

    @property
    def start(self) -> int:
        return self.atoms[0].start

    @property
    def end(self) -> int:
        return self.atoms[-1].end


def pieces(text: str, start: int, limit: int, read: Reader) -> Iterator[Piece]:
    """Cut ``text[start:]`` at the cheapest places into pieces of at most ``limit`` characters.

    ``read`` says which blocks there are, and so what counts as a heading. Pieces are trimmed,
    in order and disjoint, and together hold every non-space character.
    """
    for section in _joined(_sections(text, read(text, start), limit), limit):
        for first, last in _partition(_merged(section.atoms, limit), limit):
            yield Piece(first.start, last.end, section.path, first.header)


def _sections(text: str, found: Sequence[Block], limit: int) -> Iterator[_Section]:
    """One section per heading, before it the text without a heading."""
    path: Path = ()
    atoms: list[_Atom] = []
    members: list[Block] = []
    for block, block_atoms in _block_atoms(text, found, limit):
        if block.kind is Kind.HEADING:
            if members:
                yield _section(text, path, members, atoms)
            path = opened(path, *level_and_title(text, block))
            atoms, members = [], []
        members.append(block)
        atoms.extend(block_atoms)
    if members:
        yield _section(text, path, members, atoms)


def _section(text: str, path: Path, members: list[Block], atoms: list[_Atom]) -> _Section:
    titles = tuple(title for _, title in path)
    first = members[0]
    heading = first.kind is Kind.HEADING
    exception = heading and starts_exception(titles[-1])
    return _Section(titles, tuple(atoms), not heading or len(members) > 1, exception)


def _joined(sections: Iterator[_Section], limit: int) -> list[_Section]:
    """Sections with those put together that say little alone."""
    joined: list[_Section] = []
    for section in sections:
        if joined and _belong_together(joined[-1], section, limit):
            joined[-1] = _join(joined[-1], section)
        else:
            joined.append(section)
    return joined


def _belong_together(before: _Section, after: _Section, limit: int) -> bool:
    """A bare heading goes with its first subsection; a small section, or one that an
    "Exceptions" section follows, with the next sibling or child if both fit into one chunk.
    """
    if _is_bare_parent(before, after):
        return True
    fits = after.end - before.start <= limit
    related = after.path[:-1] in (before.path, before.path[:-1])
    return fits and related and (before.end - before.start < SMALL or after.is_exception)


def _is_bare_parent(before: _Section, after: _Section) -> bool:
    depth = len(before.path)
    return not before.has_body and len(after.path) > depth and after.path[:depth] == before.path


def _join(before: _Section, after: _Section) -> _Section:
    """Joined text belongs to what the paths have in common; a bare heading changes no path."""
    pairs = takewhile(lambda pair: pair[0] == pair[1], zip(before.path, after.path, strict=False))
    common = tuple(title for title, _ in pairs)
    path = after.path if _is_bare_parent(before, after) else common
    return _Section(path, before.atoms + after.atoms, after.has_body, before.is_exception)


def _block_atoms(
    text: str, found: Sequence[Block], limit: int
) -> Iterator[tuple[Block, list[_Atom]]]:
    """Each block with its atoms; a row knows the header of its table."""
    before: Block | None = None
    header = ""
    for block in found:
        if block.kind is Kind.TABLE_HEAD:
            titles = text[block.start : block.end].split("\n", 1)[0]
            header = " ".join(titles.split())[:_LONGEST_HEADER]
        elif block.kind is not Kind.ROW:
            header = ""
        price = _price(text, before, block) if before else 0.0
        own_header = header if block.kind is Kind.ROW else ""
        yield block, list(_atoms(text, block, limit, price, own_header))
        before = block


def _atoms(text: str, block: Block, limit: int, price: float, header: str) -> Iterator[_Atom]:
    for number, (start, end) in enumerate(block_sentences(text, block)):
        opening = price if number == 0 else _SENTENCE
        if starts_exception(text[start : start + 80]) and block.kind is not Kind.HEADING:
            opening = _EXCEPTION
        for piece_start, piece_end in _fitting(text, start, end, limit):
            yield _Atom(piece_start, piece_end, opening, header)
            opening = _INSIDE


def _fitting(text: str, start: int, end: int, limit: int) -> Iterator[Span]:
    """A span in parts of at most ``limit`` characters and about the same size."""
    while (rest := end - start) > limit:
        parts = -(-rest // limit)
        cut = _cut(text, start, -(-rest // parts))
        yield start, cut
        start = skip_space(text, cut, end)
    yield start, end


def _cut(text: str, start: int, reach: int) -> int:
    """The last pause within ``reach`` characters, or else white space, or else the very end."""
    window = text[start : start + reach + 1]
    pause = _PAUSE.match(window)
    if pause and pause.end() > reach // 4:
        window = pause[0]
    elif not window[-1].isspace():
        window = window.rsplit(maxsplit=1)[0]
    return start + min(len(window.rstrip()), reach)


def _price(text: str, before: Block, block: Block) -> float:
    """What it costs to cut between two blocks that follow each other."""
    kinds = {before.kind, block.kind}
    if before.kind is Kind.HEADING:
        return _HEADING
    if Kind.CODE in kinds:
        return _FENCE if Kind.FENCE in kinds else _CODE
    if before.kind is Kind.TABLE_HEAD or _leads_in(text, before):
        return _LEAD_IN
    if Kind.TAG in kinds or block.indent > before.indent:
        return _NESTED
    if kinds & _LISTED:
        return _SAME_LIST if len(kinds) == 1 or block.indent else _BLOCK
    return _BLOCK


def _leads_in(text: str, block: Block) -> bool:
    """Whether a block announces the next one: "The following count:"."""
    return text[max(block.start, block.end - 8) : block.end].rstrip(" *_").endswith((":", "："))


def _merged(atoms: tuple[_Atom, ...], limit: int) -> list[_Atom]:
    """The atoms, with the tiniest ones put together where they are very many.

    The partition looks back over all atoms that fit into one chunk. Merging them to a
    twentieth of the limit keeps that number, and with it the time, within bounds for texts
    of one-letter lines; texts of sentences are left as they are.
    """
    least = limit // 20
    merged: list[_Atom] = []
    if (atoms[-1].end - atoms[0].start) >= least * len(atoms):
        return list(atoms)
    for atom in atoms:
        if merged and atom.end - merged[-1].start <= least:
            merged[-1] = merged[-1]._replace(end=atom.end)
        else:
            merged.append(atom)
    return merged


def _partition(atoms: list[_Atom], limit: int) -> Iterator[tuple[_Atom, _Atom]]:
    """First and last atoms of the pieces whose prices add up to the least.

    ``best[n]`` is the least price of the first n atoms and ``begins[n]`` where their last
    piece begins: the shortest path over all cuts, as in breaking a paragraph into lines.
    """
    best, begins = [0.0], [0]
    for n, last in enumerate(atoms, start=1):
        best.append(float("inf"))
        begins.append(n - 1)
        for first in range(n - 1, -1, -1):
            size = last.end - atoms[first].start
            if size > limit:
                break
            price = best[first] + _piece_price(size, limit) + (atoms[first].price if first else 0)
            if price < best[n]:
                best[n], begins[n] = price, first
    yield from _walk(atoms, begins)


def _piece_price(size: int, limit: int) -> float:
    """Few pieces, none of them tiny, all of about the same size."""
    return _CHUNK + (_TINY if size < SMALL else 0.0) + (1 - size / limit) ** 2


def _walk(atoms: list[_Atom], begins: list[int]) -> Iterator[tuple[_Atom, _Atom]]:
    ends = []
    end = len(atoms)
    while end:
        ends.append(end)
        end = begins[end]
    for end in reversed(ends):
        yield atoms[begins[end]], atoms[end - 1]
