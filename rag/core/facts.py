"""Product facts from TOML or JSON: structured values, each governed by the file that states it."""

import hashlib
import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time
from math import isfinite
from typing import Any, Final

from rag.core.errors import InvalidText

MAX_DOTS: Final = 200
FACTS_KEYS: Final = ("id", "title", "version", "valid_from", "valid_until", "language", "canonical",
              "status")  # fmt: skip


@dataclass(frozen=True)
class Fact:
    """One named value of a product code, as it is shown."""

    product: str
    name: str
    value: str

    @property
    def sha256(self) -> str:
        """SHA-256 (hex) of the three, each preceded by its length in bytes."""
        encoded = [part.encode() for part in (self.product, self.name, self.value)]
        return hashlib.sha256(b"".join(b"%d:%s" % (len(p), p) for p in encoded)).hexdigest()


@dataclass(frozen=True)
class StatedFact:
    """A fact with the revision that states it; ``language`` is that of its names."""

    fact: Fact
    revision: int
    source_id: str
    language: str

    @property
    def line(self) -> str:
        return fact_line(self.source_id, self.fact)


def fact_line(source_id: str, fact: Fact) -> str:
    """A fact as it is published: ``[source] product name: value``."""
    return f"[{source_id}] {fact.product} {fact.name}: {fact.value}"


def product_facts(text: str, form: str | None = None) -> tuple[Fact, ...]:
    """Product facts, ordered by code and name; raises ``InvalidText`` for another shape.

    ``form`` is ``toml`` or ``json``; without it the first character tells.

    Text stays as it is, decimal numbers as they are written (1.50), whole ones in decimal,
    dates in ISO form, booleans become ``true`` or ``false``.
    """
    products = _table(text, form).get("products")
    if not isinstance(products, dict) or not products:
        raise InvalidText("it has no table named products")
    found = [fact for code, values in products.items() for fact in _of_product(code, values)]
    return tuple(sorted(found, key=lambda fact: (fact.product, fact.name)))


def facts_front(text: str, form: str | None = None) -> dict[str, object]:
    """The keys of a facts file beside its products; raises ``InvalidText`` for an unknown one."""
    front = _table(text, form)
    front.pop("products", None)
    for key in front:
        if key not in FACTS_KEYS:
            raise InvalidText(f"{key!r} is none of products, {', '.join(FACTS_KEYS)}")
    return front


def _of_product(code: str, values: object) -> Iterator[Fact]:
    if not isinstance(values, dict) or not values or not code.strip():
        raise InvalidText(f"product {code!r} has no facts")
    for name, raw in values.items():
        value = _value(raw)
        if value is None or not value.strip() or not name.strip():
            raise InvalidText(f"product {code!r}: {name!r} is not a single value")
        yield Fact(code, name, value)


def _value(raw: object) -> str | None:
    if isinstance(raw, bool):
        return str(raw).lower()
    if isinstance(raw, date | time):
        return raw.isoformat()
    return str(raw) if isinstance(raw, str | int) else None


def _table(text: str, form: str | None) -> dict[str, object]:
    if not text.strip():
        raise InvalidText("there is no text in it")
    form = form or ("json" if text.lstrip().startswith("{") else "toml")
    try:
        table = _parsed_json(text) if form == "json" else _parsed_toml(text)
    except ValueError as error:
        raise InvalidText(f"it is not {form.upper()}: {error}") from error
    except RecursionError as error:
        raise InvalidText("it is nested too deeply") from error
    if not isinstance(table, dict):
        raise InvalidText("it is not a table of products")
    return table


def _parsed_toml(text: str) -> Any:
    # A key of 64,000 parts keeps tomllib busy for 84 s; with 200 dots a line, 2 MB take 4 s.
    if any(line.count(".") > MAX_DOTS for line in text.split("\n")):
        raise ValueError(f"a line has more than {MAX_DOTS} dots")
    return tomllib.loads(text, parse_float=_decimal)


def _parsed_json(text: str) -> Any:
    return json.loads(
        text,
        parse_int=str,
        parse_float=str,
        parse_constant=_decimal,
        object_pairs_hook=_unique,
    )


def _decimal(written: str) -> str:
    """A number as it is written; both formats have words for infinity and not-a-number."""
    if not isfinite(float(written)):
        raise ValueError(f"{written} is not a number")
    return written


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """A JSON object; a key that stands twice would lose one of its values without a word."""
    table = dict(pairs)
    if len(table) < len(pairs):
        raise ValueError(f"a key stands twice among {', '.join(sorted(table))}")
    return table
