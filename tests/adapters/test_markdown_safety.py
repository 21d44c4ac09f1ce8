"""Whatever a source says, its HTML holds nothing that could run, and marks stay where they are."""

import re

import pytest

from rag.adapters.markdown import Mark, render
from rag.adapters.rendering.sanitising import sanitised
from tests.adapters.markdown_texts import Page
from tests.hostile import STRINGS

TAGS = {
    *("a", "blockquote", "br", "code", "div", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li"),
    *("mark", "ol", "p", "pre", "span", "strong", "sup", "table", "tbody", "td", "th", "thead"),
    *("tr", "ul"),
}
ATTRIBUTES = {
    *("aria-label", "class", "data-mark", "data-text", "dir", "href", "id", "rel", "role"),
    *("start", "tabindex", "title", "value"),
}
CLASSES = {
    *("cited", "mark-number", "plain", "code-info", "image", "unlinked", "table"),
    *("left", "center", "right"),
}
HREF = re.compile(r"(?:https?://|mailto:|#h-\d)")
PLACES = {
    "prose": "Before it.\n\n{}\n\nBehind it.\n",
    "inside": "A word {} and a word.\n\nBefore it.\n\nBehind it.\n",
    "heading": "# {}\n\nBefore it. Behind it.\n",
    "list": "Before it.\n\n- a\n- {}\n\n  > {}\n\nBehind it.\n",
    "table": "Before it.\n\n| a | b |\n|---|---|\n| {} | c |\n\nBehind it.\n",
    "code": "Before it.\n\n    {}\n\n~~~~ {}\n{}\n~~~~\n\nBehind it.\n",
    "title": 'Before it. [x](https://e.example "{}") Behind it.\n',
    "address": "Before it. [x]({}) <{}> ![{}]({}) Behind it.\n",
}


def allowed(page: Page) -> bool:
    """Whether the page has only the tags, attributes, classes and addresses that we make."""
    values = [
        (name, value or "") for _, attributes in page.tags for name, value in attributes.items()
    ]
    return (
        {tag for tag, _ in page.tags} <= TAGS
        and {name for name, _ in values} <= ATTRIBUTES
        and all(value in CLASSES for name, value in values if name == "class")
        and all(HREF.match(value) for name, value in values if name == "href")
        and all(re.fullmatch(r"h-\d+|m\d+", value) for name, value in values if name == "id")
    )


def test_there_are_enough_strings() -> None:
    assert len(set(STRINGS)) == len(STRINGS) >= 60


@pytest.mark.parametrize("markdown", [True, False], ids=["markdown", "plain"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("string", STRINGS)
def test_hostile_string_stays_text(string: str, place: str, markdown: bool) -> None:
    text = PLACES[place].replace("{}", string)
    marks = [Mark(text.index(words), text.index(words) + 10, n) for n, words in MARKED.items()]
    page = Page(render(text, markdown=markdown, marks=marks).html)
    assert allowed(page)
    assert [page.marked(number) for number in MARKED] == list(MARKED.values())


MARKED = {1: "Before it.", 2: "Behind it."}


@pytest.mark.parametrize("string", STRINGS)
def test_string_that_is_marked_itself_stays_text(string: str) -> None:
    text = f"Before it. {string} Behind it."
    marks = [Mark(11, 11 + len(string), 1), Mark(13, len(text), 2, string)]
    page = Page(render(text, markdown=False, marks=marks).html)
    assert allowed(page)
    assert page.marked(1) == string
    assert page.text.strip() == text


@pytest.mark.parametrize("string", STRINGS)
def test_sanitiser_alone_would_be_enough(string: str) -> None:
    page = Page(sanitised(f'<p class="plain evil" onclick="x" style="y">{string}</p>'))
    assert {tag for tag, _ in page.tags} <= TAGS
    assert {name for _, attributes in page.tags for name in attributes} <= ATTRIBUTES
