"""The compiled stemmer gives the stems of the plain one that indexes may be built with."""

import random
from importlib import import_module
from typing import Any

import pytest
import snowballstemmer
import Stemmer

from rag.core.lexical import STEMMERS

LETTERS = {"ar": "ابتثجحخدرزسشصضعغفقكلمنهويةأإ", "ru": "абвгдежзийклмнопрстуфхцчшщъыьэюяё"}
LATIN = "aabcdeeefghiijklmnoopqrsstuuvwxyzàâäåæçéèêëíîïñóôöøúüýßăîșțğışő"


def pure(algorithm: str) -> Any:
    """The same algorithm in Python."""
    module = import_module(f"snowballstemmer.{algorithm}_stemmer")
    return getattr(module, f"{algorithm.capitalize()}Stemmer")()


@pytest.mark.parametrize(("language", "algorithm"), STEMMERS.items())
def test_compiled_stems_are_the_plain_ones(language: str, algorithm: str) -> None:
    rng, letters = random.Random(1), LETTERS.get(language, LATIN)
    words = ["".join(rng.choices(letters, k=rng.randint(1, 14))) for _ in range(1500)]
    ours, plain = Stemmer.Stemmer(algorithm), pure(algorithm)
    assert [ours.stemWord(word) for word in words] == [plain.stemWord(word) for word in words]


def test_stems_come_from_the_compiled_one() -> None:
    assert snowballstemmer.stemmer is Stemmer.Stemmer
