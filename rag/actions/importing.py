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
from rag.adapters.files import LoadedFile, find_files, is_facts, load, source_id
from rag.core.chunks import Chunker, check_chunks
from rag.core.errors import InvalidFile, InvalidText, RagError
from rag.core.metadata import Described, Overrides, described
from rag.core.sources import State, checked_id, default_version, document_id
from rag.core.text import body
from rag.models import Attribute, Revision, Source


@dataclass
class ImportReport:
    """What became of each file."""

    imported: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    refused: list[dict[str, str]] = field(default_factory=list)
    notes: list[dict[str, str]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {
            "imported": self.imported,
            "unchanged": self.unchanged,
            "skipped": self.skipped,
            "refused": self.refused,
            "notes": self.notes,
        }


@dataclass(frozen=True)
class Request:
    """Where an import goes, who answers for it, and what overrides the files' front matter."""

    scope: str
    actor: str
    create_scope: bool = False
    prefix: str | None = None
    encoding: str | None = None
    approve: bool = False
    overrides: Overrides = field(default_factory=Overrides)


@dataclass(frozen=True)
class _Draft:
    """A file that is fit to become a revision."""

    loaded: LoadedFile
    source: str
    about: Described
    document: str
    version: str

    @property
    def is_facts(self) -> bool:
        return is_facts(self.loaded.found)


def import_sources(paths: Sequence[Path], request: Request, chunker: Chunker) -> ImportReport:
    """Import files and folders as pending revisions; a refused file does not stop the rest."""
    actor_named(request.actor)
    if not request.create_scope:
        scope_named(request.scope)
    finding = find_files(paths, request.prefix)
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
    return _Draft(loaded, source, about, document_id(source, version, words), version)


@transaction.atomic
def _store(drafts: Sequence[_Draft], request: Request, report: ImportReport) -> list[InvalidFile]:
    """Write the drafts and their audit events; the refusals that only the tables can tell."""
    refused = []
    seen: dict[str, _Draft] = {}
    for draft in drafts:
        known = Revision.objects.filter(document_id=draft.document).first()
        reason = _clash(draft, seen) or _fault(draft, request.scope, known)
        if reason:
            refused.append(InvalidFile(draft.loaded.found.shown, reason))
        elif known:
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


def _fault(draft: _Draft, scope: str, known: Revision | None) -> str:
    """Why the tables forbid this draft, or ''."""
    source = Source.objects.filter(source_id=draft.source).select_related("scope").first()
    if source and source.scope.name != scope:
        return f"the id {draft.source!r} belongs to another scope, {source.scope.name!r}"
    if known and known.state not in (State.PENDING.value, State.APPROVED.value):
        return (
            f"version {draft.version!r} of {draft.source!r} was {known.state}; "
            "give the text a new version to bring it back"
        )
    if source and not known and source.revisions.filter(version=draft.version).exists():
        return f"version {draft.version!r} of {draft.source!r} exists with another text"
    return ""


def _notes(draft: _Draft, known: Revision) -> list[dict[str, str]]:
    """What the same text now says differently of itself, and how to make that count."""
    about = draft.about
    pairs: dict[str, tuple[object, object]] = {
        "title": (about.title, known.title),
        "owner": (about.owner, known.owner),
        "product": (about.product, known.product),
        "canonical": (about.canonical, known.canonical),
        "language": (about.language or known.language, known.language),
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
        text=draft.loaded.text,
        text_sha256=hashlib.sha256(draft.loaded.text.encode()).hexdigest(),
        source_sha256=draft.loaded.sha256,
        encoding=draft.loaded.encoding,
        title=draft.about.title,
        owner=draft.about.owner,
        language=draft.about.language or settings.EVIDENCE_DEFAULT_LANGUAGE,
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
