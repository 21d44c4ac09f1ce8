"""From bytes to text, from text to sentences, and to the folded form that search compares."""

import codecs
import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from rag.core.blocks import Block, Kind, blocks
from rag.core.errors import InvalidText

Span = tuple[int, int]
"""Start and end in zero-based code points, end-exclusive."""

# UTF-32 stands first: its little-endian mark begins with the one of UTF-16-LE.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_FENCE_OPEN = re.compile(r"---[ \t]*\n")
_FENCE_CLOSE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Decoded:
    """A text with ``\\n`` newlines and no byte order mark, and the encoding it came from.

    ``decode(data, encoding)`` gives the same text again.
    """

    text: str
    encoding: str


def decode(data: bytes, encoding: str | None = None) -> Decoded:
    """Decode strictly: UTF-8, UTF-8 or UTF-16 with a byte order mark, or the encoding named.

    CRLF and lone CR become LF; nothing else is changed.
    Raises InvalidText for other bytes, for an unknown encoding and for NUL characters.
    """
    name = _named(encoding) if encoding is not None else _detected(data)
    text = _decoded(data, name).removeprefix("\ufeff")
    if "\0" in text:
        raise InvalidText(
            "The text contains NUL characters. If it is UTF-16 without a byte order mark, "
            "give --encoding utf-16-le or --encoding utf-16-be."
        )
    return Decoded(text.replace("\r\n", "\n").replace("\r", "\n"), name)


