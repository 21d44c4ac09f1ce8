"""The record of a revision in words: its line under the title, and the card beside its text."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils import timezone
from django.utils.translation import get_language_info

from rag.models import Revision
from rag.web.presenters.citations import approval_words
from rag.web.presenters.standings import day_words, record_window


@dataclass(frozen=True)
class Detail:
    """A fact of the record. A ``code`` is shown short on the screen and whole in print."""

    name: str
    value: str
    code: bool = False

    @property
    def short(self) -> str:
        """A hash by its ends, as the eye compares it."""
        return f"{self.value[:4]} {self.value[4:8]} … {self.value[-4:]}"


def summary(revision: Revision) -> tuple[str, ...]:
    """``Version 2026-2``, ``since 1 March 2026``, ``approved on 24 February 2026``."""
    approved = approval_words(revision)
    window = record_window(revision)
    return (
        f"Version {revision.version}",
        *([window] if window else []),
        *([f"approved on {approved}"] if approved else []),
        *([] if revision.canonical else ["a copy, not canonical"]),
    )


def details(revision: Revision) -> tuple[Detail, ...]:
    """Everything on record beside the text, in reading order; what is empty is left out."""
    found = [*_governance(revision), *_metadata(revision), *_digests(revision)]
    return tuple(detail for detail in found if detail.value)


def _governance(revision: Revision) -> Iterator[Detail]:
    yield Detail("Id", revision.source.source_id)
    yield Detail("Owner", revision.owner)
    yield Detail("Product", revision.product)
    yield Detail("Language", language_name(revision.language))
    approved = approval_words(revision)
    yield Detail("Approved", f"{approved} by {revision.approved_by}" if approved else "")
    imported = day_words(timezone.localdate(revision.imported_at))
    yield Detail("Imported", f"{imported} by {revision.imported_by}")


def _metadata(revision: Revision) -> Iterator[Detail]:
    pairs = sorted((pair.key, pair.value) for pair in revision.attributes.all())
    yield from (Detail(key, value) for key, value in pairs)


def _digests(revision: Revision) -> Iterator[Detail]:
    yield Detail("Document id", revision.document_id, code=True)
    yield Detail("SHA-256", revision.source_sha256, code=True)
    if revision.text_sha256 != revision.source_sha256:
        yield Detail("of its text", revision.text_sha256, code=True)


def language_name(code: str) -> str:
    """The English name of a language, or its code if it has none here."""
    try:
        return str(get_language_info(code)["name"])
    except KeyError:
        return code


def language_tag(code: str) -> str:
    """The code if it is one that browsers and screen readers know; else nothing."""
    return code if language_name(code) != code else ""
