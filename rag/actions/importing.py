"""From files to pending revisions. An import approves nothing; it can only ask for approval."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from rag.actions.audit import record
from rag.actions.governing import is_closed_by_successor
from rag.actions.people import actor_named, scope_named
from rag.adapters.files import Finding, LoadedFile, find_files, is_facts, load, source_id
from rag.adapters.languages import detected
from rag.core.chunks import Chunker, check_chunks
from rag.core.errors import InvalidFile, InvalidText, NotFound, RagError
from rag.core.metadata import Described, Overrides, described
from rag.core.sources import Access, State, checked_id, default_version, document_id
from rag.core.text import body
from rag.models import Attribute, Revision, Source
from rag.queries.eligibility import access_now, readable_revisions

# The one answer for every id that stands for something that the reader may not read.
UNAVAILABLE = "this id is not available: give the text another one"


@dataclass(frozen=True)
class Stored:
    """A file that is a revision now (``new``) or was one before."""

    path: str
    source: str
    version: str
    document: str
    new: bool


@dataclass
class ImportReport:
    """What became of each file; ``stored`` says more of the imported and unchanged ones."""

    imported: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    refused: list[dict[str, str]] = field(default_factory=list)
    notes: list[dict[str, str]] = field(default_factory=list)
    stored: list[Stored] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {
            "imported": self.imported,
            "unchanged": self.unchanged,
            "skipped": self.skipped,
            "refused": self.refused,
            "notes": self.notes,
        }


@dataclass(frozen=True)
class Reader:
    """Who is told what became of the files: only what that person may read is named."""

    access: Access
    reviews: bool


@dataclass(frozen=True)
class Request:
    """Where an import goes, who answers for it, and what overrides the files' front matter.

    Without a ``reader`` it is an operator's, who may be told everything.
    """

    scope: str
    actor: str
    create_scope: bool = False
    prefix: str | None = None
    encoding: str | None = None
    approve: bool = False
    overrides: Overrides = field(default_factory=Overrides)
    reader: Reader | None = None


@dataclass(frozen=True)
class _Draft:
    """A file that is fit to become a revision."""

    loaded: LoadedFile
    source: str
    about: Described
    document: str
    version: str
    language: str
    """Empty where neither front matter nor the text tells it, or nobody asks."""

    @property
    def is_facts(self) -> bool:
        return is_facts(self.loaded.found)

    @property
    def format(self) -> Revision.Format:
        """Markdown by its suffix; facts and everything else are shown as they are written."""
        markdown = self.loaded.found.path.suffix.lower() == ".md"
        return Revision.Format.MARKDOWN if markdown else Revision.Format.PLAIN


def import_sources(paths: Sequence[Path], request: Request, chunker: Chunker) -> ImportReport:
    """Import files and folders as pending revisions; a refused file does not stop the rest."""
    return import_found(find_files(paths, request.prefix), request, chunker)


def import_found(finding: Finding, request: Request, chunker: Chunker) -> ImportReport:
    """Import the files of a finding; its refusals stand in the report, too."""
    actor_named(request.actor)
    if not request.create_scope:
        scope_named(request.scope)
    report = ImportReport(skipped=list(finding.skipped))
    refused = list(finding.refused)
    drafts = []
    for found in finding.files:
        try:
            drafts.append(_draft(load(found, request.encoding), request, chunker))
        except InvalidFile as error:
            refused.append(error)
        except RagError as error:
            refused.append(InvalidFile(found.shown, str(error).rstrip(".")))
    if drafts:  # an import that refuses everything makes no scope
        refused += _store(drafts, request, report)
    report.refused = [{"path": error.path, "reason": error.reason} for error in refused]
    return report


def _draft(loaded: LoadedFile, request: Request, chunker: Chunker) -> _Draft:
    about = described(
        loaded.front, request.overrides, loaded.text, Path(loaded.found.relative).stem
    )
    source = checked_id(about.source_id or source_id(loaded.found))
    text = loaded.text if is_facts(loaded.found) else body(loaded.text)
    words = " ".join(text.split())
    version = about.version or default_version(words)
    if not any(map(str.isalnum, words)):
        raise InvalidText("there is nothing to read in it")
    if not is_facts(loaded.found):
        check_chunks(chunker.split(loaded.text, about.title), loaded.text)
    identity = document_id(source, version, words)
    return _Draft(loaded, source, about, identity, version, _language(loaded, about, identity))


def _language(loaded: LoadedFile, about: Described, identity: str) -> str:
    """Front matter's, else the text's; what is already known keeps its own and is not read."""
    if about.language or is_facts(loaded.found):
        return about.language
    known = Revision.objects.filter(document_id=identity).exists()
    return "" if known else detected(loaded.text)


@transaction.atomic
def _store(drafts: Sequence[_Draft], request: Request, report: ImportReport) -> list[InvalidFile]:
    """Write the drafts and their audit events; the refusals that only the tables can tell."""
    _check_scope(request)
    refused = []
    seen: dict[str, _Draft] = {}
    for draft in drafts:
        known = Revision.objects.filter(document_id=draft.document).first()
        reason = _clash(draft, seen) or _fault(draft, request, known)
        if reason:
            refused.append(InvalidFile(draft.loaded.found.shown, reason))
            continue
        report.stored.append(_stored(draft, new=known is None))
        if known:
            _request_approval(known, request)
            report.unchanged.append(draft.source)
            report.notes += _notes(draft, known)
            if request.approve and not draft.about.version and is_closed_by_successor(known):
                note = "a later text has replaced this one; give --version to bring it back"
                report.notes.append({"path": draft.loaded.found.shown, "note": note})
        else:
            _create(draft, request)
            report.imported.append(draft.source)
    return refused


def _clash(draft: _Draft, seen: dict[str, _Draft]) -> str:
    """Why the draft cannot stand beside an earlier file of this import, or ''.

    Two files may be versions of one source only if both say which; else the one would silently
    supersede the other (``a.md`` and ``a.txt`` in one folder).
    """
    other = seen.setdefault(draft.source, draft)
    if other is draft or (draft.about.version and other.about.version):
        return ""
    return f"the id {draft.source!r} is that of {other.loaded.found.shown!r} in this import, too"


def _check_scope(request: Request) -> None:
    """A reader imports only into a scope that is still theirs; another one is not there."""
    reader = request.reader
    if reader and request.scope not in access_now(reader.access).scopes:
        raise NotFound("scope", request.scope)


def _stored(draft: _Draft, new: bool) -> Stored:
    return Stored(draft.loaded.found.shown, draft.source, draft.version, draft.document, new)


def _fault(draft: _Draft, request: Request, known: Revision | None) -> str:
    """Why the tables forbid this draft, or ''."""
    source = Source.objects.filter(source_id=draft.source).select_related("scope").first()
    if source is None:
        return ""
    same_version = known or source.revisions.filter(version=draft.version).first()
    if request.reader and _is_hidden(source, same_version, request.scope, request.reader):
        return UNAVAILABLE
    if source.scope.name != request.scope:
        return f"the id {draft.source!r} belongs to another scope, {source.scope.name!r}"
    if known and known.state not in (State.PENDING.value, State.APPROVED.value):
        return (
            f"version {draft.version!r} of {draft.source!r} was {known.state}; "
            "give the text a new version to bring it back"
        )
    if same_version and not known:
        return f"version {draft.version!r} of {draft.source!r} exists with another text"
    return ""


def _is_hidden(source: Source, other: Revision | None, scope: str, reader: Reader) -> bool:
    """Whether an answer would be about something that the reader may not read.

    In a foreign scope that is the source, in the import's own the revision of the same version.
    """
    readable = readable_revisions(access_now(reader.access), reader.reviews)
    if source.scope.name != scope:
        return not readable.filter(source=source).exists()
    return other is not None and not readable.filter(pk=other.pk).exists()


def _notes(draft: _Draft, known: Revision) -> list[dict[str, str]]:
    """What the same text now says differently of itself, and how to make that count."""
    about = draft.about
    pairs: dict[str, tuple[object, object]] = {
        "title": (about.title, known.title),
        "owner": (about.owner, known.owner),
        "product": (about.product, known.product),
        "canonical": (about.canonical, known.canonical),
        "language": (about.language or known.language, known.language),
        "format": (draft.format.value, known.format),
        "valid_from": (about.valid_from or known.valid_from, known.valid_from),
        "metadata": (about.attributes, frozenset(known.attributes.values_list("key", "value"))),
    }
    if not is_closed_by_successor(known):  # that sets both, whatever the file says
        pairs["status"] = (about.status.value, known.status)
        pairs["valid_until"] = (about.valid_until or known.valid_until, known.valid_until)
    changed = [name for name, (now, before) in pairs.items() if now != before]
    if not changed:
        return []
    note = f"the text is unchanged, so its new {', '.join(changed)} needs a new version to count"
    return [{"path": draft.loaded.found.shown, "note": note}]


def _request_approval(revision: Revision, request: Request) -> None:
    waits = revision.state == State.PENDING.value and not revision.approval_requested_by
    if request.approve and waits:
        revision.approval_requested_by = request.actor
        revision.save(update_fields=["approval_requested_by"])
        record(request.actor, "request_approval", str(revision), document_id=revision.document_id)


def _create(draft: _Draft, request: Request) -> None:
    scope = scope_named(request.scope, request.create_scope)
    source, _ = Source.objects.get_or_create(source_id=draft.source, defaults={"scope": scope})
    revision = Revision.objects.create(
        source=source,
        document_id=draft.document,
        version=draft.version,
        kind=Revision.Kind.FACTS if draft.is_facts else Revision.Kind.TEXT,
        format=draft.format,
        text=draft.loaded.text,
        text_sha256=hashlib.sha256(draft.loaded.text.encode()).hexdigest(),
        source_sha256=draft.loaded.sha256,
        encoding=draft.loaded.encoding,
        title=draft.about.title,
        owner=draft.about.owner,
        language=draft.language or settings.EVIDENCE_DEFAULT_LANGUAGE,
        product=draft.about.product,
        canonical=draft.about.canonical,
        status=draft.about.status.value,
        valid_from=draft.about.valid_from,
        valid_until=draft.about.valid_until,
        imported_by=request.actor,
    )
    pairs = sorted(draft.about.attributes)
    Attribute.objects.bulk_create(Attribute(revision=revision, key=k, value=v) for k, v in pairs)
    proof = {"document_id": revision.document_id, "source_sha256": revision.source_sha256}
    record(request.actor, "import", str(revision), scope=scope.name, **proof)
    _request_approval(revision, request)
