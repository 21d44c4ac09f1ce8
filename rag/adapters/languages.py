"""The language of a text that does not name it itself."""

from functools import lru_cache
from typing import Any, Final

from rag.core.blocks import Kind, blocks
from rag.core.text import body_start

# Read of a text at most, in characters, and of letters at least, in bytes as the model counts:
# seven ideographs say as much as twenty letters.
LONGEST: Final = 5000
FEWEST_BYTES: Final = 20
LEAST_CONFIDENCE: Final = 0.9

# Varieties that the model tells apart, and that are written alike or stemmed alike (the
# macrolanguages of ISO 639-3): their confidences belong together.
_VARIETIES: Final = {
    "ary": "ar", "arz": "ar", "nn": "no", "sdh": "ku", "uzs": "uz", "wuu": "zh", "yue": "zh",
}  # fmt: skip
_NO_LANGUAGE: Final = "zxx"  # as the model calls figures and signs
_UNREAD: Final = {Kind.FENCE, Kind.CODE, Kind.TAG, Kind.RULE}


def detected(text: str) -> str:
    """The code of the language that a whole source is in, such as ``fr``; empty if unclear.

    Front matter, code and tags are not read. A text in two languages has the one that clearly
    prevails at its beginning, or none.
    """
    prose = _prose(text)
    if sum(len(letter.encode()) for letter in prose if letter.isalpha()) < FEWEST_BYTES:
        return ""
    confidences: dict[str, float] = {}
    for variety, confidence in _identifier().rank(prose):
        code = _VARIETIES.get(variety, variety)
        confidences[code] = confidences.get(code, 0.0) + float(confidence)
    confidence, best = max((confidence, code) for code, confidence in confidences.items())
    return best if confidence >= LEAST_CONFIDENCE and best != _NO_LANGUAGE else ""


def _prose(text: str) -> str:
    """The beginning of what is written for people."""
    parts, length = [], 0
    for block in blocks(text, body_start(text)):
        if block.kind not in _UNREAD:
            parts.append(text[block.start : block.end])
            length += len(parts[-1])
        if length > LONGEST:
            break
    return "\n".join(parts)[:LONGEST]


@lru_cache(maxsize=1)
def _identifier() -> Any:
    """The library's model with confidences in [0, 1]; it takes most of a second to load.

    So its module is named here: a process that only searches never loads either.
    """
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
