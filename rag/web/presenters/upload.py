"""What became of each uploaded file, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse

from rag.actions.importing import ImportReport, Stored
from rag.web.presenters.standings import Chip

IMPORTED: Final = Chip("pending", "warning")
UNCHANGED: Final = Chip("unchanged", "still")
REFUSED: Final = Chip("refused", "bad")


@dataclass(frozen=True)
class FileRow:
    """One file. ``source`` and ``version`` are what it became; ``url`` leads there."""

    name: str
    chip: Chip
    words: str
    source: str = ""
    version: str = ""
    url: str = ""


@dataclass(frozen=True)
class UploadReport:
    """All files of an upload. ``waiting`` counts those that are new."""

    title: str
    rows: Sequence[FileRow]
    waiting: int


def upload_report(report: ImportReport, reviews: bool) -> UploadReport:
    """The report, what needs attention first; who does not review cannot open what waits."""
    rows = [
        *(FileRow(r["path"], REFUSED, _sentence(r["reason"])) for r in report.refused),
        *(_row(stored, _notes(report, stored), reviews) for stored in report.stored),
    ]
    return UploadReport(_title(report), rows, len(report.imported))


def _row(stored: Stored, notes: str, reviews: bool) -> FileRow:
    words = "" if stored.new else notes or "The very same text is there already."
    return FileRow(
        stored.path,
        IMPORTED if stored.new else UNCHANGED,
        words,
        stored.source,
        stored.version,
        reverse("source", args=[stored.document]) if reviews else "",
    )


def _notes(report: ImportReport, stored: Stored) -> str:
    return " ".join(_sentence(n["note"]) for n in report.notes if n["path"] == stored.path)


def _title(report: ImportReport) -> str:
    count = len(report.imported)
    if count:
        return "One file taken in" if count == 1 else f"{count} files taken in"
    return "Nothing new in it" if report.unchanged else "Nothing taken in"


def _sentence(reason: str) -> str:
    """A reason as a sentence of its own."""
    return f"{reason[:1].upper()}{reason[1:].rstrip('.')}."
