"""Inline links: a label, then a destination and perhaps a title in brackets."""

import re
from dataclasses import dataclass

from markdown_it.common.utils import unescapeAll

# As in CommonMark; brackets in a bare destination may be nested four deep. Every quantifier is
# possessive, so an attempt reads each character once.
_PLAIN = r"[^\x00-\x20\x7f()\\]++|\\[^\x00-\x20]"
_BARE = rf"(?:{_PLAIN})*+"
for _ in range(4):
    _BARE = rf"(?:{_PLAIN}|\({_BARE}\))*+"
_TAIL = re.compile(
    r"\([ \t\n]*+"
    rf"(?:<(?P<angle>(?:[^<>\n\\]|\\[^\n])*+)>|(?!<)(?P<bare>{_BARE}))"
    r"""(?:[ \t\n]++(?P<title>"(?:[^"\\]|\\.)*+"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\)))?"""
    r"[ \t\n]*+\)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Target:
    """Where a link leads, what it says of that, and the offset behind its closing bracket."""

    destination: str
    title: str
    end: int


def target(content: str, start: int, end: int) -> Target | None:
    """The target that stands right at ``start``, behind a link's label, if there is one."""
    match = _TAIL.match(content, start, end)
    if match is None:
        return None
    destination = match["bare"] if match["angle"] is None else match["angle"]
    title = match["title"] or ""
    return Target(unescapeAll(destination), unescapeAll(title[1:-1]), match.end())
