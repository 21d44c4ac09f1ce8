"""A citation as it is copied: plain words, and Markdown that renders as those very words."""

from dataclasses import replace
from html.parser import HTMLParser
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rag.web.presenters.citations import Reference, below, escaped, markdown, plain, words

REFERENCE: Final = Reference(
    title="Travel policy",
    version="2026-2",
    section="Refunds › Receipts",
    label="FIN#3",
    start_char=120,
    end_char=180,
    window="in force since 1 March 2026",
    approved="24 February 2026",
    source_sha256="9f2c41aa",
    address="https://evidence.example/sources/ab/?start=120&end=180",
)
ABOUT: Final = (
    "Travel policy, version 2026-2, Refunds › Receipts, [FIN#3], characters 120–180, "
    "in force since 1 March 2026, approved 24 February 2026, SHA-256 9f2c41aa, "
    "https://evidence.example/sources/ab/?start=120&end=180"
)
RENDERER: Final = MarkdownIt("commonmark").enable(["table", "strikethrough"])
# What Markdown gives a meaning to, more often than chance would.
MARKED: Final = st.text(
    st.sampled_from("\\`*_{}[]()<>#+-.!|~&=:@$\"'/;0123456789 \n\tabwé語ا\u0301"), max_size=60
)


class Words(HTMLParser):
    """The text of rendered Markdown, and the tags that hold it."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.text, self.tags = "", set[str]()
        self.feed(html)
        self.close()

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)


def rendered(source: str) -> Words:
    return Words(RENDERER.render(source))


def test_the_plain_form_names_everything() -> None:
    assert words(REFERENCE) == ABOUT
    assert plain("Travel costs are refunded.", REFERENCE) == (
        f"“Travel costs are refunded.” — {ABOUT}"
    )


def test_what_is_unknown_is_left_out() -> None:
    bare = replace(REFERENCE, section="", approved="")
    assert words(bare) == ABOUT.replace("Refunds › Receipts, ", "").replace(
        "approved 24 February 2026, ", ""
    )


def test_the_markdown_form_is_a_quotation_with_a_link() -> None:
    found = markdown("Travel costs\nare refunded.", REFERENCE)
    assert found.startswith("> Travel costs  \n> are refunded.  \n\n— [Travel policy](https://")
    html = RENDERER.render(found)
    assert "<blockquote>\n<p>Travel costs<br />\nare refunded.</p>\n</blockquote>" in html
    assert '<a href="https://evidence.example/sources/ab/?start=120&amp;end=180">Tra' in html
    assert ABOUT.removesuffix(f", {REFERENCE.address}") in rendered(found).text


@pytest.mark.parametrize(
    "line",
    [
        "# no heading",
        "- no item",
        "+ no item",
        "1. no item",
        "12) no item",
        "> no quotation",
        "---",
        "===",
        "***",
        "~~~ no fence",
        "| a | b |",
        "[no link](javascript:alert(1))",
        "![no image](http://evil.example/x)",
        "[no reference]: http://evil.example",
        "<script>alert(1)</script>",
        "<http://evil.example>",
        "&lt;b&gt; and &#60;",
        "*no* _emphasis_ `code` ~~gone~~",
        "back\\slash \\* and \\",
        "no hard break  ",
        "    no code",
    ],
)
def test_source_text_that_looks_like_markdown_stays_text(line: str) -> None:
    found = rendered(markdown(f"Before.\n{line}\nAfter.", REFERENCE))
    quoted = found.text.partition("—")[0]
    assert quoted.split() == ["Before.", *line.split(), "After."]
    assert found.tags == {"blockquote", "p", "br", "a"}


@given(MARKED)
def test_any_quotation_renders_as_its_own_words(quote: str) -> None:
    found = rendered(markdown(quote, REFERENCE))
    quoted = found.text.rpartition("—")[0]
    assert quoted.split() == quote.split()
    assert found.tags <= {"blockquote", "p", "br", "a"}


@given(MARKED)
def test_any_title_stays_inside_its_link(title: str) -> None:
    title = " ".join(title.split())
    found = rendered(markdown("Quoted.", replace(REFERENCE, title=title)))
    assert f"— {title}, version 2026-2" in found.text
    assert found.tags == {"blockquote", "p", "a"}


def test_addresses_in_a_quotation_do_not_become_links() -> None:
    """Renderers that link whatever looks like an address find nothing that does."""
    line = escaped("See http://evil.example, www.evil.example or mail@evil.example :+1:")
    assert line == (r"See http\://evil.example, www\.evil.example or mail\@evil.example \:+1:")


@pytest.mark.parametrize(
    ("title", "section", "path"),
    [
        ("Leave", "Leave › Carry-over", "Carry-over"),
        ("Leave", "Leave", ""),
        ("Leave", "", ""),
        ("Leave", "Leaves › Oak", "Leaves › Oak"),
    ],
)
def test_a_path_does_not_repeat_the_title(title: str, section: str, path: str) -> None:
    assert below(title, section) == path
