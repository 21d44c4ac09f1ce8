"""A citation as it is copied and printed: in plain words, and as Markdown."""

import re
from dataclasses import dataclass
from typing import Final

from rag.core.sources import State
from rag.models import Citation, Revision
from rag.web.presenters.results import local_day, passage_url
from rag.web.presenters.standings import day_words, window_words

# What begins emphasis, code, a link, an entity, a cell, an automatic link or an emoji anywhere,
# and what begins a heading, list, rule or definition at the start of a line.
_ANYWHERE: Final = re.compile(r"[\\`*_\[\]<>&|~@$]|:(?=//|[\w+-]+:)|(?<=[Ww]{3})\.")
_AT_START: Final = re.compile(r"^(?:[#+=:-]|\d{1,9}(?=[.)]))")


@dataclass(frozen=True)
class Reference:
    """Everything that names a quotation besides its words."""

    title: str
    version: str
    section: str
    label: str
    start_char: int
    end_char: int
    window: str
    approved: str
    source_sha256: str
    address: str


def approval_words(revision: Revision) -> str:
    """The day of approval; empty if none is on record."""
    return day_words(local_day(revision.approved_at)) if revision.approved_at else ""


def reference_of(citation: Citation, revision: Revision, section: str, site: str) -> Reference:
    """The reference of a citation; ``site`` is the scheme and host of its address."""
    place = citation.start_char, citation.end_char
    return Reference(
        title=one_line(revision.title),
        version=revision.version,
        section=below(revision.title, section),
        label=citation.label,
        start_char=place[0],
        end_char=place[1],
        window=reference_window(revision),
        approved=approval_words(revision),
        source_sha256=citation.source_sha256,
        address=f"{site}{passage_url(revision.document_id, *place)}",
    )


def words(reference: Reference) -> str:
    """The reference as text."""
    return ", ".join([reference.title, *_details(reference), reference.address])


def plain(quote: str, reference: Reference) -> str:
    """The quotation in quotation marks and its reference, as text."""
    return f"“{quote}” — {words(reference)}"


def markdown(quote: str, reference: Reference) -> str:
    """The quotation as a block quote and its reference with a link; the words stay as text."""
    lines = [escaped(line.strip(" \t")) for line in quote.split("\n")]
    block = "\n".join(f"> {line}  " if line else ">" for line in lines)
    title = f"[{escaped(reference.title)}]({reference.address})"
    about = ", ".join([title, *map(escaped, _details(reference))])
    return f"{block}\n\n— {about}"


def escaped(line: str) -> str:
    """One line of text as Markdown that renders as exactly that text."""
    inside = _ANYWHERE.sub(r"\\\g<0>", line)
    return _AT_START.sub(_escaped_start, inside)


def _escaped_start(match: re.Match[str]) -> str:
    # A list number is followed by what has to be escaped: only punctuation can be.
    start = match[0]
    return f"{start}\\" if start.isdigit() else f"\\{start}"


def below(title: str, section: str) -> str:
    """The section path without the title, which most texts repeat as their first heading."""
    return "" if section == title else section.removeprefix(f"{title} › ")


def _details(reference: Reference) -> list[str]:
    approved = [f"approved {reference.approved}"] if reference.approved else []
    return [
        f"version {reference.version}",
        *([reference.section] if reference.section else []),
        f"[{reference.label}]",
        f"characters {reference.start_char}–{reference.end_char}",
        reference.window,
        *approved,
        f"SHA-256 {reference.source_sha256}",
    ]


def reference_window(revision: Revision) -> str:
    """The window of a reference in words, or why the revision is no longer served."""
    if revision.state != State.APPROVED.value:
        return f"no longer served ({revision.state})"
    if revision.valid_from is None and revision.valid_until is None:
        return "without a window"
    return f"in force {window_words(revision.valid_from, revision.valid_until)}"


def one_line(text: str) -> str:
    """The text with every run of white space as one blank."""
    return " ".join(text.split())
