"""What the commands say to people: reports, notices and sentences, each on its own stream."""

from pathlib import Path
from typing import Final

import pytest
from django.contrib.auth.models import Group
from pytest_django import Settings

from tests.commands.command_line import IMPORT, RULE, done, front, run, write
from tests.sites.site import Site

WAITS: Final = "What was imported waits for a rebuild. Run: manage.py rebuild\n"


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


def test_an_unknown_chunking_is_refused_where_nothing_is_to_be_chunked(
    people: None, settings: Settings
) -> None:
    settings.EVIDENCE_CHUNKING = "magic"
    ended = run("rebuild")
    assert ended.code == 1
    assert "chunking 'magic' is not usable: known are sections-v2" in ended.err
