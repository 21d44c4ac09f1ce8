"""From files to pending revisions."""

import hashlib
import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from rag.core.errors import InvalidFile, InvalidText, NotFound
from rag.core.metadata import Overrides
from rag.core.sources import Status
from rag.models import Revision, Scope, Source
from tests import factories

RULE = "Meals on business trips are reimbursed up to EUR 52 per day."
GERMAN = "Bis zu fünf Tage des Jahresurlaubs dürfen in das nächste Jahr übertragen werden."


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
    assert report.refused == [
        {"path": "f/a.txt", "reason": "the id 'f/a' is that of 'f/a.md' in this import, too"}
    ]


def test_a_refused_file_does_not_stop_the_rest(db: None, tmp_path: Path) -> None:
    for name, text in (("a.md", RULE), ("b.md", "\0"), ("c.md", "---\nstatus: x\n---\ntext")):
        factories.write(tmp_path / "f", name, text)
    report = factories.import_files(tmp_path / "f", factories.write(tmp_path, "d.csv", "x"))
    assert report.imported == ["f/a"]
    assert sorted(refusal["path"] for refusal in report.refused) == ["d.csv", "f/b.md", "f/c.md"]


def test_an_unknown_actor_or_scope_is_refused(db: None, tmp_path: Path) -> None:
    path = factories.write(tmp_path, "a.md", RULE)
    with pytest.raises(NotFound, match="no scope 'new'"):
        factories.import_files(path, scope="new", create_scope=False)
    factories.user("gone", active=False)
    with pytest.raises(NotFound, match="no user 'gone'"):
        factories.import_files(path, actor="gone")
    assert not Scope.objects.exists()


def test_changed_front_matter_of_an_unchanged_text_is_noted(db: None, tmp_path: Path) -> None:
    factories.import_files(factories.write(tmp_path, "a.md", factories.with_front(RULE, owner="A")))
    again = factories.write(tmp_path, "a.md", factories.with_front(RULE, owner="B", team="x"))
    report = factories.import_files(again)
    assert report.unchanged == ["a"]
    [note] = report.notes
    assert note["note"].endswith("its new owner, metadata needs a new version to count")


def test_two_files_cannot_silently_be_one_source(db: None, tmp_path: Path) -> None:
    for name in ("a.md", "a.txt"):
        factories.write(tmp_path / "f", name, RULE + name)
    report = factories.import_files(tmp_path / "f", prefix="")
    assert report.imported == ["a"]
    assert report.refused == [
        {"path": "f/a.txt", "reason": "the id 'a' is that of 'f/a.md' in this import, too"}
    ]


UNREADABLE = {
    "zero width": "\u200b\u200d\u2060",
    "empty fence": "```\n```\n",
    "punctuation": "… — !? * _ |",
    "behind front matter": "---\ntitle: Words\n---\n---\n",
}


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE)
def test_a_file_without_letter_or_digit_is_refused(db: None, tmp_path: Path, text: str) -> None:
    factories.write(tmp_path / "f", "b.md", "1")
    factories.write(tmp_path / "f", "a.md", text)
    report = factories.import_files(tmp_path / "f")
    assert report.imported == ["f/b"]
    assert report.refused == [{"path": "f/a.md", "reason": "there is nothing to read in it"}]


@pytest.mark.parametrize("name", ["C#-guide", "a,b"])
def test_odd_characters_of_a_file_name_stand_in_its_id(db: None, tmp_path: Path, name: str) -> None:
    assert factories.import_files(factories.write(tmp_path, f"{name}.md", RULE)).imported == [name]


@pytest.mark.parametrize("broken", ["a\x1bb", "a\u2028b", "a\nb"])
def test_an_id_that_would_break_a_line_is_refused(db: None, tmp_path: Path, broken: str) -> None:
    path = factories.write(tmp_path, "r.md", RULE)
    [by_prefix] = factories.import_files(path, prefix=broken).refused
    reason = f"The id {f'{broken}/r'!r} must have 1 to 500 printable characters"
    assert by_prefix == {"path": "r.md", "reason": reason}
    factories.write(tmp_path, "r.md", f"---\nid: {json.dumps(broken)}\n---\n{RULE}")
    [by_front] = factories.import_files(path).refused
    assert (by_front["path"], "id " in by_front["reason"]) == ("r.md", True)
    assert not Source.objects.exists()


