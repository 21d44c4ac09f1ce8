"""Headings: Markdown's, those of wikis and AsciiDoc, and lines of plain text that are headings.

Text that was copied from a word processor, a PDF or a wiki has headings, too. A chunk that does
not know them mixes two subjects, and is found without the words that only its heading has.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rag.core.blocks import Block, Kind, blocks

# Every chunk repeats its headings: cut them, or one line of a megabyte would be copied into a
# thousand contexts.
_LONGEST_TITLE = 200

_CLOSING_MARKS = re.compile(r"\{[#:][^{}]*\}$|(?:^|\s)#+$")
# "== Title ==" of MediaWiki, and "= = Title = =" where its signs stand apart: as many on the right.
_WIKI = re.compile(r"=((?: ?=){0,5}) *([^=\s](?:[^=]*[^=\s])?) *=\1$")
# "== Title" of AsciiDoc; a single sign may as well be part of a formula.
_ASCIIDOC = re.compile(r"(={2,6})[ \t]+(\w[^=]*)$")

# A title is a short line; what follows it is a long one, or ends like a sentence.
_LONGEST_LINE = 100
_MOST_WORDS = 14
_PROSE = 100
_SPACE = re.compile(r"\s*")
_SENTENCE_END = (".", ":", ";", "!", "?", "。", "！", "？", "؟", "।")
_NUMBER = re.compile(r"(\d{1,3}(?:\.\d{1,3}){0,4})[.)]?\s+(?=\S)")
_TITLE = re.compile(r"[\"'“‘„«(*_]?(?=[^\W_])[^|\t]*[\w)\]}\"'”’»*]")
# "Name: value" and "Speaker: words" are no titles, nor what stands above or below a picture.
_NO_TITLE = re.compile(
    r".*:\s|(?:fig(?:ure)?|table|box|chart|abb(?:ildung)?|tab(?:elle)?|tableau)\b\.? *[A-Z]?\d",
    re.I,
)
# Plain headings lie below all that are marked: capitals, numbers by their depth, others.
_CAPITALS, _NUMBERED, _OTHER = 7, 8, 13


def outline(text: str, start: int = 0) -> tuple[Block, ...]:
    """The blocks of ``text[start:]`` with every heading a block of its own.

    Lines of plain text are taken for headings only where the text has none of Markdown's.
    """
    found = blocks(text, start)
    plain = all(block.kind is not Kind.HEADING for block in found)
    apart = [part for block in found for part in _wiki_headings(text, block)]
    if not plain:
        return tuple(apart)
    return tuple(_plain_headings(text, apart))


def level_and_title(text: str, block: Block) -> tuple[int, str]:
    """Level (1 is the highest) and bare title of a heading."""
    heading = text[block.start : block.end]
    if heading.startswith("#"):
        title = heading.lstrip("#")
        level = len(heading) - len(title)
    elif "\n" in heading:
        title, underline = heading.rsplit("\n", 1)
        level = 1 if "=" in underline else 2
    elif wiki := _WIKI.match(heading):
        level, title = 1 + wiki[1].count("="), wiki[2]
    elif asciidoc := _ASCIIDOC.match(heading):
        level, title = len(asciidoc[1]), asciidoc[2]
    else:
        level, title = block.level, heading
    title = _CLOSING_MARKS.sub("", title).strip(" \t*_`")
    return level, " ".join(title[:_LONGEST_TITLE].split())


def _plain_level(line: str) -> int:
    if number := _NUMBER.match(line):
        return _NUMBERED + number[1].count(".")
    return _CAPITALS if line.isupper() else _OTHER


def _wiki_headings(text: str, block: Block) -> Iterator[Block]:
    """The block, divided at its lines that are headings of a wiki or of AsciiDoc."""
    if block.kind not in (Kind.TEXT, Kind.ITEM) or "=" not in text[block.start : block.end]:
        yield block
        return
    rest: Block | None = None
    for line in _lines(text, block):
        content = text[line.start : line.end]
        if _WIKI.match(content) or _ASCIIDOC.match(content):
            if rest:
                yield rest
            rest = None
            yield line._replace(kind=Kind.HEADING)
        else:
            rest = rest._replace(end=line.end) if rest else line
    if rest:
        yield rest


def _lines(text: str, block: Block) -> Iterator[Block]:
    """The lines of a block, trimmed; only the first is of the block's kind, the others prose."""
    at, kind = block.start, block.kind
    for line in text[block.start : block.end].split("\n"):
        indent = len(line) - len(line.lstrip())
        yield Block(kind, at + indent, at + len(line.rstrip()), block.indent)
        at, kind = at + len(line) + 1, Kind.TEXT


def _plain_headings(text: str, found: Sequence[Block]) -> Iterator[Block]:
    """The blocks, with leading lines that look like a title taken off as headings."""
    for block, following in pairwise([*found, None]):
        rest: Block | None = block
        while rest:
            line, rest = _first_line(text, rest)
            if not _is_title(text, line, rest, following):
                yield line._replace(end=rest.end) if rest else line
                break
            level = _plain_level(text[line.start : line.end])
            yield line._replace(kind=Kind.HEADING, level=level)


def _first_line(text: str, block: Block) -> tuple[Block, Block | None]:
    end = text.find("\n", block.start, block.end)
    if end < 0 or block.kind not in (Kind.TEXT, Kind.ITEM):
        return block, None
    line = block._replace(end=block.start + len(text[block.start : end].rstrip()))
    return line, Block(Kind.TEXT, _after_space(text, end), block.end, block.indent)


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _is_title(text: str, line: Block, rest: Block | None, following: Block | None) -> bool:
    """Whether a line is short and no sentence, and what follows it is prose."""
    title = text[line.start : line.end]
    below = _first_line(text, rest)[0] if rest else following
    if below is None or not _looks_like_title(title, line.kind):
        return False
    prose = text[below.start : below.end]
    if line.kind is Kind.ITEM and (_is_next(title, prose) or below.indent > line.indent):
        return False
    enough = rest is None and len(prose) > len(title) and prose.endswith(_SENTENCE_END)
    return below.kind in (Kind.TEXT, Kind.ITEM) and (len(prose) >= _PROSE or enough)


def _looks_like_title(line: str, kind: Kind) -> bool:
    if kind is Kind.ITEM:
        if not _NUMBER.match(line):
            return False
        line = line.removesuffix(".")
    if kind not in (Kind.TEXT, Kind.ITEM) or not 2 <= len(line) <= _LONGEST_LINE:
        return False
    first = next((letter for letter in line if letter.isalpha()), "")
    short = first and not first.islower() and len(line.split()) <= _MOST_WORDS
    return bool(short and _TITLE.fullmatch(line) and not _NO_TITLE.match(line))


def _is_next(line: str, below: str) -> bool:
    """Whether a numbered line and the one below it are items of one list."""
    one, other = _NUMBER.match(line), _NUMBER.match(below)
    return bool(one and other and one[1].count(".") == other[1].count("."))
