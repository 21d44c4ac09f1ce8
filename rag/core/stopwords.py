"""Function words that say nothing about a passage's subject, folded, by language."""

from typing import Final

from rag.core.stopwords_other import OTHER_STOP_WORDS
from rag.core.stopwords_snowball import SNOWBALL_STOP_WORDS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Apostrophes split words, so "don't" leaves "don" and "t", and "l'école" leaves "l".
_OURS: Final = {
    "en": _words(
        """
        a about above after again against all am an and any are as at be because been before being
        below between both but by can could d did do does doing don down during each few for from
        further get got had has have having he her here hers herself him himself his how i if in
        into is it its itself just ll m may me might more most must my myself no nor not now o of
        off on once only or other our ours ourselves out over own re s same shall she should so
        some such t than that the their theirs them themselves then there these they this those
        through to too under until up us ve very was we were what when where which while who whom
        whose why will with would y you your yours yourself yourselves
        """
    ),
    "fr": _words(
        """
        a ai aux avec c ce ces cet cette d dans de des du elle elles en es est et eu il ils j je l
        la le les leur leurs lui m ma mais me meme mes mon n ne nos notre nous on ont ou par pas
        peut pour qu quand que quel quelle quelles quels qui quoi s sa sans se ses si soit son
        sont sur t ta te tes ton tu un une vos votre vous y faut comment combien doit doivent
        """
    ),
    "de": _words(
        """
        aber als am an auch auf aus bei bin bis bist da das dass dem den der des dich die dies
        diese diesem diesen dieser dieses dir du durch ein eine einem einen einer eines er es fur
        hat hatte ich ihm ihn ihr ihre im in ist ja kann man mein mich mir mit muss nach nicht
        noch nun nur ob oder ohne sein seine sich sie sind so uber um und uns unser unter vom von
        vor war warum was wann welche welcher welches wenn wer werden wie wieder wir wird wo zu
        zum zur
        """
    ),
}

# Arabic writes "and" and "so" in one with the next word. Short words would become others so:
# "so they" is "understanding".
_ARABIC: Final = _words(OTHER_STOP_WORDS["ar"])
_JOINED: Final = frozenset(f"{and_}{word}" for and_ in "وف" for word in _ARABIC if len(word) > 2)

STOP_WORDS: Final = {
    **{code: _words(text) for code, text in (SNOWBALL_STOP_WORDS | OTHER_STOP_WORDS).items()},
    **_OURS,
    "nb": _words(SNOWBALL_STOP_WORDS["no"]),
    "nn": _words(SNOWBALL_STOP_WORDS["no"]),
    "ar": _ARABIC | _JOINED | _words("وفي ومن وما ولا وان وقد وهو وهي وكل ولم ولن وعن وهل"),
}