def _named(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except (LookupError, ValueError):
        raise InvalidText(
            f"There is no encoding {encoding!r}; give --encoding with a name such as "
            "cp1252, latin-1 or utf-16-le."
        ) from None


def _detected(data: bytes) -> str:
    name = next((name for mark, name in _MARKS if data.startswith(mark)), "utf-8")
    if name.startswith("utf-32"):
        raise InvalidText(f"The text begins like UTF-32; if it is, give --encoding {name}.")
    return name


def _decoded(data: bytes, name: str) -> str:
    try:
        text = data.decode(name)
    except LookupError:
        raise InvalidText(f"{name} is no text encoding; give another --encoding.") from None
    except UnicodeError as error:
        where = f" (at byte {error.start})" if isinstance(error, UnicodeDecodeError) else ""
        raise InvalidText(
            f"The bytes are not {name} text{where}; give --encoding with the right name, "
            "such as cp1252 or utf-16-le."
        ) from None
    if _SURROGATE.search(text):
        raise InvalidText(f"Decoded as {name}, the text has lone surrogates; check --encoding.")
    return text


def _front_matter_span(text: str) -> tuple[int, int, int]:
    """Start and end of the YAML, and the offset after its closing fence; zeros if none."""
    opening = _FENCE_OPEN.match(text)
    closing = _FENCE_CLOSE.search(text, opening.end()) if opening else None
    if opening is None or closing is None:
        return 0, 0, 0
    return opening.end(), closing.start(), min(closing.end() + 1, len(text))


def body_start(text: str) -> int:
    """Offset just after the YAML front matter and its closing line; 0 without front matter.

    Front matter opens with ``---`` on the very first line and closes with ``---`` or ``...``.
    """
    return _front_matter_span(text)[2]


def front_matter(text: str) -> str:
    """The YAML between the fences, or an empty string."""
    start, end, _ = _front_matter_span(text)
    return text[start:end]


def body(text: str) -> str:
    """The text after the front matter with white space collapsed: what identity is made of."""
    return " ".join(text[body_start(text) :].split())


_UNPRINTED = frozenset({"Cc", "Cs", "Zl", "Zp"})


def is_printable(line: str) -> bool:
    """Whether a line has no control character, surrogate or line separator.

    Those would break the lines of an answer, or command a terminal.
    """
    return not any(unicodedata.category(character) in _UNPRINTED for character in line)


def visible(text: str) -> str:
    """``text`` for a terminal: control characters other than tab and newline become U+FFFD."""
    return "".join(c if c in "\t\n" or is_printable(c) else "\ufffd" for c in text)


class LineIndex:
    """Line numbers of offsets, in logarithmic time."""

    def __init__(self, text: str) -> None:
        self._newlines = [match.start() for match in re.finditer("\n", text)]

    def line(self, offset: int) -> int:
        """One-based line of the character at ``offset``; a newline belongs to the line it ends."""
        return bisect_left(self._newlines, offset) + 1


_PROSE = frozenset({Kind.TEXT, Kind.ITEM, Kind.QUOTE})

# Quantifiers are possessive and nothing is looked for behind them: a match always succeeds
# where it begins, so a megabyte of dots or brackets is read once.
_STOP = re.compile(
    r"(?:(?P<stop>[.!?…]++)|(?P<wide>[。！？｡؟۔।॥]++))"
    r"(?P<closing>(?:[\"'”’»›)\]}*_~`」』）】》〉]|</\w{1,10}>|\[\^\w{1,10}\])*+)"
)
_OPENING = re.compile(r"[\s\"'“‘„«‹(\[{*_~`>「『（【]*+")
_SPACE = re.compile(r"\s*+")
_LETTERS = re.compile(r"\w*+")
_NOT_IN_WORD = re.compile(r"[^\w.]")
_DOTTED = re.compile(r"[^\W\d_]{1,2}(?:\.[^\W\d_]{1,2})*")
_NUMBERING = re.compile(r"\W*\d{1,9}")


def _words(words: str) -> frozenset[str]:
    return frozenset(words.split())


_NEVER_LAST = _words(
    "e.g i.e eg ie mr mrs ms dr prof rev hon sen rep gov gen col lt sgt capt st mt vs cf viz "
    "approx incl excl resp dept univ est al z.b d.h u.a bzw vgl ggf inkl zzgl evtl sog ca "
    "mme mlle sr sra ing dott sig"
)
_BEFORE_NUMBER = _words(
    "no nos nr num art arts abs sec secs sect par para ch chap fig figs tab tbl vol ver v p pp "
    "pg eq ex app ref s st lit ziff núm n"
)
_MONTHS = _words(
    "januar februar märz april mai juni juli august september oktober november dezember"
)
_STARTERS = _words(
    "the this these that those it its if in on at when while we you they he she there however "
    "for but and all any each no to our your as use see do not please"
)

_EXCEPTION = re.compile(
    r"(?:[\s>*+•_#\"“(\[-]|\d{1,9}[.)]\s)*+(?:(?:"
    r"however|except(?:ions?|ing)?|unless|but|note|notes|only|nevertheless|nonetheless|otherwise|"
    r"notwithstanding|provided that|(?:this|these|that|it)(?: \w+)? (?:does|do) not apply|"
    r"ausnahmen?|ausgenommen|außer|jedoch|allerdings|es sei denn|hinweis|nur|dies gilt nicht|"
    r"sauf|toutefois|cependant|néanmoins|exceptions?|excepté|hormis|à moins|"
    r"sin embargo|excepto|excepción|excepciones|salvo|no obstante|a menos que|"
    r"tuttavia|eccetto|eccezioni|eccezione|exceto|no entanto|contudo|"
    r"echter|behalve|tenzij|uitzondering(?:en)?|однако|кроме|исключени[ея]|"
    r"إلا|باستثناء|ومع ذلك|لكن|लेकिन|परन्तु|परंतु|सिवाय)(?!\w)"
    r"|但|除非|然而|例外|ただし|しかし|다만|단,)",
    re.IGNORECASE,
)


def sentence_spans(text: str, start: int = 0, end: int | None = None) -> tuple[Span, ...]:
    """The sentences of ``text[start:end]``: ordered, disjoint, trimmed, nothing visible left out.

    A heading, list item, table row, code line or tag line begins a new sentence, and so does
    what follows a blank line; a single newline inside prose does not. When in doubt (an
    abbreviation, a lower-case letter after the full stop) the sentence goes on: a quotation
    that is too long is still true, half a sentence may not be.
    """
    return tuple(
        span for block in blocks(text, start, end) for span in block_sentences(text, block)
    )


def block_sentences(text: str, block: Block) -> Iterator[Span]:
    """The sentences of one block; rows, headings, tags and code lines are one each."""
    start = block.start
    if block.kind in _PROSE:
        for match in _STOP.finditer(text, block.start, block.end):
            if _ends_sentence(text, start, match, block.end):
                yield start, match.end()
                start = skip_space(text, match.end(), block.end)
    if start < block.end:
        yield start, block.end


def starts_exception(sentence: str) -> bool:
    """Whether the sentence opens by restricting the one before it ("However", "Sauf", "但")."""
    return _EXCEPTION.match(sentence) is not None


# Characters behind a passage in which its exceptions are looked for.
LOOK_AHEAD = 2000


def is_partial(text: str, start: int, end: int) -> bool:
    """Whether ``text[start:end]`` begins or ends inside a sentence."""
    spans = sentence_spans(text, body_start(text))
    begins, ends = {first for first, _ in spans}, {last for _, last in spans}
    return start not in begins or end not in ends


def goes_on_with_exception(text: str, end: int) -> bool:
    """Whether the sentence after ``end`` begins an exception to what was said before."""
    rest = sentence_spans(text, end, min(len(text), end + LOOK_AHEAD))
    return bool(rest) and starts_exception(text[slice(*rest[0])])


def skip_space(text: str, start: int, end: int) -> int:
    """The first offset from ``start`` that holds no white space, or ``end``."""
    return _skip(_SPACE, text, start, end)


def _skip(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    match = pattern.match(text, start, end)
    return match.end() if match else start


def _ends_sentence(text: str, start: int, match: re.Match[str], end: int) -> bool:
    after = match.end()
    if after == end or match["wide"]:
        return True
    if not text[after].isspace():
        return False
    following = _skip(_OPENING, text, after, end)
    lower = following < end and text[following].islower()
    if match["stop"][-1] in "!?":
        return not (lower and match["closing"])
    if lower:
        return False
    return match["stop"] != "." or not _abbreviated(text, start, match.start(), following)


def _abbreviated(text: str, start: int, dot: int, following: int) -> bool:
    """Whether the full stop at ``dot`` belongs to its word and the sentence goes on."""
    word = _NOT_IN_WORD.split(text[max(start, dot - 16) : dot])[-1].casefold()
    upcoming = text[following : min(following + 16, _skip(_LETTERS, text, following, len(text)))]
    if word in _NEVER_LAST or (dot - start < 12 and _NUMBERING.fullmatch(text, start, dot)):
        return True
    if upcoming[:1].isdigit() and word in _BEFORE_NUMBER:
        return True
    if word.isdigit():
        return len(word) < 3 and upcoming.casefold() in _MONTHS
    return bool(_DOTTED.fullmatch(word)) and _is_initial(word, upcoming)


def _is_initial(word: str, upcoming: str) -> bool:
    """Whether "J." and "U.S." go on ("J. Smith"), or end a sentence ("5 p.m. The office")."""
    dotted = len(word) == 1 or "." in word
    return dotted and bool(upcoming) and upcoming.casefold() not in _STARTERS


# Marks are dropped after letters of these scripts only. Elsewhere they are vowels (Devanagari,
# Thai), voicing (が) or negation (≠), and without them another word would be found.
_ACCENTED = (
    "A-Za-z\u00c0-\u02af\u1d00-\u1dbf\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\uab30-\uab6f"
    "\u0370-\u03ff\u1f00-\u1fff"
    "\u0400-\u0482\u048a-\u052f\u1c80-\u1c8f\ua640-\ua66e\ua680-\ua69d"
    "\u05d0-\u05f2"
    "\u0620-\u064a\u066e\u066f\u0671-\u06d3\u06d5\u06ee-\u06ff\u0750-\u077f\u08a0-\u08c9"
)
_DIACRITICS = (
    "\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20dc\ufe20-\ufe2f"
    "\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7"
    "\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u08ca-\u08e1\u08e3-\u08ff"
)
_ACCENT = re.compile(f"(?<=[{_ACCENTED}])[{_DIACRITICS}]+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u0640]")
_LINE_END_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010]\n[ \t]*([^\W\d_])")
_LINE_END_SOFT_HYPHEN = re.compile("\u00ad\n[ \t]*")
# Letters without a decomposition, the forms of alef, ya, kaf and ta marbuta, and the two
# punctuation marks inside words that people type in their ASCII form ("QX-4471", "don't").
_ALIKE = str.maketrans("øłđħı\u0671\u0649\u06cc\u06a9\u0629\u2010\u2019", "oldhi\u0627ييك\u0647-'")


def fold(text: str) -> str:
    """What search compares, never what is shown: case, width, accents and line breaks gone.

    NFKC and case folding; accents dropped from Latin, Greek, Cyrillic, Hebrew and Arabic
    letters; invisible characters and tatweel dropped; words hyphenated at a line end joined;
    white space collapsed to single blanks. ``fold(fold(text)) == fold(text)``.
    """
    text = _LINE_END_SOFT_HYPHEN.sub("", text)
    text = _LINE_END_HYPHEN.sub(_join_lower, text)
    if not text.isascii():
        text = _fold_unicode(text)
    return " ".join(text.casefold().split())


def _join_lower(match: re.Match[str]) -> str:
    return match[1] if match[1].islower() else match[0]


def _fold_unicode(text: str) -> str:
    # Compatibility forms can hide upper case (™) or a tatweel, and case folding yields composed
    # letters; so the text is decomposed on both sides, which also puts marks in one order.
    text = unicodedata.normalize("NFKD", text).casefold()
    text = unicodedata.normalize("NFKD", _INVISIBLE.sub("", text)).translate(_ALIKE)
    return unicodedata.normalize("NFKC", _ACCENT.sub("", text))
