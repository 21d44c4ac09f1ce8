"""Words of a question that asks for a value and for nothing besides, folded, by language.

"What is the weight of the GX-100?" does; "How do I extend its warranty?" does not, nor does "What
weight does it carry?", which asks for another weight. So the lists hold words that leave the
relation between product and value as it is: to have, to make, to cost, to tell.
"""

from collections.abc import Set
from dataclasses import dataclass
from typing import Final

from rag.core.stopwords import STOP_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True)
class Asking:
    """How a language asks for a value.

    ``manner`` ("how") does so before one of ``degrees`` ("how long") alone. ``against`` are stop
    words that ask for something else, or narrow the question: "why", "who", "after", "not".
    """

    light: frozenset[str] = frozenset()
    degrees: frozenset[str] = frozenset()
    manner: frozenset[str] = frozenset()
    against: frozenset[str] = frozenset()


_ASKING: Final = {
    "en": Asking(
        _words(
            """
            come comes cost costs device exact exactly figure find give know last lasts let like
            list listed look machine make makes model name need needs number offer offers please
            product see show state stated tell use uses value want weigh weighs
            """
        ),
        _words(
            """
            big broad cold deep far fast great heavy high hot large long loud low many much old
            quick short small strong tall thick thin warm wide
            """
        ),
        _words("how"),
        _words(
            """
            after against before below above during get got no nor not off once other over through
            under until where who whom whose why
            """
        ),
    ),
    "de": Asking(
        _words(
            """
            angabe benotigt betragt bitte braucht dauert genau genaue gerat gilt haben halt kostet
            liegt maschine mochte modell nenne nennen produkt sag sage sagen uns wert wiegt wissen
            zahl zeig zeige zeigen
            """
        ),
        _words(
            """
            alt breit dick gross heiss hoch kalt klein kurz lang lange laut niedrig schnell schwer
            stark tief viel viele warm weit
            """
        ),
        _words("wie"),
        _words("bis nach nicht ohne unter vor warum wer wieder wo"),
    ),
    "fr": Asking(
        _words(
            """
            appareil avoir chiffre coute dire dis dites donne donner donnez dure exact exacte
            indique indiquer indiquez machine modele moi montre montrez nombre pese possede produit
            valeur
            """
        ),
        manner=_words("comment"),
        against=_words("pas qui sans"),
    ),
    "es": Asking(
        _words(
            """
            alta alto aparato cifra cuesta dime diga dura exacta exacto grande indica indique larga
            largo maquina modelo muestra numero pesa producto valor
            """
        ),
        manner=_words("como"),
        against=_words("antes donde durante ni no porque quien quienes sin sobre"),
    ),
    "it": Asking(
        _words(
            """
            alta alto apparecchio cifra costa dimmi dura esatta esatto grande indica lunga lungo
            macchina modello mostra numero pesa prodotto valore
            """
        ),
        manner=_words("come"),
        against=_words("chi dove non perche"),
    ),
    "pt": Asking(
        _words(
            """
            alta alto aparelho custa diga dura exata exato grande indica longa longo maquina modelo
            mostra numero pesa produto valor
            """
        ),
        manner=_words("como"),
        against=_words("nao onde porque quem sem"),
    ),
    "nl": Asking(
        _words(
            """
            aantal apparaat duurt geef getal kost machine model noem precies product toon waarde
            weegt
            """
        ),
        _words("breed diep groot hoog lang oud snel veel ver zwaar"),
        _words("hoe"),
        _words("na niet waar waarom wie zonder"),
    ),
}


def says_more(word: str, following: str, languages: Set[str]) -> bool:
    """Whether a word asks for more than a value, in each of the languages.

    ``following`` is the next word of the question, or empty. Of a language without a list of its
    own, stop words are all that asks for nothing more.
    """
    return all(_says_more(word, following, language) for language in languages)


def _says_more(word: str, following: str, language: str) -> bool:
    asking = _ASKING.get(language, Asking())
    if word in asking.manner:
        return following not in asking.degrees
    silent = STOP_WORDS.get(language, frozenset()) | asking.light | asking.degrees
    return word in asking.against or word not in silent
