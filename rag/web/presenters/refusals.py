"""A refusal as its page shows it: the sentence, why, what lies near, and what one can do."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from rag.core.refusals import codes, shortfall
from rag.core.snippets import snippet
from rag.models import Answer
from rag.queries.answers import selection_of
from rag.queries.refusals import Near
from rag.web.presenters.citations import below
from rag.web.presenters.results import LONGEST_SNIPPET, Result, passage_url
from rag.web.presenters.snippets import stretches_of
from rag.web.presenters.standings import day_words, standing_chip

_WHY: Final = {
    "no_excerpts": "No passage that you may read comes near enough to the question.",
    "unsupported": "Passages were found, but no sentence in them answers clearly enough to quote.",
    "context_budget_exceeded": "What was found is too long for the model that proposes "
    "quotations. A shorter question leaves it more room.",
    "provider": "The model that proposes quotations did not answer, and nothing takes its place. "
    "Ask again later.",
    "invalid_citation": "What was proposed does not stand in a source that you may read.",
}
FAILED: Final = "provider"
_UNJUDGED: Final = ("context_budget_exceeded", FAILED)


@dataclass(frozen=True)
class Refused:
    """The middle of the page. ``why`` may be followed by ``codes``, which are set apart.

    ``failed``: nobody judged the question, and asking it once more may bring an answer.
    """

    summary: str
    sentence: str
    why: str
    codes: tuple[str, ...]
    near: tuple[Result, ...]
    owners: tuple[str, ...]
    failed: bool


def refused(
    answer: Answer, near: Sequence[Near], unmentioned: Sequence[str], today: date
) -> Refused:
    """The refusal with what the person may still be shown beside it."""
    when = (
        "In the archive"
        if selection_of(answer).archive
        else f"In force on {day_words(answer.as_of)}"
    )
    why, named = _why(answer, when, unmentioned)
    rows = tuple(near_result(answer.question, each, _lack(answer, each), today) for each in near)
    owners = tuple(dict.fromkeys(each.revision.owner for each in near if each.revision.owner))
    failed = answer.reason_code == FAILED
    return Refused(when, answer.reason, why, named, rows, owners, failed)


def _why(answer: Answer, when: str, unmentioned: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """One line on the reason, and the codes that it ends with."""
    if unmentioned:
        served = when[0].lower() + when[1:]
        return f"No source {served} that you may read mentions", tuple(unmentioned)
    asked = tuple(codes(answer.question).values())
    if answer.reason_code == "no_excerpts" and asked:
        return "The nearest passages do not speak of", asked
    return _WHY.get(answer.reason_code, ""), ()


def near_result(question: str, near: Near, about: tuple[str, ...], today: date) -> Result:
    """A passage as a result of a search; ``about`` stands where its facts would."""
    revision = near.revision
    shown = snippet(near.text, question, (revision.language,), LONGEST_SNIPPET)
    return Result(
        title=revision.title,
        url=passage_url(revision.document_id, near.start_char, near.end_char),
        path=below(revision.title, near.section),
        stretches=stretches_of(near.text, shown),
        cut_before=shown.cut_before,
        cut_after=shown.cut_after,
        chips=(standing_chip(near.governed, today),),
        scope=near.governed.scope,
        about=about,
        review=None,
    )


def _lack(answer: Answer, near: Near) -> tuple[str, ...]:
    """What a passage lacks; nothing is said of passages that nobody got to judge."""
    if answer.reason_code in _UNJUDGED:
        return ()
    least, passage = answer.options["min_cosine"], f"{near.context}\n{near.text}"
    return (shortfall(answer.question, passage, near.cosine, least),)
