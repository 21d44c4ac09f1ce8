"""Stems of Arabic words: light10 of Larkey, Ballesteros and Connell (2007).

Articles and the most frequent endings are taken off, patterns and infixes stay. On folded words,
where the forms of alef are one letter, and ta marbuta is ha, alef maqsura ya.
"""

from typing import Final

_AND: Final = "و"
_ARTICLES: Final = ("وال", "بال", "كال", "فال", "لل", "ال")
# In the order in which each is tried, once.
_ENDINGS: Final = ("ها", "ان", "ات", "ون", "ين", "يه", "ه", "ي")
_FEWEST: Final = 2


def light_stem(word: str) -> str:
    """The stem of a folded Arabic word, at least two letters of it."""
    if word.startswith(_AND) and len(word) > _FEWEST + 1:
        word = word.removeprefix(_AND)
    for article in _ARTICLES:
        if word.startswith(article) and len(word) >= len(article) + _FEWEST:
            word = word.removeprefix(article)
            break
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) >= len(ending) + _FEWEST:
            word = word.removesuffix(ending)
    return word
