"""Characters that a reader does not see, and words that are not what they look like.

An approval covers every character of a text, so the approver is shown those too that a browser
draws as nothing, as a blank like any other, or in another order.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby, islice
from typing import Final, NamedTuple
from unicodedata import category, name

from rag.core.text import is_printable

MOST_WORDS: Final = 20

# Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties, as far as the categories below
# do not hold it (joiners, fillers, vowels and variation selectors), and what fonts draw blank.
_IGNORABLE: Final = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef"
    "\u2800\ufffc\U0001d159]"
)
# Signs that enclose or precede figures in Arabic, Syriac and Kaithi: format characters with ink.
_INKED: Final = frozenset(
    "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
)
_NAMED: Final = {"Co": "private use", "Cn": "unassigned", "Cs": "surrogate"}
_BLANK_OR_FORMAT: Final = frozenset({"Cf", "Zs", "Co", "Cn"})
_CONTROLS: Final = {
    0x00: "null", 0x07: "bell", 0x08: "backspace", 0x0B: "vertical tab", 0x0C: "form feed",
    0x0D: "carriage return", 0x1B: "escape", 0x7F: "delete", 0x85: "next line",
}  # fmt: skip

_WORD: Final = re.compile(r"[\w\u0300-\u036f]+")
# Units and quantities are written with letters of both scripts, and nobody takes them for others.
_UNIT: Final = re.compile("[μΔ][A-Za-z]{1,3}|[A-Za-z]?Ω[A-Za-z]{0,2}")


class Piece(NamedTuple):
    """A run of text: ordinary with an empty ``name``, or one unseen character, repeated or not."""

    text: str
    name: str


def reveal(text: str) -> tuple[Piece, ...]:
    """The text in pieces; together they are ``text``, to the character."""
    names = _names(text)
    if not names:
        return (Piece(text, ""),) if text else ()
    runs = groupby(text, lambda character: character if character in names else "")
    return tuple(Piece("".join(run), names.get(character, "")) for character, run in runs)


def count_unseen(text: str) -> int:
    """How many characters of ``text`` are unseen."""
    names = _names(text)
    return sum(n for character, n in Counter(text).items() if character in names) if names else 0


def mixed_scripts(text: str) -> tuple[str, ...]:
    """The first 20 different words that mix Latin with Cyrillic or Greek letters ("pаypal").

    Units such as "μm" and "kΩ" do not count.
    """
    scripts = {character: _script(character) for character in set(text)}
    latin = {character for character, script in scripts.items() if script == "LATIN"}
    alike = {character for character, script in scripts.items() if script in ("CYRILLIC", "GREEK")}
    if not (latin and alike):
        return ()
    words = (match[0] for match in _WORD.finditer(text))
    mixed = (w for w in words if not (alike.isdisjoint(w) or latin.isdisjoint(w)))
    return tuple(islice(_distinct(w for w in mixed if not _UNIT.fullmatch(w)), MOST_WORDS))


def unseen_name(character: str) -> str:
    """A short name such as "zero width space U+200B"; empty for a character that is seen.

    Blank, newline and tab count as seen.
    """
    if character in " \n\t" or not _is_unseen(character):
        return ""
    kind = category(character)
    if character == "\ufeff":
        label = "byte order mark"
    elif kind == "Cc":
        label = _CONTROLS.get(ord(character), "control character")
    else:
        label = _NAMED.get(kind) or name(character).lower()
    return f"{label} U+{ord(character):04X}"


def _is_unseen(character: str) -> bool:
    if not is_printable(character) or _IGNORABLE.match(character):
        return True
    return category(character) in _BLANK_OR_FORMAT and character not in _INKED


def _names(text: str) -> dict[str, str]:
    """The unseen characters of a text with their names; a text has few different characters."""
    named = ((character, unseen_name(character)) for character in set(text))
    return {character: label for character, label in named if label}


def _script(character: str) -> str:
    """The first word of a character's name that is no width: LATIN, GREEK, CYRILLIC, DIGIT…"""
    return name(character, "").removeprefix("FULLWIDTH ").partition(" ")[0]


def _distinct(words: Iterator[str]) -> Iterator[str]:
    known: set[str] = set()
    for word in words:
        if word not in known:
            known.add(word)
            yield word
