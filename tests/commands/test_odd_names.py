"""Odd ids, scopes, paths and encodings of an import: taken, or refused in a sentence."""

from pathlib import Path

import pytest
from django.core.management import CommandError

from rag.models import Revision, Scope
from tests.commands.command_line import IMPORT, RULE, done, run, write


@pytest.mark.parametrize("prefix", ["a\nb", "a\x1b[31mb", "a\u2028b"])
def test_a_prefix_that_would_break_labels_is_refused(
    people: None, tmp_path: Path, prefix: str
) -> None:
    write(tmp_path / "in" / "rule.md", RULE)
    ended = run("import_sources", tmp_path / "in", *IMPORT, "--prefix", prefix)
    assert ended.code == 1
    fault = f"The id {f'{prefix}/rule'!r} must have 1 to 500 printable characters"
    assert ended.err == f"refused  in/rule.md: {fault}\n"
    assert not Revision.objects.exists()


@pytest.mark.parametrize("name", ["C#-guide.md", "a,b.md"])
def test_a_file_name_with_odd_characters_is_welcome(
    people: None, tmp_path: Path, name: str
) -> None:
    assert run("import_sources", write(tmp_path / name, RULE), *IMPORT).code == 0


def test_a_code_page_is_accepted_when_it_is_named(people: None, tmp_path: Path) -> None:
    file = write(tmp_path / "menu.txt", "Café is served at ten o'clock.".encode("cp1252"))
    done("import_sources", file, *IMPORT, "--encoding", "cp1252", "--approve")
    done("rebuild")
    [hit] = done("search", "café", "--scopes", "public")["hits"]
    assert hit["text"] == "Café is served at ten o'clock."


@pytest.mark.parametrize(
    ("option", "longest"),
    [
        (["--version", "1\n2"], 500),
        (["--version", "v" * 600], 500),
        (["--product", "a\nb"], 100),
        (["--product", "p" * 101], 100),
    ],
)
def test_options_are_checked_as_front_matter_is(
    people: None, tmp_path: Path, option: list[str], longest: int
) -> None:
    file = write(tmp_path / "rule.md", RULE)
    ended = run("import_sources", file, *IMPORT, *option)
    name = option[0].removeprefix("--")
    fault = f"{name} must be one line of at most {longest} printable characters"
    assert (ended.code, ended.err) == (1, f"refused  rule.md: {fault}\n")
    assert not Revision.objects.exists()


def test_a_hidden_folder_given_by_name_is_refused(people: None, tmp_path: Path) -> None:
    write(tmp_path / ".private" / "rule.md", RULE)
    ended = run("import_sources", tmp_path / ".private", *IMPORT, "--json")
    assert (ended.code, ended.json["imported"]) == (1, [])
    assert ended.json["refused"] == [{"path": ".private", "reason": "hidden folders are not read"}]


def test_an_empty_path_does_not_import_the_current_folder(
    people: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "rule.md", RULE)
    monkeypatch.chdir(tmp_path)
    for paths in ([""], ["rule.md", ""]):
        with pytest.raises(CommandError, match="argument paths: the path is empty"):
            run("import_sources", *paths, *IMPORT)
    assert not Revision.objects.exists()


def test_refused_files_of_two_folders_can_be_told_apart(people: None, tmp_path: Path) -> None:
    folders = [write(tmp_path / name / "empty.md", "").parent for name in ("one", "two")]
    refused = run("import_sources", *folders, *IMPORT, "--json").json["refused"]
    assert [refusal["path"] for refusal in refused] == ["one/empty.md", "two/empty.md"]


@pytest.mark.parametrize("scope", ["", " ", "a,b", " hr", "a\nb", "x" * 101])
def test_a_scope_that_no_list_can_name_is_not_created(people: None, scope: str) -> None:
    ended = run("grant", scope, "--user", "ada", "--create-scope")
    assert ended.code == 1
    assert ended.err.startswith(f"The scope {scope!r} must have ")
    assert set(Scope.objects.values_list("name", flat=True)) == {"public", "hr"}


def test_an_import_that_refuses_everything_makes_no_scope(people: None, tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.md", "")
    wish = ("--scope", "typo", "--create-scope", "--actor", "ada")
    assert run("import_sources", empty, *wish).code == 1
    assert run("search", "x", "--scopes", "typo").err == "There is no scope 'typo'.\n"
