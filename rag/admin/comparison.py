"""What an approval changes beside the words: product facts, and what is on record."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from django.utils.safestring import SafeString

from rag.admin.texts import revealed
from rag.core.facts import product_facts
from rag.models import Revision
from rag.web.presenters.citations import approval_words
from rag.web.presenters.details import language_name
from rag.web.presenters.results import local_day
from rag.web.presenters.standings import day_words

_FORMATS: Final = MappingProxyType(
    {Revision.Format.MARKDOWN: "Markdown", Revision.Format.PLAIN: "plain text"}
)


@dataclass(frozen=True)
class FactRow:
    """A product fact with its value before; ``change`` is new, changed, gone or empty."""

    product: SafeString
    name: SafeString
    old: SafeString
    new: SafeString
    change: str


@dataclass(frozen=True)
class Known:
    """Something on record beside the text. ``was``: what the earlier version says instead."""

    name: SafeString
    value: SafeString
    was: str


def known(revision: Revision, earlier: Revision | None) -> Iterator[Known]:
    """What is on record, and what an approval changes of it."""
    yield from _compared(_record(revision), _record(earlier) if earlier else None)
    yield from _compared(_history(revision), None)


def metadata(revision: Revision, earlier: Revision | None) -> Iterator[Known]:
    """The same of the metadata, whose keys come from the file: one may be called "Owner"."""
    yield from _compared(_pairs(revision), _pairs(earlier) if earlier else None)


def digests(revision: Revision) -> Iterator[tuple[str, str]]:
    """What identifies the document, its file and its text."""
    yield "Document id", revision.document_id
    yield "File, SHA-256", revision.source_sha256
    yield "Text, SHA-256", revision.text_sha256


def _compared(now: Mapping[str, str], before: Mapping[str, str] | None) -> Iterator[Known]:
    """Each entry with what it was, if there is an earlier version that says otherwise."""
    for name in dict.fromkeys([*now, *(before or ())]):
        new = now.get(name, "")
        old = new if before is None else before.get(name, "")
        if new or old:
            was = (old or "not given") if new != old else ""
            yield Known(revealed(name), revealed(new or "not given"), was)


def _record(revision: Revision) -> dict[str, str]:
    return {
        "Title": revision.title,
        "Id": revision.source.source_id,
        "Owner": revision.owner,
        "Product": revision.product,
        "Language": language_name(revision.language),
        "Canonical": "yes" if revision.canonical else "no, a copy",
        "Shown as": _FORMATS[Revision.Format(revision.format)],
    }


def _history(revision: Revision) -> dict[str, str]:
    approved = approval_words(revision)
    imported = day_words(local_day(revision.imported_at))
    return {
        "Imported": f"{imported} by {revision.imported_by}",
        "Approved": f"{approved} by {revision.approved_by}" if approved else "",
        "Encoding": revision.encoding,
    }


def _pairs(revision: Revision) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    for key, value in sorted((pair.key, pair.value) for pair in revision.attributes.all()):
        found.setdefault(key, []).append(value)
    return {key: "; ".join(values) for key, values in found.items()}


def facts(revision: Revision, earlier: Revision | None) -> Iterator[FactRow]:
    """The facts of both versions, by product and name."""
    new, old = _values(revision), _values(earlier)
    for product, name in sorted(new.keys() | old.keys()):
        before, after = old.get((product, name), ""), new.get((product, name), "")
        if earlier is None or before == after:
            change = ""
        else:
            change = "new" if not before else "changed" if after else "gone"
        yield FactRow(revealed(product), revealed(name), revealed(before), revealed(after), change)


def _values(revision: Revision | None) -> dict[tuple[str, str], str]:
    """The facts that a file states, also before a rebuild has put them into their table."""
    if revision is None or revision.kind != Revision.Kind.FACTS:
        return {}
    return {(fact.product, fact.name): fact.value for fact in product_facts(revision.text)}
