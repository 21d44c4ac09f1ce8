"""Windows of one source: whoever is approved first, the days come out the same."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import combinations, permutations, product

import pytest

from rag.core.sources import (
    Access,
    Governed,
    Selection,
    State,
    Status,
    closing_day,
    is_eligible,
    own_end,
)

STARTS = (date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1), date(2026, 5, 1))
DAYS = [date(2025, 12, 25) + timedelta(days=number) for number in range(200)]
PLAIN = Selection()
CURRENT = Selection(statuses=frozenset({Status.CURRENT}))
Window = tuple[date, date | None]


def approved_in_order(windows: Sequence[Window]) -> list[Governed]:
    """The revisions of one source after their approval one by one, as ``approve`` does it."""
    approved: list[Governed] = []
    for start, end in windows:
        new = Governed("public", State.APPROVED, valid_from=start, valid_until=end)
        new = replace(new, valid_until=own_end(new, approved))
        ends = [closing_day(old, new) for old in approved]
        approved = [
            replace(old, valid_until=end, status=Status.SUPERSEDED) if end else old
            for old, end in zip(approved, ends, strict=True)
        ]
        approved.append(new)
    return approved


def windows_of(revisions: Iterable[Governed]) -> set[tuple[date | None, date | None]]:
    return {(revision.valid_from, revision.valid_until) for revision in revisions}


def in_force(revisions: Iterable[Governed], day: date, selection: Selection = PLAIN) -> int:
    access = Access("ann", frozenset({"public"}), day)
    return sum(is_eligible(revision, access, selection) for revision in revisions)


def windows_with_ends(count: int) -> list[tuple[Window, ...]]:
    """Every choice of ``count`` starts, each open, ending within ten days or in December."""
    return [
        tuple(zip(starts, ends, strict=True))
        for starts in combinations(STARTS, count)
        for ends in product(
            *((None, start + timedelta(days=10), date(2026, 12, 31)) for start in starts)
        )
    ]


@pytest.mark.parametrize("count", [2, 3, 4])
def test_the_windows_do_not_depend_on_the_order_of_approvals(count: int) -> None:
    for windows in windows_with_ends(count):
        results = {
            frozenset(windows_of(approved_in_order(order))) for order in permutations(windows)
        }
        assert len(results) == 1, windows


@pytest.mark.parametrize("windows", windows_with_ends(3)[::7] + windows_with_ends(4)[::9])
def test_no_two_revisions_are_in_force_on_one_day(windows: tuple[Window, ...]) -> None:
    results = {frozenset(approved_in_order(order)) for order in permutations(windows)}
    counts = {tuple(in_force(revisions, day) for day in DAYS) for revisions in results}
    [days] = counts
    assert set(days) <= {0, 1}


def test_open_windows_leave_no_day_without_a_rule() -> None:
    for order in permutations([(start, None) for start in STARTS]):
        revisions = approved_in_order(order)
        assert windows_of(revisions) == {
            (date(2026, 1, 1), date(2026, 1, 31)),
            (date(2026, 2, 1), date(2026, 2, 28)),
            (date(2026, 3, 1), date(2026, 4, 30)),
            (date(2026, 5, 1), None),
        }
        assert all(in_force(revisions, day) == (day >= STARTS[0]) for day in DAYS)


def test_an_end_of_its_own_stays_where_it_comes_first() -> None:
    ended = (STARTS[1], date(2026, 2, 10))
    for order in permutations([(STARTS[0], None), ended, (STARTS[2], date(2026, 12, 31))]):
        revisions = approved_in_order(order)
        assert ended in windows_of(revisions)
        assert [in_force(revisions, date(2026, 2, day)) for day in (1, 10, 11, 28)] == [1, 1, 0, 0]


def test_current_alone_is_what_is_in_force_in_every_order() -> None:
    for order in permutations([(start, None) for start in STARTS]):
        revisions = approved_in_order(order)
        for day in DAYS:
            assert in_force(revisions, day, CURRENT) == in_force(revisions, day)
