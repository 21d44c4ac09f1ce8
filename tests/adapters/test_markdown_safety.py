"""Whatever a source says, its HTML holds nothing that could run, and marks stay where they are."""

import re

import pytest

from rag.adapters.markdown import Mark, render
from rag.adapters.rendering.composing import compose_markdown
from rag.adapters.rendering.painting import Painter
from rag.adapters.rendering.sanitising import sanitised
from rag.core.text import is_printable
from tests.adapters.markdown_texts import Page
from tests.hostile import STRINGS

TAGS = {
    *("a", "blockquote", "br", "code", "div", "em", "h2", "h3", "h4", "h5", "h6", "hr", "li"),
    *("mark", "ol", "p", "pre", "span", "strong", "sup", "table", "tbody", "td", "th", "thead"),
    *("tr", "ul"),
}
ATTRIBUTES = {
    "aria-label": "Table",
    "class": "cited|mark-number|plain|code-info|image|unlinked|table|left|center|right",
    "data-mark": r"\d+",
    "dir": "auto",
    "href": r"(?i:https?://.+|mailto:.+)|#h-\d+",
    "id": r"h-\d+|m\d+",
    "rel": "noopener noreferrer nofollow",
    "role": "group",
    "start": r"\d+",
    "tabindex": "0",
    "title": ".+",
    "value": r"\d+",
}
MARKED = {1: "Before it.", 2: "Behind it."}
PLACES = (
    "Before it.\n\n{}\n\nBehind it.\n",
    "A word {} and a word.\n\nBefore it.\n\nBehind it.\n",
    "# {}\n\nBefore it. Behind it.\n",
    "Before it.\n\n- a\n- {}\n\n  > {}\n\nBehind it.\n",
    "Before it.\n\n| a | b |\n|---|---|\n| {} | c |\n\nBehind it.\n",
    "Before it.\n\n    {}\n\n~~~~ {}\n{}\n~~~~\n\nBehind it.\n",
    'Before it. [x](https://e.example "{}") Behind it.\n',
    "Before it. [x]({}) <{}> ![{}]({}) Behind it.\n",
)


def faults(page: Page) -> list[tuple[str, str]]:
    """Tags, attributes, classes and addresses that we do not make."""
    found = [("tag", tag) for tag, _ in page.tags if tag not in TAGS]
    for _, attributes in page.tags:
        for name, value in attributes.items():
            allowed = ATTRIBUTES.get(name)
            if allowed is None or not re.fullmatch(allowed, value or "", re.DOTALL):
                found.append((name, value or ""))
    return found


def test_there_are_enough_strings() -> None:
    assert len(set(STRINGS)) == len(STRINGS) >= 60
    assert all(map(is_printable, STRINGS))


@pytest.mark.parametrize("markdown", [True, False], ids=["markdown", "plain"])
@pytest.mark.parametrize("string", STRINGS)
def test_hostile_string_stays_text(string: str, markdown: bool) -> None:
    for place in PLACES:
        text = place.replace("{}", string)
        marks = [Mark(text.index(words), text.index(words) + 10, n) for n, words in MARKED.items()]
        page = Page(render(text, markdown=markdown, marks=marks).html)
        assert faults(page) == []
        assert [page.marked(number) for number in MARKED] == list(MARKED.values())


@pytest.mark.parametrize("string", STRINGS)
def test_string_that_is_marked_itself_stays_text(string: str) -> None:
    text = f"Before it. {string} Behind it."
    marks = [Mark(11, 11 + len(string), 1), Mark(13, len(text), 2)]
    page = Page(render(text, markdown=False, marks=marks).html)
    assert faults(page) == []
    assert page.marked(1) == string
    assert page.text.strip() == text


@pytest.mark.parametrize("string", STRINGS)
def test_composer_alone_would_be_enough(string: str) -> None:
    for place in PLACES:
        layout = compose_markdown(place.replace("{}", string), 0)
        assert faults(Page(Painter(layout).paint([Mark(3, 30, 1)]))) == []


@pytest.mark.parametrize("string", STRINGS)
def test_sanitiser_alone_would_be_enough(string: str) -> None:
    attributes = 'class="code-info evil" onclick="x" style="y" title="z" data-evil="z"'
    page = Page(sanitised(f"<p {attributes}>{string}</p><a href='{string}'>x</a>"))
    assert faults(page) == []
