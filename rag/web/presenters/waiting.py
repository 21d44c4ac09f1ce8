"""A question without an answer as its page shows it: how it stands, and what was retrieved."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from types import MappingProxyType
from typing import Final

from rag.models import PendingAnswer
from rag.queries.refusals import Near
from rag.queries.waiting import INTERRUPTED, state_now
from rag.web.presenters.history import PENDING_CHIPS
from rag.web.presenters.refusals import near_result
from rag.web.presenters.results import Result
from rag.web.presenters.runs import moment
from rag.web.presenters.standings import Chip, day_words

_State = PendingAnswer.State
_LEADS: Final = MappingProxyType(
    {
        _State.RUNNING: "The model is reading what was found",
        _State.CANCELLED: "You cancelled this question",
        _State.FAILED: "This question could not be answered",
        INTERRUPTED: "This question was interrupted",
    }
)
_SENTENCES: Final = MappingProxyType(
    {
        _State.RUNNING: "What it proposes is shown only where it stands word for word in a source. "
        "You may close this page: the answer will be here and in your questions.",
        _State.CANCELLED: "Whatever the model still says is neither shown nor kept.",
        _State.FAILED: "The fault is the site’s and stands in its log.",
        INTERRUPTED: "The site was stopped while the model was reading.",
    }
)


@dataclass(frozen=True)
class Waiting:
    """The middle of the page. ``live``: an answer may still come. ``digest``: of what it shows."""

    live: bool
    chip: Chip
    summary: str
    lead: str
    sentence: str
    excerpts: tuple[Result, ...]
    digest: str


def waiting(pending: PendingAnswer, found: Sequence[Near], today: date, now: datetime) -> Waiting:
    """The question with the excerpts that the person may still be shown."""
    state = state_now(pending, now)
    excerpts = tuple(near_result(pending.question, each, (), today) for each in found)
    shown = repr((state, excerpts)).encode()
    asked = moment(pending.asked_at, now)
    return Waiting(
        live=state == _State.RUNNING,
        chip=PENDING_CHIPS[state],
        summary=f"In force on {day_words(pending.as_of)} · asked {asked}",
        lead=_LEADS[state],
        sentence=_SENTENCES[state],
        excerpts=excerpts,
        digest=hashlib.sha256(shown).hexdigest()[:16],
    )
