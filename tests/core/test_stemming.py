"""The compiled stemmer gives the stems of the plain one that indexes may be built with."""

import random
from importlib import import_module
from typing import Any

import pytest
import snowballstemmer
import Stemmer

from rag.core.arabic import light_stem
from rag.core.lexical import STEMMERS
from rag.core.stopwords import STOP_WORDS
from rag.core.text import fold

LETTERS = {
    "el": "αβγδεζηθικλμνξοπρσςτυφχψω",
    "fa": "ابتثجحخدرزسشصضعغفقكلمنهوي",
    "hi": "अआइउएकखगचजटडतदनपबमयरलवसहािीुूेैोौं",
    "hy": "աբգդեզէըթիլխծկհձղճմյնշոչպջռսվտրցւփքօ",
    "ne": "अआइउएकखगचजटडतदनपबमयरलवसहािीुूेैोौं",
    "ru": "абвгдежзийклмнопрстуфхцчшщъыьэюяё",
    "sr": "абвгдђежзијклљмнњопрстћуфхцчџш",
    "ta": "அஆஇஉஎஏஐஒகஙசஞடணதநபமயரலவழளறனாிீுூெேைொோ்",
    "yi": "אבגדהוזחטיכלמנסעפצקרשתםןךףץ",
}
LATIN = "aabcdeeefghiijklmnoopqrsstuuvwxyzàâäåæçéèêëíîïñóôöøúüýßăîșțğışő"


def pure(algorithm: str) -> Any:
    """The same algorithm in Python."""
    module = import_module(f"snowballstemmer.{algorithm}_stemmer")
    return getattr(module, f"{algorithm.capitalize()}Stemmer")()


@pytest.mark.parametrize(("language", "algorithm"), STEMMERS.items())
def test_compiled_stems_are_the_plain_ones(language: str, algorithm: str) -> None:
    rng, letters = random.Random(1), LETTERS.get(language, LATIN)
    words = ["".join(rng.choices(letters, k=rng.randint(1, 14))) for _ in range(500)]
    ours, plain = Stemmer.Stemmer(algorithm), pure(algorithm)
    assert [ours.stemWord(word) for word in words] == [plain.stemWord(word) for word in words]


def test_stems_come_from_the_compiled_one() -> None:
    assert snowballstemmer.stemmer is Stemmer.Stemmer


def test_every_stemmed_language_has_stop_words() -> None:
    assert {*STEMMERS, "ar"} == STOP_WORDS.keys()


def test_stop_words_are_folded_like_the_words_that_they_are_compared_with() -> None:
    words = frozenset().union(*STOP_WORDS.values())
    assert {fold(word) for word in words} == words


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("والسياسات", "سياس"),
        ("سياسة", "سياس"),
        ("بالمدرسة", "مدرس"),
        ("للموظفين", "موظف"),
        ("الموظفون", "موظف"),
        ("كتابها", "كتاب"),
        ("ولد", "ولد"),
        ("الله", "له"),
        ("ان", "ان"),
        ("", ""),
    ],
)
def test_arabic_words_lose_article_and_ending(word: str, stem: str) -> None:
    assert light_stem(fold(word)) == stem
