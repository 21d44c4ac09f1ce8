"""Which product facts a question asks for: it names the product's code, and the fact by its name.

Everything is computed from the facts given, so what may not be read says nothing. A code of a
product is what facts are stated of, and no other code (``QX-4471`` in some text) is one.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from functools import lru_cache
from typing import Final, NamedTuple

from rag.core.facts import Fact, StatedFact
from rag.core.lexical import Token, identifiers, placed, stem, stop_words
from rag.core.text import fold
from rag.core.value_words import says_more

MAX_FACTS: Final = 3
# Names are often written as one word: battery_life, batteryLife.
_JOINED: Final = re.compile(r"_|(?<=[a-z])(?=[A-Z])")
# What a name may end with and a question need not say: weight_kg, and pressure (bar).
_UNITS: Final = frozenset(
    (
        *("mg", "kg", "lb", "oz", "mm", "cm", "km", "ft", "ml", "pa", "hpa", "kpa", "mpa", "mbar"),
        *("bar", "psi", "mw", "kw", "kwh", "wh", "mv", "kv", "ma", "mah", "hz", "khz", "mhz"),
        *("ghz", "ms", "min", "seconds", "minutes", "hours", "days", "weeks", "months", "years"),
        *("eur", "usd", "gbp", "chf", "percent"),
    )
)
_BRACKETED: Final = re.compile(r"(.*\w)\s*[(\[](.+)[)\]]\s*")


class _Named(NamedTuple):
    """Where a question names a product: its tokens from ``first`` to before ``end``."""

    first: int
    end: int
    product: str


def products_named(question: str, products: Collection[str]) -> frozenset[str]:
    """Those of ``products`` whose code stands in the question, whole and folded.

    Of codes inside one another the longest counts: ``Pump Pro`` does not name ``Pump``.
    """
    return frozenset(place.product for place in _places(question, products))


def facts_asked(question: str, stated: Sequence[StatedFact]) -> tuple[StatedFact, ...]:
    """The facts that a question names, at most ``MAX_FACTS``.

    A fact is named if its product's code and every word of its name stand in the question, folded
    or by their stems; a unit at the end of the name need not, but where it does, facts in other
    units are left out. Facts named by more words go first, then by product, name and source.
    """
    rest, found = _named(question, stated)
    ordered = sorted(_in_the_unit_asked(found, rest), key=_order)
    return tuple(each for _, each in ordered[:MAX_FACTS])


def asks_no_more(question: str, stated: Sequence[StatedFact]) -> bool:
    """Whether the question asks for the values of the facts that it names and for nothing besides.

    Only then can a fact be the whole answer: "How do I extend the warranty of the GX-100?" names
    one, but its value answers nothing. What else a question says is judged by the words that are
    neither code nor name, unit or value of a fact (``value_words``); not in scripts without
    spaces, where no word stands apart.
    """
    rest, found = _named(question, stated)
    languages = {each.language for _, each in found}
    named = {form for _, each in found for form in _forms_of_fact(each)}
    following = [*(token.word for token in rest[1:]), ""]
    return bool(found) and not any(
        says_more(token.word, after, languages)
        for token, after in zip(rest, following, strict=True)
        if _stands_apart(token) and not _all_forms(token, languages) & named
    )


def _named(
    question: str, stated: Sequence[StatedFact]
) -> tuple[list[Token], list[tuple[int, StatedFact]]]:
    """The question's words besides the codes, and each fact named with its number of words."""
    places = _places(question, {each.fact.product for each in stated})
    named = {place.product for place in places}
    rest = _without(question, places)
    languages = {each.language for each in stated}
    asked = {code: _forms(_content(rest, code), code) for code in languages}
    found = [
        (words, each)
        for each in stated
        if each.fact.product in named and (words := _words_named(each, asked[each.language]))
    ]
    return rest, found


def _forms_of_fact(each: StatedFact) -> set[tuple[str, str]]:
    """The words of a fact's name and value; units anywhere are no words of a question."""
    return _forms([*_tokens(each.fact.name), *_tokens(each.fact.value)], each.language)


def _all_forms(token: Token, languages: Set[str]) -> set[tuple[str, str]]:
    return {form for language in languages for form in _forms([token], language)}


def _stands_apart(token: Token) -> bool:
    """Not a unit, nor two characters of a script without spaces."""
    return token.word not in _UNITS and (token.stemmed or token.word.isascii())


def codes_of(facts: Iterable[StatedFact]) -> frozenset[str]:
    """The folded identifiers in the facts' product codes."""
    return frozenset[str]().union(*(identifiers(each.fact.product) for each in facts))


