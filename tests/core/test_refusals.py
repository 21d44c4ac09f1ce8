"""Why what lies near is no answer: said of the question and the passage alone."""

import pytest

from rag.core.refusals import FAR, UNCLEAR, codes, shortfall

GX200 = "GX-200 product sheet › Warranty\nThe warranty of the GX-200 is 24 months."


def test_codes_are_given_as_they_are_written() -> None:
    question = "Does the gx-200 (or GX‑100) run C++ and v1.2 for 30-day tests?"
    assert list(codes(question).values()) == ["gx-200", "GX‑100", "C++", "v1.2"]


def test_a_code_that_is_written_twice_is_named_once() -> None:
    assert codes("GX-200 or gx-200?") == {"gx-200": "GX-200"}


@pytest.mark.parametrize(
    ("question", "passage", "reason"),
    [
        ("What is the warranty of the GX-999?", GX200, "names GX-200, not GX-999"),
        ("What is the warranty of the GX-999?", "All goods.", "does not mention GX-999"),
        ("Does the QX-4471 fit?", GX200, "does not mention QX-4471"),
        ("Is GX-999 or QX-1 better?", GX200, "names GX-200, not GX-999, QX-1"),
        ("Is the GX-200 or the GX-999 better?", GX200, "names GX-200, not GX-999"),
    ],
)
def test_a_missing_code_is_the_first_reason(question: str, passage: str, reason: str) -> None:
    assert shortfall(question, passage, -1.0, 0.5) == reason


@pytest.mark.parametrize(
    ("cosine", "least", "reason"),
    [
        (0.49, 0.5, FAR),
        (0.5, 0.5, UNCLEAR),
        (0.9, 0.5, UNCLEAR),
        (None, 0.5, UNCLEAR),
        (0.1, None, UNCLEAR),
        (-0.1, 0.0, FAR),
    ],
)
def test_then_the_distance_decides(cosine: float | None, least: float | None, reason: str) -> None:
    assert shortfall("Is the gx-200 under warranty?", GX200, cosine, least) == reason
