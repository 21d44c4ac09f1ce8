"""Plain factories for the tests that need a database: people, scopes, sources, an index."""

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

from django.contrib.auth.models import Group, User

from rag.actions import asking, searching
from rag.actions.importing import ImportReport, Request, import_sources
from rag.actions.profiles import Parts
from rag.actions.rebuilding import RebuildReport
from rag.actions.rebuilding import rebuild as rebuild_index
from rag.actions.recording import options_of
from rag.core.errors import InvalidFile
from rag.core.retrieval import Options
from rag.core.sources import Access, Selection, default_version, document_id
from rag.core.text import body
from rag.models import PendingAnswer, Revision, Scope

TODAY: Final = date(2026, 6, 1)
EVERYTHING: Final = Selection()


def user(name: str = "op", *, active: bool = True, groups: Sequence[str] = ()) -> User:
    """A person, made or found again, in these groups (made as needed)."""
    person, _ = User.objects.get_or_create(username=name, defaults={"is_active": active})
    for group in groups:
        person.groups.add(Group.objects.get_or_create(name=group)[0])
    return person


def scope(name: str = "public") -> Scope:
    """A scope, made or found again."""
    return Scope.objects.get_or_create(name=name)[0]


def write(folder: Path, name: str, text: str | bytes) -> Path:
    """A file below ``folder`` with exactly that content."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def import_files(
    *paths: Path,
    scope: str = "public",
    actor: str = "op",
    approve: bool = True,
    create_scope: bool = True,
    **request: Any,
) -> ImportReport:
    """Import files or folders as they are; user and scope are made as needed."""
    user(actor)
    wish = Request(scope, actor, create_scope=create_scope, approve=approve, **request)
    return import_sources(paths, wish, parts().chunker)


def import_text(
    folder: Path,
    source_id: str,
    text: str,
    *,
    scope: str = "public",
    approve: bool = True,
    **front: Any,
) -> Revision:
    """The revision of a text imported from a real file whose front matter names its id.

    In force from 2026-01-01 unless ``front`` says otherwise (``valid_from=None``: left open).
    Raises ``InvalidFile`` if the import refuses it.
    """
    whole = with_front(text, id=source_id, **{"valid_from": "2026-01-01"} | front)
    name = source_id.replace("/", "_") + ".md"
    report = import_files(write(folder, name, whole), scope=scope, approve=approve)
    for refusal in report.refused:
        raise InvalidFile(refusal["path"], refusal["reason"])
    words = " ".join(body(whole.replace("\r\n", "\n")).split())
    version = str(front.get("version") or default_version(words))
    return Revision.objects.get(document_id=document_id(source_id, version, words))


def with_front(text: str, **front: Any) -> str:
    """The text behind front matter of these keys; None leaves a key out."""
    pairs = ((key, value) for key, value in front.items() if value is not None)
    lines = (f"{key}: {json.dumps(value, default=str, ensure_ascii=False)}" for key, value in pairs)
    return "\n".join(["---", *lines, "---", text])


def import_facts(
    folder: Path, source_id: str, products: str, *, scope: str = "public", approve: bool = True
) -> Revision:
    """The revision of a facts file; ``products`` is TOML, such as ``[products.GX]\\nbar = 16``."""
    text = f'id = "{source_id}"\nvalid_from = 2026-01-01\n{products}\n'
    path = write(folder, source_id.replace("/", "_") + ".facts.toml", text)
    for refusal in import_files(path, scope=scope, approve=approve).refused:
        raise InvalidFile(refusal["path"], refusal["reason"])
    return Revision.objects.filter(source__source_id=source_id).latest("pk")


def parts(chunking: str = "sections-v2") -> Parts:
    """The hashing profile: deterministic, and no model is loaded."""
    return Parts("hashing", chunking)


def rebuild(using: Any = None) -> RebuildReport:
    """Rebuild the index without a cancel and without showing progress."""
    return rebuild_index(
        using or parts(), cancelled=lambda: False, report=lambda stage, done, total: None
    )


def access(*scopes: str, as_of: date = TODAY, user: str = "op") -> Access:
    """Who asks, with exactly these scopes (none means none)."""
    return Access(user, frozenset(scopes), as_of)


def search(
    question: str,
    who: Access | None = None,
    selection: Selection = EVERYTHING,
    using: Any = None,
    **options: Any,
) -> searching.Found:
    """Search, by default as somebody who may read ``public``; ``options`` are those of Options."""
    who = access("public") if who is None else who
    return searching.search(question, who, selection, Options(**options), using or parts())


def ask(
    question: str,
    who: Access | None = None,
    selection: Selection = EVERYTHING,
    using: Any = None,
    **options: Any,
) -> asking.Asked:
    """Ask, by default as somebody who may read ``public``; ``options`` are those of Options."""
    who = access("public") if who is None else who
    return asking.ask(question, who, selection, Options(**options), using or parts())


def labels(found: searching.Found) -> list[str]:
    """The labels of a search's hits, best first."""
    return [hit.label for hit in found.hits]


def pending_answer(person: User, **fields: Any) -> PendingAnswer:
    """A question of that person that no thread attends to; by default nothing was found for it."""
    how = {"options": options_of(EVERYTHING, Options()), "mode": "baseline", "hits": []}
    asked = {"question": "How long is the leave?", "as_of": TODAY, "scopes": ["public"]}
    return PendingAnswer.objects.create(person=person, **(asked | how | fields))
