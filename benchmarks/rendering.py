"""Measures the rendering of a 500 KB Markdown source, for the first time and again.

    .venv/bin/python benchmarks/rendering.py [--shared ../shared] [--characters 500000] [--rounds 9]

The text is made of the handbooks' pages, all of them in turn and each handbook alone. *cold* is a
process that has not seen the text, *warm* opens it again with another mark; *reference* is
markdown-it-py's own parser and renderer on the same text, without marks, offsets or sanitiser.
They take turns, so that whatever else the machine does meets all. Prints JSON; times are medians
in milliseconds. Also counts, over all pages, the inline contents that are shown as they stand in
the source because their markup could not be placed (must be 0), the pages whose blocks differ
from the reference's, and the marks that do not hold the letters of their slice (must be 0).
"""

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from html.parser import HTMLParser
from pathlib import Path
from statistics import median
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

from markdown_it import MarkdownIt

from rag.adapters import markdown
from rag.adapters.markdown import Layouts, Mark, render
from rag.adapters.rendering import phrasing
from rag.adapters.rendering.blocks import Paragraph, Table, Title
from rag.adapters.rendering.composing import compose_markdown
from rag.adapters.rendering.content import Content
from rag.adapters.rendering.inline import is_text
from rag.adapters.rendering.painting import Painter
from rag.adapters.rendering.parsing import parse
from rag.adapters.rendering.sanitising import sanitised
from rag.core.text import body_start, decode

REFERENCE = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["reference"])


def pages(folder: Path) -> list[str]:
    return [decode(file.read_bytes()).text for file in sorted(folder.rglob("*.md"))]


def filled(texts: Sequence[str], characters: int) -> str:
    """The bodies of the texts, as often as it takes."""
    bodies = "\n\n".join(text[body_start(text) :] for text in texts)
    return (bodies * (characters // len(bodies) + 1))[:characters]


def milliseconds(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return (time.perf_counter() - begun) * 1000


def timings(text: str, rounds: int) -> dict[str, Any]:
    """Medians of all stages, taken in turn."""
    layout = compose_markdown(text, 0)
    html = Painter(layout).paint([])
    middle = Mark(len(text) // 2, len(text) // 2 + 300, 1)
    stages: dict[str, Callable[[], object]] = {
        "cold": lambda: cold(text),
        "warm": lambda: render(text, markdown=True, marks=[middle]),
        "blocks": lambda: parse(text),
        "blocks and inlines": lambda: compose_markdown(text, 0),
        "marks": lambda: Painter(layout).paint([middle]),
        "sanitiser": lambda: sanitised(html),
        "reference": lambda: REFERENCE.render(text),
    }
    taken: dict[str, list[float]] = {name: [] for name in stages}
    for _ in range(rounds):
        for name, work in stages.items():
            taken[name].append(milliseconds(work))
    medians = {name: round(median(times), 1) for name, times in taken.items()}
    ratio = round(medians["cold"] / medians["reference"], 2)
    best = {f"best {name}": round(min(taken[name]), 1) for name in ("cold", "warm", "reference")}
    return medians | best | {"cold to reference": ratio, "runs": len(layout.runs)}


def cold(text: str) -> None:
    """Render the text as a process does that has not seen it, and keep it for the warm round."""
    markdown._LAYOUTS = Layouts(markdown._CACHE_BYTES)
    render(text, markdown=True)


def contents(text: str) -> Iterator[str]:
    """The inline contents of a page that hold markup."""
    for block in parse(text, body_start(text)):
        spans = [block.spans] if isinstance(block, Paragraph | Title) else []
        if isinstance(block, Table):
            spans = [cell for row in block.rows for cell in row]
        for each in spans:
            if not is_text(content := Content(text, each).text):
                yield content


def same_blocks(text: str) -> bool:
    """Whether the page has the paragraphs and headings that the reference finds, in order."""
    start = body_start(text)
    blocks = [b for b in parse(text, start) if isinstance(b, Paragraph | Title)]
    ours = [" ".join("".join(text[a:b] for a, b in block.spans).split()) for block in blocks]
    tokens = REFERENCE.parse(text[start:])
    theirs = [
        " ".join(tokens[i + 1].content.split())
        for i, token in enumerate(tokens)
        if token.type in {"paragraph_open", "heading_open"}
    ]
    return ours == theirs


class Marked(HTMLParser):
    """The letters inside marks."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.letters, self._depth = "", 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._depth += tag == "mark"

    def handle_endtag(self, tag: str) -> None:
        self._depth -= tag == "mark"

    def handle_data(self, data: str) -> None:
        self.letters += "".join(filter(str.isalpha, data)) if self._depth else ""


def wrong_marks(text: str, rng: random.Random) -> int:
    """Of the text's sentences, those whose mark holds other letters than they do.

    Sentences with links or entities are left out: not all that stands in them is shown.
    """
    start = body_start(text)
    lines = [line for line in text[start:].split("\n") if line.strip()]
    wrong = 0
    for line in rng.sample(lines, min(5, len(lines))):
        if not set(line) & set("[]<>&"):
            at = text.index(line, start)
            html = render(text, markdown=True, marks=[Mark(at, at + len(line), 1)]).html
            wrong += Marked(html).letters != "".join(filter(str.isalpha, line))
    return wrong


def fidelity(texts: Sequence[str]) -> dict[str, int]:
    rng = random.Random(1)
    inlines = [content for text in texts for content in contents(text)]
    return {
        "pages": len(texts),
        "inline contents with markup": len(inlines),
        "shown as they stand": sum(not phrasing.tokens_of(content) for content in inlines),
        "pages with other blocks": sum(not same_blocks(text) for text in texts),
        "wrong marks": sum(wrong_marks(text, rng) for text in texts),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--characters", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    folder = options.shared / "eval" / "handbooks"
    if not folder.is_dir():
        sys.exit(f"There are no handbooks in {folder}.")
    every = pages(folder)
    books = {book.name: pages(book) for book in sorted(folder.iterdir()) if book.is_dir()}
    random.Random(1).shuffle(every)
    figures: dict[str, Any] = {"characters": options.characters}
    for name, texts in {"all": every, **books}.items():
        figures[name] = timings(filled(texts, options.characters), options.rounds)
    print(json.dumps(figures | {"fidelity": fidelity(every)}, indent=1))


if __name__ == "__main__":
    main()
