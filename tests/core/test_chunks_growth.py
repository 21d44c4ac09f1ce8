"""Cutting takes work in proportion to the text, whatever it is made of.

Work is counted in calls, which one text always takes alike; time is not.
"""

import sys
from types import FrameType
from typing import Any

import pytest

from rag.core.chunks import Sections

SIZE = 20_000
ORDINARY = "## Heading\n\n" + "A rule of the house is a rule. " * 5 + "\n\n- an item of it\n\n"


def calls_of(text: str) -> int:
    """How many functions run while the text is cut."""
    count = 0

    def counted(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        Sections().split(text, "")
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "unit",
    [
        *(ORDINARY, ".", "a. ", "a\n\n", "# a\n", "- a\n", "|a|\n", "```\n", "(", "= a =\n"),
        *("Ab\n", "1. Ab\n", "="),
    ],
)
def test_twice_the_text_takes_twice_the_work(unit: str) -> None:
    once, twice = (calls_of("a" + unit * (size // len(unit))) for size in (SIZE, 2 * SIZE))
    assert twice < 2.5 * once
