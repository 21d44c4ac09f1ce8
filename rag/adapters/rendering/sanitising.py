"""The last gate: what may stand in the HTML of a source, whatever was put in."""

import re

import nh3

_DIRECTED = {"li", "p", "h2", "h3", "h4", "h5", "h6", "th", "td", "div"}
_HEADINGS = {"h2", "h3", "h4", "h5", "h6"}
_BARE = {"blockquote", "br", "code", "em", "hr", "strong", "sup", "table", "tbody", "thead", "tr"}

TAGS = {*_DIRECTED, *_BARE, "a", "mark", "ol", "pre", "span", "ul"}
ATTRIBUTES = {
    "a": {"href", "title"},
    "li": {"value"},
    "mark": {"id", "data-mark"},
    "ol": {"start"},
    "span": {"title"},
    **{tag: {"id"} for tag in _HEADINGS},
}
VALUES = {
    **{tag: {"dir": {"auto"}} for tag in _DIRECTED},
    "div": {"dir": {"auto"}, "role": {"group"}, "aria-label": {"Table"}, "tabindex": {"0"}},
    "pre": {"tabindex": {"0"}},
}
CLASSES = {
    "div": {"plain", "table"},
    "mark": {"cited"},
    "p": {"code-info"},
    "span": {"image", "unlinked"},
    "sup": {"mark-number"},
    "td": {"left", "center", "right"},
    "th": {"left", "center", "right"},
}
SCHEMES = {"http", "https", "mailto"}
REL = "noopener noreferrer nofollow"

_HEADING = re.compile(r"#h-[0-9]+")
_CLEANER = nh3.Cleaner(
    tags=TAGS,
    clean_content_tags={"script", "style"},
    attributes=ATTRIBUTES,
    tag_attribute_values=VALUES,
    allowed_classes=CLASSES,
    url_schemes=SCHEMES,
    link_rel=REL,
    url_relative=lambda url: url if _HEADING.fullmatch(url) else None,
)


def sanitised(html: str) -> str:
    """The HTML without anything that is not on the lists above."""
    return _CLEANER.clean(html)
