"""Quotations that say the same thing with other numbers."""

import pytest

from rag.core.conflicts import disagree

PLAN = "The launch date of the GX-200 is 15 March 2027."
NEWS = "The launch date of the GX-200 is 12 April 2027."


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (PLAN, NEWS, True),
        (PLAN, PLAN, False),
        (PLAN, "The GX-200 will be launched soon.", False),
        (PLAN, "The launch date of the GX-100 was 1 May 2020 in Oslo, at a fair.", False),
        ("Meals cost up to EUR 45 per day.", "Meals cost up to EUR 52 per day.", True),
        ("Meals cost up to EUR 45 per day.", "Claims are due within 30 days.", False),
        ("費用は10円です。", "費用は20円です。", True),
    ],
)
def test_other_numbers_in_like_words_disagree(left: str, right: str, expected: bool) -> None:
    assert disagree(left, right) is expected
    assert disagree(right, left) is expected
