"""Why what lies near a question is no answer to it; said only of text that was looked at."""

from typing import Final

from rag.core.matches import located

FAR: Final = "too far from the question"
UNCLEAR: Final = "no sentence in it answers clearly enough"


def codes(text: str) -> dict[str, str]:
    """The identifiers in ``text`` (product codes, versions), folded, and as they are written."""
    found: dict[str, str] = {}
    for word in located(text):
        if word.token.is_identifier:
            found.setdefault(word.token.word, text[word.start : word.end])
    return found


def shortfall(question: str, passage: str, cosine: float | None, least: float | None) -> str:
    """Why ``passage`` (its context and text) does not answer, for people.

    ``least`` is the cosine that counts as near; None where the search compared words alone.
    """
    asked, held = codes(question), codes(passage)
    missing = {code: written for code, written in asked.items() if code not in held}
    if missing:
        others = [written for code, written in held.items() if _alike(code, missing)]
        lacks = ", ".join(missing.values())
        return f"names {others[0]}, not {lacks}" if others else f"does not mention {lacks}"
    if cosine is not None and least is not None and cosine < least:
        return FAR
    return UNCLEAR


def _alike(code: str, missing: dict[str, str]) -> bool:
    """Whether a code belongs to the family of a missing one: GX-200 beside GX-999."""
    return code not in missing and any(_family(code) == _family(other) for other in missing)


def _family(code: str) -> str:
    """The letters that a code begins with."""
    return code[: next((at for at, c in enumerate(code) if not c.isalpha()), len(code))]
