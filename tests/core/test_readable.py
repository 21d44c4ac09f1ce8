"""What may be opened, and what a person is told of a revision's place on a day."""

from datetime import date
from itertools import product
from typing import Any

import pytest

from rag.core.sources import (
    Access,
    Governed,
    Standing,
    State,
    Status,
    is_readable,
    standing,
)

JAN, FEB, MAR = date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1)
ANN = Access("ann", frozenset({"public"}), FEB)
ON_RECORD = {State.PENDING, State.REJECTED, State.WITHDRAWN}


def governed(**changes: Any) -> Governed:
    """An approved, current revision in force from January on."""
    values: dict[str, Any] = {"scope": "public", "state": State.APPROVED, "valid_from": JAN}
    return Governed(**values | changes)


# Reading


@pytest.mark.parametrize("state", State)
def test_members_open_what_is_approved_and_nothing_else(state: State) -> None:
    assert is_readable(governed(state=state), ANN, reviews=False) == (state is State.APPROVED)


@pytest.mark.parametrize("state", State)
def test_who_reviews_opens_what_is_on_record_too(state: State) -> None:
    expected = state is State.APPROVED or state in ON_RECORD
    assert is_readable(governed(state=state), ANN, reviews=True) == expected


@pytest.mark.parametrize(("state", "reviews"), [*product(State, (False, True))])
def test_nobody_opens_what_lies_outside_the_own_scopes(state: State, reviews: bool) -> None:
    assert not is_readable(governed(state=state, scope="hr"), ANN, reviews)
    nobody = Access("ann", frozenset(), FEB)
    assert not is_readable(governed(state=state), nobody, reviews)


@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("window", [(None, None), (JAN, JAN), (MAR, None), (None, JAN)])
def test_an_approved_text_is_opened_in_force_or_not(
    status: Status, window: tuple[date | None, date | None]
) -> None:
    revision = governed(status=status, valid_from=window[0], valid_until=window[1])
    assert is_readable(revision, ANN, reviews=False)


def test_a_copy_is_opened_like_the_canonical_text() -> None:
    assert is_readable(governed(canonical=False), ANN, reviews=False)


# Standing


@pytest.mark.parametrize(
    ("status", "start", "end", "expected"),
    [
        (Status.CURRENT, JAN, None, Standing.IN_FORCE),
        (Status.CURRENT, FEB, None, Standing.IN_FORCE),
        (Status.CURRENT, JAN, FEB, Standing.IN_FORCE),
        (Status.CURRENT, FEB, FEB, Standing.IN_FORCE),
        (Status.CURRENT, MAR, None, Standing.NOT_YET),
        (Status.CURRENT, MAR, MAR, Standing.NOT_YET),
        (Status.CURRENT, None, None, Standing.NOT_YET),
        (Status.CURRENT, JAN, date(2026, 1, 31), Standing.EXPIRED),
        (Status.SUPERSEDED, JAN, FEB, Standing.IN_FORCE),
        (Status.SUPERSEDED, MAR, MAR, Standing.NOT_YET),
        (Status.SUPERSEDED, JAN, date(2026, 1, 31), Standing.SUPERSEDED),
        (Status.SUPERSEDED, JAN, None, Standing.SUPERSEDED),
        (Status.SUPERSEDED, MAR, None, Standing.SUPERSEDED),
        (Status.HISTORICAL, JAN, None, Standing.HISTORICAL),
        (Status.HISTORICAL, JAN, FEB, Standing.HISTORICAL),
        (Status.HISTORICAL, MAR, None, Standing.HISTORICAL),
    ],
)
def test_the_window_decides_where_an_approved_text_stands(
    status: Status, start: date | None, end: date | None, expected: Standing
) -> None:
    revision = governed(status=status, valid_from=start, valid_until=end)
    assert standing(revision, FEB) is expected


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        (State.PENDING, Standing.PENDING),
        (State.REJECTED, Standing.REJECTED),
        (State.WITHDRAWN, Standing.WITHDRAWN),
        (State.ERASED, Standing.ERASED),
    ],
)
@pytest.mark.parametrize("status", Status)
@pytest.mark.parametrize("start", [None, JAN, MAR])
def test_what_is_not_approved_stands_nowhere_else(
    state: State, expected: Standing, status: Status, start: date | None
) -> None:
    revision = governed(state=state, status=status, valid_from=start)
    assert standing(revision, FEB) is expected


@pytest.mark.parametrize("day", [JAN, FEB, MAR])
def test_the_day_moves_a_window_through_its_standings(day: date) -> None:
    expected = {JAN: Standing.NOT_YET, FEB: Standing.IN_FORCE, MAR: Standing.EXPIRED}
    assert standing(governed(valid_from=FEB, valid_until=date(2026, 2, 28)), day) is expected[day]