def contradicts(one: Fact, other: Fact) -> bool:
    """Whether both are the same fact of one product with another value."""
    same = _same(one.product, other.product) and _same(one.name, other.name)
    return same and one.value != other.value


def _same(left: str, right: str) -> bool:
    return _folded(left) == _folded(right)


def _folded(text: str) -> str:
    return fold(_JOINED.sub(" ", text))


def _order(found: tuple[int, StatedFact]) -> tuple[int, str, str, str, int]:
    words, each = found
    return -words, each.fact.product, each.fact.name, each.source_id, each.revision


def _places(question: str, products: Collection[str]) -> list[_Named]:
    """Where the codes stand; none inside a longer one."""
    folded = fold(question)
    asked = list(placed(folded))
    known = {token.word for _, token in asked}
    found = [
        place
        for product in products
        if (code := _code(product))[0] and code[0][0] in known  # few of ten thousand
        for place in _places_of(product, folded, asked)
    ]
    return [each for each in found if not any(_inside(each, other) for other in found)]


def _places_of(product: str, folded: str, asked: list[tuple[int, Token]]) -> Iterator[_Named]:
    words, spelt = _code(product)
    for first in range(len(asked) - len(words) + 1):
        end = first + len(words)
        run = asked[first:end]
        if tuple(token.word for _, token in run) == words and _spelt(folded, run) == spelt:
            yield _Named(first, end, product)


@lru_cache(maxsize=1 << 14)
def _code(product: str) -> tuple[tuple[str, ...], str]:
    """The folded words of a code, and how they are spelt together."""
    folded = fold(product)
    run = list(placed(folded))
    return tuple(token.word for _, token in run), _spelt(folded, run) if run else ""


def _spelt(folded: str, run: Sequence[tuple[int, Token]]) -> str:
    """The text from the first token to the last, with signs that stick to it: ``gx-100+``."""
    end = run[-1][0] + len(run[-1][1].word)
    while folded[end : end + 1] in ("+", "#"):
        end += 1
    return folded[run[0][0] : end]


def _inside(one: _Named, other: _Named) -> bool:
    longer = other.end - other.first > one.end - one.first
    return longer and other.first <= one.first and one.end <= other.end


def _without(question: str, places: Sequence[_Named]) -> list[Token]:
    """The words of the question besides the codes, joined ones taken apart."""
    taken = {at for place in places for at in range(place.first, place.end)}
    rest = [token for at, (_, token) in enumerate(placed(fold(question))) if at not in taken]
    return [part for token in rest for part in _apart(token)]


def _apart(token: Token) -> Iterator[Token]:
    if "_" not in token.word or not token.stemmed:
        yield token
    else:
        yield from (Token(part, True) for part in token.word.split("_") if part)


def _words_named(each: StatedFact, asked: Set[tuple[str, str]]) -> int:
    """How many words the fact's name has, its unit aside, if the question holds all; else 0."""
    words = _tokens(_name_and_unit(each.fact.name)[0])
    words = _content(words, each.language) or words
    return len(words) if all(_forms([word], each.language) & asked for word in words) else 0


def _in_the_unit_asked(
    found: Sequence[tuple[int, StatedFact]], rest: Sequence[Token]
) -> list[tuple[int, StatedFact]]:
    """Without facts whose namesake of the same product has the unit that the question names."""
    asked = {token.word for token in rest}
    fitting = {_namesake(each) for _, each in found if _unit_words(each) & asked}
    return [
        (words, each)
        for words, each in found
        if _namesake(each) not in fitting or _unit_words(each) & asked
    ]


def _namesake(each: StatedFact) -> tuple[str, str]:
    return _folded(each.fact.product), _folded(_name_and_unit(each.fact.name)[0])


def _unit_words(each: StatedFact) -> set[str]:
    return {token.word for token in _tokens(_name_and_unit(each.fact.name)[1])}


def _name_and_unit(name: str) -> tuple[str, str]:
    """The name and the unit that it ends with, if it does."""
    if found := _BRACKETED.fullmatch(name):
        return found[1], found[2]
    words = _folded(name).split()
    return (" ".join(words[:-1]), words[-1]) if words[1:] and words[-1] in _UNITS else (name, "")


def _tokens(name: str) -> list[Token]:
    return [token for _, token in placed(_folded(name))]


def _content(words: Sequence[Token], language: str) -> list[Token]:
    """Without what says nothing in the language of the facts."""
    stops = stop_words(words, (language,))
    return [token for token in words if token.word not in stops]


def _forms(words: Iterable[Token], language: str) -> set[tuple[str, str]]:
    """What two words must share one of: the folded word, or the stem."""
    forms = {("", token.word) for token in words}
    return forms | {(language, stem(token.word, language)) for token in words if token.stemmed}
