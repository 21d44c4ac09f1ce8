"""``evaluate``: figures of cases through the site's own search and ask."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from rag.models import Answer, EvaluationRun
from tests.commands.command_line import IMPORT, done, run, write

LEAVE: Final = "Up to five days of annual leave are carried over into the next year."
PETS: Final = "Dogs may come to the office on Fridays if they are quiet."
QUESTION: Final = "How many days of annual leave are carried over?"


@pytest.fixture
def texts(people: None, tmp_path: Path) -> None:
    """Two indexed rules in the scope public, and one in hr that answers the same question."""
    for name, text, scope in (
        ("leave", LEAVE, "public"),
        ("pets", PETS, "public"),
        ("secret", f"{LEAVE} Ten in hr.", "hr"),
    ):
        front = f"---\nid: {name}\nvalid_from: 2026-01-01\n---\n"
        file = write(tmp_path / f"{name}.md", f"{front}# Rule\n\n{text}\n")
        where = ("--scope", scope, "--actor", "ada", "--approve")
        assert run("import_sources", file, *where).code == 0
    assert run("rebuild").code == 0


def cases(folder: Path, *entries: dict[str, Any]) -> Path:
    lines = [
        json.dumps({"case_id": f"c-{number}", "scopes": ["public"]} | entry)
        for number, entry in enumerate(entries, 1)
    ]
    return write(folder / "cases.jsonl", "\n".join(lines))


def test_cases_become_figures(texts: None, tmp_path: Path) -> None:
    answered = {"question": QUESTION, "relevant": [{"source_id": "leave", "quote": LEAVE}]}
    unanswerable = {"question": "Who repairs the lift?", "answerable": False}
    found = done("evaluate", cases(tmp_path, answered, unanswerable), "--k", "3", "--answers")
    figures = found["figures"]
    assert (figures["cases"], figures["recall"], figures["reciprocal_rank"]) == (2, 1, 1)
    assert (figures["quote_recall"], figures["citation_precision"]) == (1, 1)
    assert (figures["wrongly_answered"], figures["wrongly_refused"]) == (0, 0)
    assert (figures["out_of_scope"], figures["failed_case_ids"]) == (0, [])
    assert found["generation_evaluated"] is True


def test_each_case_is_shown_with_its_hits_and_its_answer(texts: None, tmp_path: Path) -> None:
    file = cases(tmp_path, {"question": QUESTION, "relevant": [{"source_id": "leave"}]})
    (case,) = done("evaluate", file, "--answers")["cases"]
    assert case["case_id"] == "c-1"
    assert case["hits"][0]["source_id"] == "leave"
    assert case["answer"]["quotes"][0]["quote"] == LEAVE
    (case,) = done("evaluate", file)["cases"]
    assert case["answer"] is None


def test_a_case_is_asked_within_its_scopes(texts: None, tmp_path: Path) -> None:
    file = cases(tmp_path, {"question": QUESTION, "relevant": [{"source_id": "secret"}]})
    found = done("evaluate", file)
    assert found["figures"]["recall"] == 0
    assert {hit["scope"] for hit in found["cases"][0]["hits"]} == {"public"}


def test_an_evaluation_is_no_recorded_answer(texts: None, tmp_path: Path) -> None:
    done("evaluate", cases(tmp_path, {"question": QUESTION}), "--answers")
    assert not Answer.objects.exists()
    stored = EvaluationRun.objects.get()
    assert (stored.mode, stored.k, stored.figures["recall"]) == ("hybrid", 10, 0)
    assert QUESTION not in json.dumps([stored.outcomes, stored.made_with])


def test_a_table_has_a_column_for_each_mode(texts: None, tmp_path: Path) -> None:
    file = cases(tmp_path, {"question": QUESTION, "relevant": [{"source_id": "leave"}]})
    lines = run("evaluate", file, "--mode", "all").out.splitlines()
    assert lines[0] == "cases.jsonl: 1 cases, weighted-65-35-around-3-v1, k 10"
    assert lines[1].split() == ["lexical", "dense", "hybrid"]
    assert lines[2].split() == ["recall", "1.000", "1.000", "1.000"]


def test_what_changed_since_the_run_before_is_named(texts: None, tmp_path: Path) -> None:
    entry = {"question": QUESTION, "relevant": [{"source_id": "new"}]}
    file = cases(tmp_path, entry)
    assert "fails now" not in run("evaluate", file).out
    new = write(tmp_path / "new.md", f"---\nid: new\nvalid_from: 2026-01-01\n---\n{LEAVE} New.\n")
    assert run("import_sources", new, *IMPORT, "--approve").code == 0
    assert run("rebuild").code == 0
    assert "  c-1: failed before" in run("evaluate", file).out.splitlines()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("no json", "Case 'line 1': 'the line' must be a JSON object."),
        ("[]", "Case 'line 1': 'the line' must be a JSON object."),
        ('{"question": "x", "scopes": []}', "Case '?': 'case_id' must be a text."),
        ('{"case_id": "a", "scopes": []}', "Case 'a': 'question' must be a text."),
        ('{"case_id": "a", "question": "x", "scopes": ["moon"]}', "There is no scope 'moon'."),
        (
            '{"case_id": "a", "question": "x", "scopes": "public"}',
            "Case 'a': 'scopes' must be a list of texts.",
        ),
        (
            '{"case_id": "a", "question": "x", "as_of": "soon"}',
            "Case 'a': 'as_of' must be a date such as 2026-11-30.",
        ),
        (
            '{"case_id": "a", "question": "x", "statuses": ["old"]}',
            "Case 'a': 'statuses' must be a list of current, superseded, historical.",
        ),
        (
            '{"case_id": "a", "question": "x", "answerable": "no"}',
            "Case 'a': 'answerable' must be true or false.",
        ),
        (
            '{"case_id": "a", "question": "x", "relevant": [{"source_id": "leave", '
            '"start_char": 5, "end_char": 5}]}',
            "Case 'a': 'start_char' must be a number from 0, below end_char.",
        ),
        (
            '{"case_id": "a", "question": "x", "scopes": ["public"], '
            '"relevant": [{"source_id": "leave", "quote": "Not there."}]}',
            "Case 'a': 'quote' must be a quotation of leave, which has no such.",
        ),
    ],
)
def test_a_bad_case_is_named(texts: None, tmp_path: Path, line: str, sentence: str) -> None:
    ended = run("evaluate", write(tmp_path / "cases.jsonl", line))
    assert (ended.code, ended.err.splitlines()[-1], ended.out) == (1, sentence, "")
    assert not EvaluationRun.objects.exists()


def test_two_cases_of_one_id_are_refused(texts: None, tmp_path: Path) -> None:
    twice = [{"case_id": "a", "question": "x"}, {"case_id": "a", "question": "y"}]
    ended = run("evaluate", cases(tmp_path, *twice))
    assert ended.err == "Case 'a': 'case_id' must be that of one case alone.\n"


def test_a_file_that_is_not_there_is_named(people: None, tmp_path: Path) -> None:
    ended = run("evaluate", tmp_path / "none.jsonl")
    assert ended.code == 1
    assert ended.err.startswith(f"{tmp_path}/none.jsonl: it cannot be read (")


def test_a_report_is_one_file_that_needs_nothing_else(texts: None, tmp_path: Path) -> None:
    found = {"question": QUESTION, "relevant": [{"source_id": "leave"}]}
    missed = {"question": "<b>Who</b> repairs the lift?", "relevant": [{"source_id": "pets"}]}
    report = tmp_path / "report.html"
    file = cases(tmp_path, found, missed)
    run("evaluate", file, "--mode", "all", "--k", "1", "--answers", "--report", report)
    page = report.read_text()
    assert page.count("<svg") == 33  # ten figures and a histogram in each of three modes
    assert "&lt;b&gt;Who&lt;/b&gt; repairs the lift?" in page
    assert not any(part in page for part in ("http", "<script", "<link", "url("))
    assert page.index("c-2") < page.index("c-1")  # what failed comes first


def test_a_report_says_what_was_before(texts: None, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    file = cases(tmp_path, {"question": QUESTION, "relevant": [{"source_id": "leave"}]})
    run("evaluate", file, "--report", report)
    assert "before 1.000" not in report.read_text()
    run("evaluate", file, "--report", report)
    assert "before 1.000" in report.read_text()


def test_a_report_that_cannot_be_written_is_named(texts: None, tmp_path: Path) -> None:
    file = cases(tmp_path, {"question": QUESTION})
    ended = run("evaluate", file, "--report", tmp_path / "none" / "report.html")
    assert ended.code == 1
    assert f"{tmp_path}/none/report.html: it cannot be written (" in ended.err
