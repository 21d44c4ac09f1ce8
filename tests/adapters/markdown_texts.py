"""Random Markdown texts, tidy and untidy, and what a browser would make of rendered HTML."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

from hypothesis import strategies as st

WORDS = [
    *("leave", "Ärger", "naïve", "cafe\u0301", "😀", "👩\u200d🔬", "שלום", "مرحبا", "日本語"),
    *("\x0c", "\x1b[0m", "\ufeff", "\u2028", "\x85", "\u200b\u00ad"),
    *("\u202eabc\u202c", "x\u0323\u0307", "𝔘", "snake_case_name", "2*3*4", "a\u00a0b", "QX-4471"),
]
MARKUP = [
    *("**bold**", "*em*", "__b__", "_e_", "***both***", "**a *b* c**", "`code`", "`` a ` b ``"),
    *("[link](http://e.org)", '[*l* x](<http://e.org/a b> "t\\"i")', "[rel](../a.md)", "[](x)"),
    *("![img](a.png)", "[![i](a.png)](http://e.org)", "<http://e.org/?a=1&b>", "<me@e.org>"),
    *("&amp;", "&#x1F600;", "&nbsp;", "&copy;", "&unknown;", "&#0;", "\\*", "\\\\", "\\q", "\\|"),
    *("<b>", "</b>", "<!-- c -->", "*", "**", "_", "`", "``", "[", "]", "(", ")", "!", "<", ">"),
    *(
        "](",
        "](x)",
        '"t")',
        "<x>",
        "&",
        "\\",
        "|",
        "#",
        "[a][b]",
        "[a]",
        "[ ]",
        "~~s~~",
        "~",
        "+",
        "-",
        "=",
        ":",
    ),
]
STARTS = [
    *("# ", "## ", "###### ", "#", "> ", ">", "- ", "* ", "+ ", "-", "1. ", "3. ", "2) ", "10. "),
    *("    ", "  ", " ", "\t", " \t", "```", "```py", "~~~", "---", "***", "===", "=", "| ", "|"),
    *("|---|", "--|:-:", "- - ", "> - ", "[a]: http://e.org", "<div>", "- [ ] ", "1.", "-\t"),
]

breaks = st.sampled_from(["\n", "\n", "\n", "  \n", "\\\n", " \n", "\n  ", "\n\t"])


def inlines_of(signs: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from([*signs, " ", " "]), min_size=1, max_size=6).map("".join)


def documents_of(inlines: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Well-formed Markdown of every kind."""
    blocks = st.recursive(_leaves(inlines), _nested, max_leaves=4)
    return st.lists(blocks, min_size=1, max_size=4).map("\n\n".join)


def _leaves(inlines: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        _paragraphs(inlines),
        _tables(inlines),
        inlines.map("# ".__add__),
        inlines.map(lambda words: f"{words}\n==="),
        _paragraphs(inlines).map(lambda code: f"```txt & more\n{code}\n```"),
        _paragraphs(inlines).map(lambda code: _indented("    ", "    ", code)),
        _paragraphs(inlines).map(lambda code: _indented("\t", "\t", code)),
        st.just("***"),
    )


@st.composite
def _paragraphs(draw: st.DrawFn, inlines: st.SearchStrategy[str]) -> str:
    return draw(breaks).join(draw(st.lists(inlines, min_size=1, max_size=3)))


@st.composite
def _tables(draw: st.DrawFn, inlines: st.SearchStrategy[str]) -> str:
    width = draw(st.integers(1, 3))
    row = st.lists(inlines, min_size=1, max_size=4).map(lambda cells: "| " + " | ".join(cells))
    header = "| " + " | ".join(draw(st.lists(inlines, min_size=width, max_size=width))) + " |"
    return "\n".join([header, "|" + " :-- |" * width, *draw(st.lists(row, max_size=3))])


def _nested(children: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    prefixes = st.sampled_from(
        [("> ", "> "), (">", ">"), ("- ", "  "), ("1. ", "   "), ("7) ", "   "), ("-\t", "\t")]
    )
    several = st.lists(children, min_size=1, max_size=3).map("\n\n".join)
    tight = st.lists(children, min_size=1, max_size=3).map("\n".join)
    inside = st.one_of(several, tight)
    return st.builds(lambda prefix, block: _indented(prefix[0], prefix[1], block), prefixes, inside)


def _indented(prefix: str, rest: str, block: str) -> str:
    return prefix + block.replace("\n", "\n" + rest)


documents = documents_of(inlines_of([*WORDS, *MARKUP]))

_signs = st.sampled_from([*WORDS, *MARKUP, *STARTS])
_lines = st.builds(
    lambda starts, words: "".join([*starts, words]),
    st.lists(st.sampled_from(STARTS), max_size=3),
    st.sampled_from(["", "a", "b c", "d | e"]),
)

soups = st.one_of(
    st.lists(st.one_of(_signs, st.sampled_from([" ", "\n", "\n\n"])), max_size=40).map("".join),
    st.lists(_lines, max_size=8).map("\n".join),
)
"""The same signs in any order, and lines with any beginnings."""

texts = st.one_of(documents, soups)


@dataclass
class Page(HTMLParser):
    """Rendered HTML as a browser reads it: tags, and characters with the marks they lie in."""

    html: str
    tags: list[tuple[str, dict[str, str | None]]] = field(default_factory=list)
    text: str = ""
    marks: list[frozenset[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[int] = []
        self._numbering = False
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._numbering = tag == "sup"
        if tag == "mark":
            self._open.append(int(dict(attrs)["data-mark"] or ""))

    def handle_endtag(self, tag: str) -> None:
        self._numbering = False
        if tag == "mark":
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if not self._numbering:
            self.text += data
            self.marks += [frozenset(self._open)] * len(data)

    def marked(self, number: int) -> str:
        """The characters inside the pieces of a mark."""
        return "".join(c for c, m in zip(self.text, self.marks, strict=True) if number in m)

    def outline(self) -> Iterator[tuple[str, dict[str, str | None]]]:
        """All tags but those of the marks."""
        return (tag for tag in self.tags if tag[0] not in {"mark", "sup"})
