"""Texts made to take long: they are read in linear time, shown whole and marked exactly."""

import pytest

from rag.adapters.markdown import Mark, render
from rag.adapters.rendering.composing import compose_plain
from tests.adapters.markdown_texts import Page

DENSE = {
    "quotes": "> " * 20_000 + "x",
    "lists": "- " * 20_000 + "x",
    "items": "".join("  " * depth + "- a\n" for depth in range(300)) + "x",
    "mixed": "> - 1. " * 5_000 + "x",
    "brackets": "[" * 40_000 + "x",
    "images": "![" * 20_000 + "x",
    "links": "[a](" * 10_000 + "x",
    "titles": '[a](b "' * 10_000 + "x",
    "nested links": "[" * 10_000 + "a" + "](b)" * 10_000 + "x",
    "backticks": "".join("`" * run + " " for run in range(1, 300)) + "x",
    "emphasis": "*a **a " * 8_000 + "x",
    "nested emphasis": "*a " * 2_000 + "b*" * 2_000 + "x",
    "one line": "word " * 200_000 + "x",
    "no blanks": "w" * 1_000_000 + "x",
    "entities": "&amp;" * 10_000 + "x",
    "ampersands": "&" * 100_000 + "x",
    "pipes": "|a" * 5_000 + "|\n" + "|-" * 5_000 + "|\n|x",
    "short rows": "|a" * 200 + "|\n" + "|-" * 200 + "|\n" + "b\n" * 500 + "x",
    "fences": "```\n" * 5_001 + "x",
    "blank lines": "\n" * 100_000 + "x",
    "html": "<div>" * 20_000 + "x",
}


@pytest.mark.parametrize("text", DENSE.values(), ids=list(DENSE))
def test_dense_text_is_shown_and_marked(text: str) -> None:
    rendered = render(text, markdown=True, marks=[Mark(len(text) - 1, len(text), 1)])
    assert Page(rendered.html).marked(1) == "x"
    assert len(rendered.html) < 12 * len(text) + 1_000


def test_brackets_out_of_all_measure_stand_as_they_are() -> None:
    text = "*a* " + "[" * 30_000
    assert Page(render(text, markdown=True).html).text == text + "\n"


def test_long_stretch_is_cut_for_the_sanitiser_and_whole_on_the_page() -> None:
    text = "&" * 10_000
    assert max(map(len, compose_plain(text, 0).runs)) == 4_000 * len("&amp;")
    assert render(text, markdown=False).html.count("&amp;" * 10_000) == 1
