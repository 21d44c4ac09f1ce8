"""``calibrate``: a gate fitted to labelled cases, kept only when asked."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.management.base import CommandError
from pytest_django import Settings

from rag.actions.profiles import gate_file
from rag.models import Answer, EvaluationRun
from tests.commands.command_line import IMPORT, done, run, write

RULES: Final = {
    "leave": "Up to five days of annual leave are carried over into the next year.",
    "pets": "Dogs may come to the office on Fridays if they are quiet.",
    "meals": "Meals on the road are paid back up to thirty euros each day.",
}
ANSWERABLE: Final = (
    "How many days of annual leave are carried over?",
    "May dogs come to the office on Fridays?",
    "Are meals on the road paid back?",
)
UNANSWERABLE: Final = (
    "Which office repairs the lift?",
    "How many parking spaces are there next to the road?",
    "Who pays for the annual party?",
)


@pytest.fixture
def texts(people: None, tmp_path: Path) -> None:
    for name, text in RULES.items():
        front = f"---\nid: {name}\nvalid_from: 2026-01-01\n---\n"
        file = write(tmp_path / f"{name}.md", f"{front}# Rule\n\n{text}\n")
        assert run("import_sources", file, *IMPORT, "--approve").code == 0
    assert run("rebuild").code == 0


@pytest.fixture
def cases(texts: None, tmp_path: Path) -> Path:
    return cases_of(tmp_path, ANSWERABLE, UNANSWERABLE)


def cases_of(folder: Path, *kinds: tuple[str, ...]) -> Path:
    """A file of cases: the answerable questions, then the others."""
    lines = [
        json.dumps({"case_id": q, "question": q, "scopes": ["public"], "answerable": not kind})
        for kind, questions in enumerate(kinds)
        for q in questions
    ]
    return write(folder / "cases.jsonl", "\n".join(lines))


def ask(question: str) -> dict[str, Any]:
    asked: dict[str, Any] = run("ask", question, "--scopes", "public", "--json").json
    return asked


def test_a_gate_is_proposed_and_nothing_changed(cases: Path) -> None:
    found = done("calibrate", cases)
    assert (found["cases"], found["answerable"], found["saved"]) == (6, 3, None)
    assert found["gate"]["name"].startswith("calibrated-")
    assert found["gate"]["judge"] == "lexical-coverage-v1"
    assert len(found["curve"]) == 99
    assert set(found["held_out"]) == {"least", "wrongly_answered", "wrongly_refused"}
    assert not gate_file().exists()
    assert not Answer.objects.exists()
    assert not EvaluationRun.objects.exists()


def test_the_same_cases_give_the_same_gate(cases: Path) -> None:
    assert done("calibrate", cases) == done("calibrate", cases)


def test_people_read_parameters_and_the_trade_off(cases: Path) -> None:
    lines = run("calibrate", cases).out.splitlines()
    assert lines[0] == "cases.jsonl: 3 answerable and 3 unanswerable cases"
    assert any(line.startswith("  bias") for line in lines)
    assert sum(line.startswith("  passes from ") for line in lines) == 19
    assert lines[-1] == "Nothing was changed. --save keeps it for EVIDENCE_GATE=calibrated."


def test_a_kept_gate_decides_and_is_recorded(cases: Path, settings: Settings) -> None:
    kept = done("calibrate", cases, "--save")
    assert kept["saved"] == str(gate_file())
    assert ask(ANSWERABLE[0])["gate"] == "excerpts-3-quotes-20-v1"
    settings.EVIDENCE_GATE = "calibrated"
    answered = ask(ANSWERABLE[0])
    assert (answered["status"], answered["gate"]) == ("accepted", kept["gate"]["name"])
    assert Answer.objects.latest("asked_at").gate == kept["gate"]["name"]


def test_a_refusal_of_the_gate_is_one_of_the_exact_sentences(
    cases: Path, settings: Settings
) -> None:
    gate = done("calibrate", cases, "--save")["gate"]
    gate_file().write_text(json.dumps(gate | {"least": 1.0}))
    settings.EVIDENCE_GATE = "calibrated"
    refused = ask(ANSWERABLE[0])
    assert (refused["status"], refused["reason_code"]) == ("refused", "unsupported")
    assert refused["answer"] == "Insufficient evidence: no supported answer."


def test_the_reference_gate_is_there_by_name(texts: None, settings: Settings) -> None:
    settings.EVIDENCE_GATE, settings.EVIDENCE_MIN_COSINE = "cosine-overlap-v1", 0.9
    refused = ask(ANSWERABLE[0])
    assert refused["answer"] == "Insufficient evidence: no admissible retrieved excerpts."
    settings.EVIDENCE_MIN_COSINE = 0.1
    answered = ask(ANSWERABLE[0])
    assert (answered["status"], answered["gate"]) == ("accepted", "cosine-overlap-v1")


@pytest.mark.parametrize(
    ("kinds", "counts"),
    [
        ((ANSWERABLE,), "3 answerable and 0 unanswerable"),
        (((), UNANSWERABLE), "0 answerable and 3 unanswerable"),
        (((),), "0 answerable and 0 unanswerable"),
    ],
)
def test_cases_of_one_kind_are_no_ground_for_a_gate(
    texts: None, tmp_path: Path, kinds: tuple[tuple[str, ...], ...], counts: str
) -> None:
    ended = run("calibrate", cases_of(tmp_path, *kinds), "--save")
    assert (ended.code, ended.out) == (1, "")
    sentence = "cases with something found: it needs some of both."
    assert ended.err.splitlines()[-1] == f"A gate cannot be fitted to {counts} {sentence}"
    assert not gate_file().exists()


def test_a_bad_case_and_a_missing_file_are_named(texts: None, tmp_path: Path) -> None:
    bad = run("calibrate", write(tmp_path / "bad.jsonl", "no json"))
    assert (bad.code, bad.err) == (1, "Case 'line 1': 'the line' must be a JSON object.\n")
    assert run("calibrate", tmp_path / "none.jsonl").code == 1


@pytest.mark.parametrize("value", ["-0.1", "1.1", "nan", "few"])
def test_a_share_lies_between_0_and_1(texts: None, tmp_path: Path, value: str) -> None:
    with pytest.raises(CommandError, match="no share from 0 to 1"):
        run("calibrate", tmp_path / "cases.jsonl", f"--most-refused={value}")


def test_an_unknown_gate_is_refused_by_name(texts: None, settings: Settings) -> None:
    settings.EVIDENCE_GATE = "strict"
    ended = run("ask", ANSWERABLE[0], "--scopes", "public")
    assert ended.code == 1
    assert ended.err.startswith("gate 'strict' is not usable: known are excerpts-3-quotes-20-v1")


@pytest.mark.parametrize("content", [None, "{", "[]", '{"weights": {}}'])
def test_a_gate_that_cannot_be_read_is_no_silent_default(
    texts: None, settings: Settings, content: str | None
) -> None:
    settings.EVIDENCE_GATE = "calibrated"
    if content is not None:
        gate_file().write_text(content)
    ended = run("ask", ANSWERABLE[0], "--scopes", "public")
    assert (ended.code, ended.out) == (1, "")
    assert "gate" in ended.err
    assert not Answer.objects.exists()


def test_a_gate_of_another_judge_is_refused(cases: Path, settings: Settings) -> None:
    gate = done("calibrate", cases, "--save")["gate"]
    gate_file().write_text(json.dumps(gate | {"judge": "another"}))
    settings.EVIDENCE_GATE = "calibrated"
    ended = run("ask", ANSWERABLE[0], "--scopes", "public")
    assert ended.code == 1
    assert "was fitted to 'another', but 'lexical-coverage-v1' is configured" in ended.err
