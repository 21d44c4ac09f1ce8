"""Recorded questions as lists and headings show them; never a word of what was quoted."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from types import MappingProxyType
from typing import Final
from uuid import UUID

from django.urls import reverse

from rag.core.chat import AnswerMode
from rag.core.sources import Access
from rag.models import Answer, AskedQuestion, PendingAnswer
from rag.queries.answers import mode_of
from rag.queries.granting import held_since
from rag.queries.waiting import INTERRUPTED, state_now
from rag.web.forms.search import Search
from rag.web.presenters.results import local_day
from rag.web.presenters.standings import Chip

PENDING_CHIPS: Final = MappingProxyType(
    {
        PendingAnswer.State.RUNNING: Chip("being answered", "still"),
        PendingAnswer.State.CANCELLED: Chip("cancelled", "still"),
        PendingAnswer.State.FAILED: Chip("failed", "bad"),
        INTERRUPTED: Chip("interrupted", "warning"),
    }
)


@dataclass(frozen=True)
class HistoryRow:
    """One question of a person. ``same_day``: it was asked as of the day it was asked on."""

    question: str
    url: str
    chip: Chip
    as_of: date
    asked_on: date
    same_day: bool


@dataclass(frozen=True)
class Again:
    """A recorded question with what it takes to ask it again, or to search for it."""

    id: UUID
    question: str
    as_of: date
    asked_on: date
    today: date
    product: str
    scope: str
    mode: str
    search_url: str

    @property
    def is_today(self) -> bool:
        return self.as_of == self.today

    @property
    def narrowed(self) -> str:
        """What was searched, if that was less than everything."""
        scope = f"the scope {self.scope}" if self.scope else ""
        product = f"the product {self.product}" if self.product else ""
        return " and ".join(filter(None, [scope, product]))


def history_rows(answers: Iterable[Answer]) -> tuple[HistoryRow, ...]:
    """The questions in the order given."""
    return tuple(_row(answer) for answer in answers)


def pending_rows(pending: Iterable[PendingAnswer], now: datetime) -> tuple[HistoryRow, ...]:
    """Questions that have no answer, or none yet."""
    return tuple(_listed(each, PENDING_CHIPS[state_now(each, now)]) for each in pending)


def _row(answer: Answer) -> HistoryRow:
    answered = answer.status == "accepted"
    return _listed(answer, Chip("answered", "ok") if answered else Chip("refused", "still"))


def _listed(asked: AskedQuestion, chip: Chip) -> HistoryRow:
    asked_on = local_day(asked.asked_at)
    return HistoryRow(
        question=asked.question,
        url=reverse("answer", args=[asked.pk]),
        chip=chip,
        as_of=asked.as_of,
        asked_on=asked_on,
        same_day=asked.as_of == asked_on,
    )


def again(answer: AskedQuestion, access: Access, today: date, modes: Sequence[AnswerMode]) -> Again:
    """What the question was narrowed to is asked again, by the same mode if that is allowed."""
    scope = _chosen(answer, access)
    product = answer.options["product"]
    day = None if answer.as_of == today else answer.as_of
    search = Search(answer.question, (scope,) if scope else (), product, day)
    return Again(
        id=answer.pk,
        question=answer.question,
        as_of=answer.as_of,
        asked_on=local_day(answer.asked_at),
        today=today,
        product=product,
        scope=scope,
        mode=_mode(answer, modes),
        search_url=search.url(),
    )


def _mode(answer: AskedQuestion, modes: Sequence[AnswerMode]) -> str:
    """The mode that was chosen, if it may still be; empty for the site's own, which is first."""
    mode = mode_of(answer)
    return mode if mode in modes[1:] else ""


def _chosen(answer: AskedQuestion, access: Access) -> str:
    """The scope that was chosen, if it may still be read; empty if everything was asked.

    A single recorded scope was a choice if there was another one to choose at that time.
    """
    if len(answer.scopes) != 1 or answer.scopes[0] not in access.scopes:
        return ""
    others = access.scopes - frozenset(answer.scopes)
    scope: str = answer.scopes[0]
    return scope if held_since(access, answer.asked_at, others) else ""
