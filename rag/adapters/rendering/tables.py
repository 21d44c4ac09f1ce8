"""Rows of pipe tables, as in GitHub Flavored Markdown."""

import re

from rag.adapters.rendering.blocks import Span, Spans

_BLANKS = " \t"
_DELIMITERS = re.compile(r"(?!-[ \t])[|:-][|: \t-]+")
_COLUMN = re.compile(r":?-+:?")
_ALIGNMENTS = {(True, True): "center", (True, False): "left", (False, True): "right"}


def alignments(text: str, start: int, end: int) -> tuple[str, ...] | None:
    """The alignment of each column ("" for none) if the line is a delimiter row, or None."""
    if _DELIMITERS.fullmatch(text, start, end) is None:
        return None
    columns = [column.strip(_BLANKS) for column in text[start:end].split("|")]
    columns = columns[not columns[0] :]
    columns = columns[: len(columns) - (not columns[-1])] if columns else columns
    if not columns or not all(map(_COLUMN.fullmatch, columns)):
        return None
    return tuple(
        _ALIGNMENTS.get((column.startswith(":"), column.endswith(":")), "") for column in columns
    )


def cells(text: str, start: int, end: int) -> tuple[Spans, ...]:
    """The cells of a row, trimmed; of ``\\|`` only the pipe belongs to the cell."""
    start, end = trimmed(text, start, end)
    row: list[list[Span]] = [[]]
    at = start
    pipe = text.find("|", start, end)
    while pipe >= 0:
        escaped = pipe > start and text[pipe - 1] == "\\"
        row[-1].append((at, pipe - escaped))
        if not escaped:
            row.append([])
        at = pipe + (not escaped)
        pipe = text.find("|", pipe + 1, end)
    row[-1].append((at, end))
    return tuple(_trimmed_cell(text, cell) for cell in _without_outer_pipes(row))


def _without_outer_pipes(row: list[list[Span]]) -> list[list[Span]]:
    row = row[_is_nothing(row[0]) :]
    return row[: len(row) - _is_nothing(row[-1])] if row else row


def _is_nothing(cell: list[Span]) -> bool:
    return len(cell) == 1 and cell[0][0] == cell[0][1]


def _trimmed_cell(text: str, cell: list[Span]) -> Spans:
    """Blanks go at both ends; what is left of an escaped pipe's parts keeps its blanks."""
    first, last = cell[0], cell[-1]
    if len(cell) == 1:
        cell = [trimmed(text, *first)]
    else:
        cell[0] = (trimmed(text, *first)[0], first[1])
        cell[-1] = (last[0], trimmed(text, *last)[1])
    return tuple((a, b) for a, b in cell if a < b)


def trimmed(text: str, start: int, end: int) -> Span:
    """The span without the blanks and tabs at its ends; empty at ``end`` if it has nothing else."""
    line = text[start:end]
    first = end - len(line.lstrip(_BLANKS))
    return first, max(first, start + len(line.rstrip(_BLANKS)))
