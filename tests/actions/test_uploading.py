"""Uploads: the rules of every import, nothing told of what is hidden, nothing kept."""

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from pytest_django import Settings

from rag.actions import uploading
from rag.actions.governing import erase, reject, withdraw
from rag.actions.importing import UNAVAILABLE, ImportReport, Reader, Request, import_found
from rag.actions.people import grant, revoke
from rag.actions.uploading import LEFT_BEHIND, SentFile, upload
from rag.adapters.files import CREDENTIALS, MAX_BYTES
from rag.core.errors import NotFound, StorageError
from rag.core.metadata import Overrides
from rag.models import AuditEvent, Revision, Source
from tests import factories

RULE: Final = "Meals on business trips are reimbursed up to EUR 52 per day."
OTHER: Final = "Hotels are booked through the travel desk and nowhere else."
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def rita() -> None:
    """Rita uploads; she may read the scope public. There is a scope hr as well."""
    factories.user("rita")
    factories.scope("hr")
    grant("public", user="rita", create_scope=True)


def reader(*scopes: str, reviews: bool = True) -> Reader:
    who = replace(factories.access(*(scopes or ("public",)), user="rita"), live=True)
    return Reader(who, reviews)


def send(
    *files: tuple[str, str | bytes],
    scope: str = "public",
    to: Reader | None = None,
    **request: Any,
) -> ImportReport:
    sent = [SentFile(name, t.encode() if isinstance(t, str) else t) for name, t in files]
    wish = Request(scope, "rita", reader=to or reader(), **request)
    return upload(sent, wish, factories.parts().chunker)


def reasons(report: ImportReport) -> Sequence[str]:
    return [refusal["reason"] for refusal in report.refused]


def left(settings: Settings) -> list[str]:
    return sorted(path.name for path in (settings.EVIDENCE_HOME / "uploads").iterdir())


def test_an_upload_waits_and_is_on_record() -> None:
    report = send(("leave.md", RULE))
    revision = Revision.objects.get()
    assert (report.imported, report.refused) == (["leave"], [])
    assert (revision.state, revision.approval_requested_by) == ("pending", "")
    event = AuditEvent.objects.latest("pk")
    assert (event.actor, event.action, event.details["scope"]) == ("rita", "import", "public")


def test_an_id_is_that_of_front_matter_or_of_folder_and_name() -> None:
    named = factories.with_front(OTHER, id="ACME-HOTELS")
    report = send(("leave.md", RULE), ("x.txt", named), prefix="policies")
    assert report.imported == ["policies/leave", "ACME-HOTELS"]


def test_what_the_form_says_goes_before_front_matter() -> None:
    text = factories.with_front(RULE, version="1", product="A", title="T")
    send(("a.md", text), overrides=Overrides(version="2", product="B", valid_from=factories.TODAY))
    revision = Revision.objects.get()
    assert (revision.version, revision.product, revision.title) == ("2", "B", "T")
    assert revision.valid_from == factories.TODAY


def test_each_file_is_accounted_for() -> None:
    send(("a.md", RULE))
    report = send(("a.md", RULE), ("b.md", OTHER), ("c.pdf", "x"), ("d.md", ""))
    assert (report.unchanged, report.imported) == (["a"], ["b"])
    assert [refusal["path"] for refusal in report.refused] == ["c.pdf", "d.md"]
    assert [(stored.path, stored.new) for stored in report.stored] == [
        ("a.md", False),
        ("b.md", True),
    ]


def test_two_files_cannot_silently_be_one_source() -> None:
    report = send(("a.md", RULE), ("a.txt", OTHER))
    assert report.imported == ["a"]
    assert reasons(report) == ["the id 'a' is that of 'a.md' in this import, too"]


REFUSED: Final[dict[str, tuple[str, str | bytes, str]]] = {
    "large": ("a.md", b"x" * (MAX_BYTES + 1), "it is larger than 2 MB"),
    "empty": ("a.md", "", "there is no text in it"),
    "nothing to read": ("a.md", "… — !", "there is nothing to read in it"),
    "NUL": ("a.md", "a\0b", "it is not text in UTF-8"),
    "latin-1": ("a.txt", "für".encode("latin-1"), "it is not text in UTF-8"),
    "hidden": (".a.md", RULE, "it is hidden"),
    "credentials": (".env.md", RULE, "its name is that of a credential file"),
    "key": ("id_rsa.txt", RULE, "its name is that of a credential file"),
    "suffix": ("a.exe", RULE, "only .md and .txt files are uploaded"),
    "no suffix": ("readme", RULE, "only .md and .txt files are uploaded"),
    "no name": ("", RULE, "only .md and .txt files are uploaded"),
    "facts": ("p.facts.toml", "id = 'p'", "product facts are not uploaded"),
    "facts json": ("p.json", "{}", "product facts are not uploaded"),
    "control": ("a\nb.md", RULE, "its name has a control character"),
    "path": ("../a.md", RULE, "its name is a path"),
    "front matter": ("a.md", "---\nstatus: x\n---\ntext", "status 'x' is unknown"),
    "yaml": ("a.md", "---\na: *b\n---\ntext", "its front matter is not YAML, line 2"),
}


@pytest.mark.parametrize(("name", "content", "reason"), REFUSED.values(), ids=REFUSED)
def test_the_rules_of_an_import_hold(name: str, content: str | bytes, reason: str) -> None:
    [given] = reasons(send((name, content), ("fine.md", RULE)))
    assert given.startswith(reason)
    assert "--" not in given  # no option of a command, which nobody in a browser has
    assert list(Source.objects.values_list("source_id", flat=True)) == ["fine"]


@pytest.mark.parametrize("pattern", CREDENTIALS)
def test_no_credential_file_is_taken(pattern: str) -> None:
    [reason] = reasons(send((pattern.replace("*", "x"), RULE)))
    assert reason == "its name is that of a credential file"


