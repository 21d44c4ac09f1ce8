"""From files to pending revisions."""

import hashlib
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from rag.core.errors import InvalidFile, NotFound
from rag.core.metadata import Overrides
from rag.core.sources import Status
from rag.models import Revision, Scope, Source
from tests import factories

RULE = "Meals on business trips are reimbursed up to EUR 52 per day."


def test_an_import_approves_nothing(db: None, tmp_path: Path) -> None:
    revision = factories.import_text(tmp_path, "a", RULE)
    assert (revision.state, revision.indexed, revision.approval_requested_by) == (
        "pending",
        False,
        "op",
    )


def test_a_revision_has_what_its_file_says(db: None, tmp_path: Path) -> None:
    front: dict[str, Any] = {
        "title": "T",
        "owner": "Finance",
        "product": "GX",
        "language": "de",
        "version": "7",
    }
    revision = factories.import_text(tmp_path, "a", RULE, canonical=False, team=["x", "y"], **front)
    kept = {name: getattr(revision, name) for name in front}
    assert kept == front
    assert (revision.canonical, revision.encoding) == (False, "utf-8")
    pairs = revision.attributes.values_list("key", "value").order_by("value")
    assert list(pairs) == [("team", "x"), ("team", "y")]


def test_digests_are_those_of_the_bytes_and_of_the_text(db: None, tmp_path: Path) -> None:
    data = "\ufeffCosts:\r\nEUR 52 per day\r\n".encode()
    factories.import_files(factories.write(tmp_path, "a.txt", data))
    revision = Revision.objects.get()
    assert revision.text == "Costs:\nEUR 52 per day\n"
    assert revision.source_sha256 == hashlib.sha256(data).hexdigest()
    assert revision.text_sha256 == hashlib.sha256(revision.text.encode()).hexdigest()


def test_the_operator_s_options_go_before_front_matter(db: None, tmp_path: Path) -> None:
    path = factories.write(tmp_path, "a.md", factories.with_front(RULE, version="1", product="A"))
    day = date(2026, 2, 1)
    factories.import_files(path, overrides=Overrides("2", Status.HISTORICAL, day, day, "B"))
    revision = Revision.objects.get()
    assert (revision.version, revision.status, revision.product) == ("2", "historical", "B")
    assert (revision.valid_from, revision.valid_until) == (day, day)


def test_the_same_text_again_is_unchanged(db: None, tmp_path: Path) -> None:
    path = factories.write(tmp_path, "a.md", RULE)
    assert factories.import_files(path).imported == ["a"]
    factories.write(tmp_path, "a.md", f"  {RULE}\n\n")
    again = factories.import_files(path)
    assert (again.imported, again.unchanged) == ([], ["a"])
    assert Revision.objects.get().text == RULE


def test_approval_can_be_asked_for_later(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE, approve=False)
    factories.rebuild()
    assert factories.search("meals").hits == ()
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    assert factories.labels(factories.search("meals")) == ["a#0"]


def test_a_version_has_one_text(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE, version="1")
    with pytest.raises(InvalidFile, match="version '1' of 'a' exists with another text"):
        factories.import_text(tmp_path, "a", "Another rule.", version="1")


def test_an_id_belongs_to_one_scope(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE, scope="hr")
    with pytest.raises(InvalidFile, match="'a' belongs to another scope, 'hr'"):
        factories.import_text(tmp_path, "a", "Another rule.", scope="public")
    assert Source.objects.get().scope.name == "hr"


def test_two_files_of_one_id_need_versions(db: None, tmp_path: Path) -> None:
    for name in ("a.md", "a.txt"):
        factories.write(tmp_path / "f", name, f"{RULE} {name}")
    report = factories.import_files(tmp_path / "f")
    assert report.imported == ["f/a"]
    assert [refusal["path"] for refusal in report.refused] == ["a.txt"]


def test_a_refused_file_does_not_stop_the_rest(db: None, tmp_path: Path) -> None:
    for name, text in (("a.md", RULE), ("b.md", "\0"), ("c.md", "---\nstatus: x\n---\ntext")):
        factories.write(tmp_path / "f", name, text)
    report = factories.import_files(tmp_path / "f", factories.write(tmp_path, "d.csv", "x"))
    assert report.imported == ["f/a"]
    assert sorted(refusal["path"] for refusal in report.refused) == ["b.md", "c.md", "d.csv"]


def test_an_unknown_actor_or_scope_is_refused(db: None, tmp_path: Path) -> None:
    path = factories.write(tmp_path, "a.md", RULE)
    with pytest.raises(NotFound, match="no scope 'new'"):
        factories.import_files(path, scope="new", create_scope=False)
    factories.user("gone", active=False)
    with pytest.raises(NotFound, match="no user 'gone'"):
        factories.import_files(path, actor="gone")
    assert not Scope.objects.exists()
