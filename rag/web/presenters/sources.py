"""The page of one revision, made ready for its template."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.safestring import SafeString, mark_safe

from rag.adapters.markdown import Heading, Mark, Rendered, render
from rag.core.facts import Fact, product_facts
from rag.core.sources import Access
from rag.core.text import body_start
from rag.models import Revision
from rag.queries.eligibility import place
from rag.web.forms.sources import Passages
from rag.web.presenters.banners import Banner, banners, passage_banners
from rag.web.presenters.details import Detail, details, language_tag, summary
from rag.web.presenters.standings import Chip, standing_chip
from rag.web.presenters.versions import Version, version_list

# From so many characters on, what stands beside a text goes along with it; and from so many on,
# the browser lays out only the blocks that are in view.
TALL_TEXT: Final = 6_000
LONG_TEXT: Final = 40_000
# Headings further down than this are too many to find one's way by.
CONTENTS_LEVELS: Final = 3
# So much of a cited passage stands beside the text, as the link that leads to it.
CITED_LENGTH: Final = 90


@dataclass(frozen=True)
class Entry:
    """A heading of the text; ``depth`` counts from 1, the highest that the text has."""

    title: str
    anchor: str
    depth: int


@dataclass(frozen=True)
class Cited:
    """A cited passage of the address: its number and how it begins."""

    number: int
    words: str


@dataclass(frozen=True)
class SourcePage:
    """Everything that the page shows. ``titled``: the text begins with the page's own title."""

    document_id: str
    title: str
    scope: str
    chip: Chip
    summary: tuple[str, ...]
    banners: tuple[Banner, ...]
    html: SafeString
    titled: bool
    size: str
    language: str
    facts: tuple[Fact, ...]
    contents: tuple[Entry, ...]
    cited: tuple[Cited, ...]
    versions: tuple[Version, ...]
    answers: int
    details: tuple[Detail, ...]


def source_page(
    revision: Revision, siblings: Sequence[Revision], access: Access, passages: Passages,
    answers: int,
) -> SourcePage:  # fmt: skip
    """The page of a revision; ``siblings`` are those that the access may open, newest first."""
    rendered = _rendered(revision, passages)
    titled = _begins_with_title(revision, rendered.contents, passages)
    is_facts = revision.kind == Revision.Kind.FACTS
    return SourcePage(
        document_id=revision.document_id,
        title=revision.title,
        scope=revision.source.scope.name,
        chip=standing_chip(place(revision), access.as_of),
        summary=summary(revision),
        banners=(
            *banners(revision, siblings, access),
            *passage_banners(revision, passages.missing, rendered.unshown),
        ),
        html=mark_safe(rendered.html),  # it has passed the renderer's sanitiser
        titled=titled,
        size=_size(len(revision.text)),
        language=language_tag(revision.language),
        facts=product_facts(revision.text) if is_facts else (),
        contents=_contents(rendered.contents[1:] if titled else rendered.contents),
        cited=_cited(revision.text, passages, rendered.unshown),
        versions=tuple(version_list(revision, siblings, access)),
        answers=answers,
        details=details(revision),
    )


def _rendered(revision: Revision, passages: Passages) -> Rendered:
    is_text = revision.kind == Revision.Kind.TEXT
    markdown = is_text and revision.format == Revision.Format.MARKDOWN
    marks = [Mark(passage.start, passage.end, passage.number) for passage in passages.found]
    return render(revision.text, markdown=markdown, marks=marks)


def _begins_with_title(revision: Revision, contents: Sequence[Heading], passages: Passages) -> bool:
    """Whether the first heading says what stands above it already, and is not what is cited."""
    title = " ".join(revision.title.split())
    if not contents or contents[0].level != 1 or contents[0].title != title:
        return False
    start = contents[0].start
    before = revision.text[body_start(revision.text) : start]
    end = start + len(revision.title)
    return not before.strip("# \n") and all(
        passage.end <= start or passage.start >= end for passage in passages.found
    )


def _size(length: int) -> str:
    """The classes of a text by its length."""
    if length <= TALL_TEXT:
        return ""
    return "tall long" if length > LONG_TEXT else "tall"


def _contents(headings: Sequence[Heading]) -> tuple[Entry, ...]:
    highest = min((heading.level for heading in headings), default=1)
    entries = (Entry(each.title, each.anchor, each.level - highest + 1) for each in headings)
    return tuple(entry for entry in entries if entry.depth <= CONTENTS_LEVELS)


def _cited(text: str, passages: Passages, unshown: Collection[int]) -> tuple[Cited, ...]:
    return tuple(
        Cited(each.number, _beginning(text[each.start : each.end]))
        for each in passages.found
        if each.number not in unshown
    )


def _beginning(passage: str) -> str:
    """The passage on one line, cut if it is long: after a word, where there are words."""
    line = " ".join(passage.split())
    if len(line) <= CITED_LENGTH:
        return line
    words, _, rest = line[:CITED_LENGTH].rpartition(" ")
    return f"{words if len(rest) < CITED_LENGTH / 3 else line[:CITED_LENGTH]} …"