# Nothing is told of what the person may not read


def foreign(tmp_path: Path, state: str = "approved") -> Revision:
    """A revision of the id ``secret`` in the scope hr, which Rita may not read."""
    revision = factories.import_text(tmp_path, "secret", RULE, scope="hr", version="1")
    return brought_to(revision, state)


def brought_to(revision: Revision, state: str) -> Revision:
    factories.rebuild()
    why = {"actor": "op", "reason": "a test"}
    if state == "withdrawn":
        withdraw(revision.document_id, **why)
    elif state == "erased":
        erase(revision.document_id, **why)
    return revision


@pytest.mark.parametrize("text", [RULE, OTHER], ids=["same text", "other text"])
@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize("state", ["approved", "withdrawn", "erased"])
def test_an_id_of_a_forbidden_source_is_not_available_and_that_is_all(
    tmp_path: Path, state: str, version: str, text: str
) -> None:
    foreign(tmp_path, state)
    file = ("x.md", factories.with_front(text, id="secret", version=version))
    report = send(file)
    assert report.refused == [{"path": "x.md", "reason": UNAVAILABLE}]
    assert (report.stored, report.notes, report.unchanged) == ([], [], [])


def test_who_may_read_the_other_scope_is_told_which_it_is(tmp_path: Path) -> None:
    foreign(tmp_path)
    grant("hr", user="rita")
    file = ("x.md", factories.with_front(OTHER, id="secret"))
    [reason] = reasons(send(file, to=reader("public", "hr")))
    assert reason == "the id 'secret' belongs to another scope, 'hr'"


@pytest.mark.parametrize("text", [RULE, OTHER], ids=["same text", "other text"])
def test_who_does_not_review_is_not_told_of_what_waits(tmp_path: Path, text: str) -> None:
    factories.import_text(tmp_path, "draft", RULE, version="1", approve=False)
    file = ("x.md", factories.with_front(text, id="draft", version="1"))
    report = send(file, to=reader(reviews=False))
    assert (reasons(report), report.stored) == ([UNAVAILABLE], [])


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("pending", "version '1' of 'a' exists with another text"),
        ("rejected", "version '1' of 'a' exists with another text"),
        ("erased", UNAVAILABLE),
    ],
)
def test_who_reviews_is_told_of_what_is_on_record(tmp_path: Path, state: str, reason: str) -> None:
    revision = factories.import_text(tmp_path, "a", RULE, version="1", approve=False)
    if state == "rejected":
        reject(revision.document_id, actor="op", reason="a test")
    if state == "erased":
        erase(revision.document_id, actor="op", reason="a test")
    assert reasons(send(("a.md", factories.with_front(OTHER, version="1")))) == [reason]


def test_a_hidden_source_changes_nothing_for_another_id(tmp_path: Path) -> None:
    before = send(("a.md", RULE))
    Revision.objects.all().delete()
    foreign(tmp_path)
    assert send(("a.md", RULE)) == before


@pytest.mark.parametrize("scope", ["hr", "no such scope", ""])
def test_a_forbidden_scope_is_one_that_is_not_there(scope: str) -> None:
    with pytest.raises(NotFound, match=f"There is no scope '{scope}'"):
        send(("a.md", RULE), scope=scope)
    assert not Revision.objects.exists()


def test_a_grant_that_was_revoked_meanwhile_counts() -> None:
    revoke("public", user="rita")
    with pytest.raises(NotFound, match="no scope 'public'"):
        send(("a.md", RULE))
    assert not Revision.objects.exists()


def test_an_upload_without_a_reader_is_refused() -> None:
    with pytest.raises(NotFound):
        upload([], Request("public", "rita"), factories.parts().chunker)


# Nothing is kept


def test_no_file_is_opened_under_the_name_that_was_sent(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Path] = []
    original = import_found

    def watched(finding: Any, *rest: Any) -> ImportReport:
        seen.extend(found.path for found in finding.files)
        assert [path.stat().st_mode & 0o077 for path in [seen[0].parent]] == [0]
        return original(finding, *rest)

    monkeypatch.setattr(uploading, "import_found", watched)
    send(("payroll.md", RULE), ("Payroll.TXT", OTHER))
    assert [path.suffix for path in seen] == [".md", ".txt"]
    assert all(path.is_relative_to(settings.EVIDENCE_HOME / "uploads") for path in seen)
    assert not any("payroll" in str(path).lower() for path in seen)


@pytest.mark.parametrize("error", [StorageError("full"), KeyboardInterrupt()])
def test_nothing_is_left_whatever_happens(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    send(("a.md", RULE))
    assert left(settings) == []

    def fail(*arguments: object) -> ImportReport:
        raise error

    monkeypatch.setattr(uploading, "import_found", fail)
    with pytest.raises(type(error)):
        send(("b.md", OTHER))
    assert left(settings) == []


def test_what_a_killed_process_left_behind_is_removed_in_time(settings: Settings) -> None:
    for name, age in (("old", LEFT_BEHIND + 60), ("young", 0)):
        folder = settings.EVIDENCE_HOME / "uploads" / name
        factories.write(folder, "x.md", RULE)
        then = folder.stat().st_mtime - age
        os.utime(folder, (then, then))
    send(("a.md", RULE))
    assert left(settings) == ["young"]


def test_a_folder_that_cannot_be_written_is_named_without_its_path(settings: Settings) -> None:
    (settings.EVIDENCE_HOME / "uploads").touch()
    with pytest.raises(StorageError, match=r"^The files could not be kept: .*") as caught:
        send(("a.md", RULE))
    assert str(settings.EVIDENCE_HOME) not in str(caught.value)