def test_an_import_that_refuses_every_file_makes_no_scope(db: None, tmp_path: Path) -> None:
    report = factories.import_files(factories.write(tmp_path, "a.md", ""), scope="typo")
    assert [refusal["path"] for refusal in report.refused] == ["a.md"]
    assert not Scope.objects.exists()


def test_an_import_that_the_tables_refuse_makes_no_scope(db: None, tmp_path: Path) -> None:
    path = factories.write(tmp_path, "a.md", RULE)
    factories.import_files(path, scope="hr")
    [refusal] = factories.import_files(path, scope="typo").refused
    assert refusal["reason"] == "the id 'a' belongs to another scope, 'hr'"
    assert list(Scope.objects.values_list("name", flat=True)) == ["hr"]


@pytest.mark.parametrize("scope", ["", "a,b", " hr", "a\nb", "x" * 101])
def test_an_import_makes_no_scope_that_no_list_can_name(
    db: None, tmp_path: Path, scope: str
) -> None:
    with pytest.raises(InvalidText, match=r"^The scope "):
        factories.import_files(factories.write(tmp_path, "a.md", RULE), scope=scope)
    assert not Scope.objects.exists()
    assert not Revision.objects.exists()


@pytest.mark.parametrize(
    "field",
    [
        "title", "owner", "product", "canonical", "valid_from", "valid_until", "team",
        "status",
        "language",
    ],
)  # fmt: skip
def test_each_changed_key_of_an_unchanged_text_is_noted(
    db: None, tmp_path: Path, field: str
) -> None:
    before = {"title": "A", "owner": "A", "product": "A", "canonical": True, "team": "a",
              "valid_from": "2026-01-01", "valid_until": "2027-01-01", "status": "current",
              "language": "en"}  # fmt: skip
    values = {"canonical": False, "status": "historical", "language": "de",
              "valid_from": "2026-02-01", "valid_until": "2026-12-01"}  # fmt: skip
    for front in (before, before | {field: values.get(field, "B")}):
        path = factories.write(tmp_path / "f", "a.md", factories.with_front(RULE, **front))
        report = factories.import_files(path.parent)
    name = "metadata" if field == "team" else field
    note = f"the text is unchanged, so its new {name} needs a new version to count"
    assert report.notes == [{"path": "f/a.md", "note": note}]


def test_a_text_tells_its_language_where_front_matter_does_not(db: None, tmp_path: Path) -> None:
    assert factories.import_text(tmp_path, "a", GERMAN).language == "de"
    assert factories.import_text(tmp_path, "b", GERMAN, language="nl").language == "nl"


@pytest.mark.parametrize("text", ["GX-100: 16 bar", "[products.GX-100]"])
def test_a_text_that_tells_no_language_has_the_site_s(
    db: None, tmp_path: Path, settings: Settings, text: str
) -> None:
    settings.EVIDENCE_DEFAULT_LANGUAGE = "sv"
    assert factories.import_text(tmp_path, "a", text).language == "sv"


def test_a_known_text_keeps_the_language_that_it_was_imported_with(
    db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rag.actions.importing.detected", lambda text: "")
    path = factories.write(tmp_path, "a.md", GERMAN)
    factories.import_files(path)
    monkeypatch.setattr("rag.actions.importing.detected", lambda text: "de")
    report = factories.import_files(path)
    assert (report.unchanged, report.notes) == (["a"], [])
    assert Revision.objects.get().language == "en"


def test_a_language_that_was_found_waits_for_approval(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE, language="en")
    waiting = factories.import_text(tmp_path, "b", GERMAN, approve=False)
    factories.rebuild()
    assert (waiting.language, factories.search("meals").languages) == ("de", ("en",))


def test_a_window_that_an_approval_shortened_is_not_noted(db: None, tmp_path: Path) -> None:
    old = factories.with_front(RULE, version="1", valid_from="2026-01-01", valid_until="2026-12-31")
    new = factories.with_front(RULE + " New.", version="2", valid_from="2026-03-01")
    for text in (new, old):
        factories.import_files(factories.write(tmp_path, "a.md", text))
        factories.rebuild()
    assert Revision.objects.get(version="1").valid_until == date(2026, 2, 28)
    report = factories.import_files(factories.write(tmp_path, "a.md", old))
    assert (report.unchanged, report.notes) == (["a"], [])


def test_the_same_file_again_is_not_noted(db: None, tmp_path: Path) -> None:
    path = factories.write(tmp_path, "a.md", factories.with_front(RULE, owner="A", team="x"))
    factories.import_files(path)
    factories.rebuild()
    assert factories.import_files(path).notes == []
