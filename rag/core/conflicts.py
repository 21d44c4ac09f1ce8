"""Quotations that say the same thing with other numbers."""

from typing import Final

from rag.core.lexical import content_tokens

# Share of the shorter quotation's other words that both must hold, and how many at least: two
# launch dates of one product share 3 of 4, two rules on different subjects rarely 2.
SHARED: Final = 0.6
LEAST: Final = 2


def disagree(left: str, right: str) -> bool:
    """Whether both state numbers, not the same ones, and otherwise share most of their words.

    Found by counting words, so it can miss a conflict; what it finds is worth a look.
    """
    numbers = [_numbers(text) for text in (left, right)]
    words = [_words(text) for text in (left, right)]
    shared = len(words[0] & words[1])
    alike = shared >= LEAST and shared >= SHARED * min(map(len, words))
    return alike and all(numbers) and numbers[0] != numbers[1]


def _numbers(text: str) -> frozenset[str]:
    return frozenset(t.word for t in content_tokens(text, ("en",)) if _is_number(t.word))


def _words(text: str) -> frozenset[str]:
    return frozenset(t.word for t in content_tokens(text, ("en",)) if not _is_number(t.word))


def _is_number(word: str) -> bool:
    return not any(character.isalpha() for character in word)
