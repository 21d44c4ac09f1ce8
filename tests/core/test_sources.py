"""Identity, windows, succession and the one rule of eligibility."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.errors import InvalidText, InvalidWindow, NotAllowed
from rag.core.sources import (
    Access,
    Governed,
    Selection,
    State,
    Status,
    can_approve,
    check_approvable,
    check_window,
    checked_id,
    checked_scope,
    chunk_id,
    closing_day,
    default_version,
    digest_of,
    document_id,
    is_eligible,
    label,
    own_end,
)

JAN, FEB, MAR = date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1)
LAST_OF_FEB = date(2026, 2, 28)
ASKER = Access("ann", frozenset({"public"}), FEB)
PLAIN = Selection()


def governed(**changes: Any) -> Governed:
    """An approved, current revision in force from January on."""
    values: dict[str, Any] = {"scope": "public", "state": State.APPROVED, "valid_from": JAN}
    return Governed(**values | changes)


# Identity


def test_a_document_id_is_64_hex_digits_of_its_three_parts() -> None:
    first = document_id("a", "1", "body")
    assert len(first) == 64
    others = [
        document_id("b", "1", "body"),
        document_id("a", "2", "body"),
        document_id("a", "1", "b"),
    ]
    assert len({first, *others}) == 4


@pytest.mark.parametrize("name", ["C#-guide", "a,b", "規則", "a/b", "x" * 500])
def test_an_id_may_be_any_printable_line(name: str) -> None:
    assert checked_id(name) == name


@pytest.mark.parametrize(
    "name", ["", "x" * 501, "a\nb", "a\x1bb", "a\x85b", "a\u2028b", "a\u2029b", "a\udce9b"]
)
def test_an_id_that_would_break_a_line_is_refused(name: str) -> None:
    with pytest.raises(InvalidText) as caught:
        checked_id(name)
    assert str(caught.value) == f"The id {name!r} must have 1 to 500 printable characters."


@pytest.mark.parametrize("name", ["hr", "team a", "C#", "規則", "x" * 100])
def test_a_scope_may_be_what_a_list_can_hold(name: str) -> None:
    assert checked_scope(name) == name


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "must have 1 to 100 printable characters"),
        ("x" * 101, "must have 1 to 100 printable characters"),
        ("a\nb", "must have 1 to 100 printable characters"),
        ("a\u2028b", "must have 1 to 100 printable characters"),
        ("a,b", "must have no comma and no blank at its ends"),
        (" hr", "must have no comma and no blank at its ends"),
        ("hr\t", "must have no comma and no blank at its ends"),
        (" ", "must have no comma and no blank at its ends"),
    ],
)
def test_another_scope_is_refused(name: str, reason: str) -> None:
    with pytest.raises(InvalidText) as caught:
        checked_scope(name)
    assert str(caught.value) == f"The scope {name!r} {reason}."


@given(st.lists(st.text(max_size=3), max_size=4), st.lists(st.text(max_size=3), max_size=4))
def test_no_two_lists_of_parts_share_their_digest(left: list[str], right: list[str]) -> None:
    assert (digest_of(*left) == digest_of(*right)) is (left == right)


def test_a_document_without_a_body_has_no_identity() -> None:
    with pytest.raises(InvalidText, match="no text"):
        document_id("a", "1", "")


def test_a_version_follows_from_the_body() -> None:
    assert default_version("a b c") == default_version("a b c") != default_version("a b")
    assert len(default_version("a b c")) == 12


def test_chunks_are_named_by_document_and_by_source() -> None:
    assert chunk_id("0123456789abcdef" + "0" * 48, 3) == "0123456789abcdef:3"
    assert label("hr/leave", 3) == "hr/leave#3"


# Windows


@pytest.mark.parametrize(("start", "end"), [(None, None), (JAN, None), (None, JAN), (JAN, JAN)])
def test_a_window_may_be_open_or_one_day_long(start: date | None, end: date | None) -> None:
    check_window(start, end)


def test_a_reversed_window_is_refused() -> None:
    with pytest.raises(InvalidWindow, match="ends on 2026-01-01 but begins on 2026-02-01"):
        check_window(FEB, JAN)


# Eligibility


@pytest.mark.parametrize(
    ("change", "eligible"),
    [
        ({}, True),
        ({"scope": "hr"}, False),
        ({"state": State.PENDING}, False),
        ({"state": State.WITHDRAWN}, False),
        ({"state": State.ERASED}, False),
        ({"valid_from": FEB}, True),
        ({"valid_from": MAR}, False),
        ({"valid_from": None}, False),
        ({"valid_until": FEB}, True),
        ({"valid_until": JAN}, False),
        ({"canonical": False}, False),
        ({"status": Status.HISTORICAL}, False),
        ({"status": Status.SUPERSEDED}, False),
        ({"status": Status.SUPERSEDED, "valid_until": MAR}, True),
        ({"status": Status.HISTORICAL, "valid_until": MAR}, False),
    ],
)
def test_eligible_is_readable_approved_and_in_force(change: dict[str, Any], eligible: bool) -> None:
    assert is_eligible(governed(**change), ASKER, PLAIN) is eligible


@pytest.mark.parametrize(
    ("selection", "change", "eligible"),
    [
        (Selection(canonical_only=False), {"canonical": False}, True),
        (Selection(product="GX"), {"product": "GX"}, True),
        (Selection(product="GX"), {"product": ""}, False),
        (Selection(filters=frozenset({("team", "x")})), {}, False),
        (
            Selection(filters=frozenset({("team", "x")})),
            {"attributes": frozenset({("team", "x"), ("team", "y")})},
            True,
        ),
        (
            Selection(filters=frozenset({("team", "x"), ("team", "y")})),
            {"attributes": frozenset({("team", "x")})},
            False,
        ),
        (Selection(statuses=frozenset({Status.CURRENT})), {"valid_from": MAR}, False),
        (Selection(statuses=frozenset({Status.CURRENT})), {"status": Status.HISTORICAL}, False),
    ],
)
def test_a_selection_narrows(selection: Selection, change: dict[str, Any], eligible: bool) -> None:
    assert is_eligible(governed(**change), ASKER, selection) is eligible


def test_no_scopes_mean_nothing() -> None:
    assert not is_eligible(governed(), replace(ASKER, scopes=frozenset()), PLAIN)


ARCHIVE = Selection(statuses=frozenset({Status.HISTORICAL, Status.SUPERSEDED}))


@pytest.mark.parametrize("status", [Status.HISTORICAL, Status.SUPERSEDED])
@pytest.mark.parametrize("valid_from", [None, MAR])
def test_the_archive_view_drops_the_window(status: Status, valid_from: date | None) -> None:
    assert ARCHIVE.archive
    assert is_eligible(governed(status=status, valid_from=valid_from), ASKER, ARCHIVE)


@pytest.mark.parametrize(
    "change",
    [{"scope": "hr"}, {"state": State.PENDING}, {"canonical": False}, {"status": Status.CURRENT}],
)
def test_the_archive_view_drops_nothing_else(change: dict[str, Any]) -> None:
    revision = governed(**{"status": Status.HISTORICAL} | change)
    assert not is_eligible(revision, ASKER, ARCHIVE)


def test_asking_for_current_alone_is_no_archive() -> None:
    assert not Selection(statuses=frozenset({Status.CURRENT})).archive


# Succession


@pytest.mark.parametrize(
    ("old", "new", "day"),
    [
        ({}, {"valid_from": MAR}, LAST_OF_FEB),
        ({"valid_until": MAR}, {"valid_from": MAR}, LAST_OF_FEB),
        ({"valid_until": LAST_OF_FEB}, {"valid_from": MAR}, None),
        ({}, {"valid_from": JAN}, date(2025, 12, 31)),
        ({"valid_from": MAR}, {"valid_from": FEB}, None),
        ({}, {"valid_from": MAR, "status": Status.HISTORICAL}, None),
        ({}, {"valid_from": MAR, "status": Status.SUPERSEDED}, None),
        ({"status": Status.HISTORICAL}, {"valid_from": MAR}, None),
        ({"state": State.PENDING}, {"valid_from": MAR}, None),
        ({"state": State.WITHDRAWN}, {"valid_from": MAR}, None),
        ({"valid_from": None}, {"valid_from": MAR}, None),
        ({}, {"valid_from": None}, None),
    ],
)
def test_a_successor_closes_the_day_before(
    old: dict[str, Any], new: dict[str, Any], day: date | None
) -> None:
    assert closing_day(governed(**old), governed(**new)) == day


def test_a_future_successor_leaves_today_s_rule_in_force() -> None:
    old = governed(
        status=Status.SUPERSEDED, valid_until=closing_day(governed(), governed(valid_from=MAR))
    )
    assert is_eligible(old, replace(ASKER, as_of=LAST_OF_FEB), PLAIN)
    assert not is_eligible(old, replace(ASKER, as_of=MAR), PLAIN)


def test_a_rule_replaced_on_its_own_first_day_was_never_in_force() -> None:
    day = closing_day(governed(), governed(valid_from=JAN))
    old = governed(status=Status.SUPERSEDED, valid_until=day)
    assert not any(
        is_eligible(old, replace(ASKER, as_of=asked), PLAIN) for asked in (date(2025, 12, 31), JAN)
    )


@pytest.mark.parametrize(
    ("new", "others", "end"),
    [
        ({}, [], None),
        ({}, [{"valid_from": MAR}], LAST_OF_FEB),
        ({}, [{"valid_from": date(2026, 4, 1)}, {"valid_from": MAR}], LAST_OF_FEB),
        ({"valid_until": JAN}, [{"valid_from": MAR}], JAN),
        ({"valid_from": MAR}, [{"valid_from": FEB}], None),
        ({}, [{"valid_from": MAR, "state": State.PENDING}], None),
        ({}, [{"valid_from": MAR, "status": Status.HISTORICAL}], None),
        ({"status": Status.HISTORICAL}, [{"valid_from": MAR}], None),
    ],
)
def test_a_late_approval_ends_before_the_later_rule(
    new: dict[str, Any], others: list[dict[str, Any]], end: date | None
) -> None:
    assert own_end(governed(**new), [governed(**other) for other in others]) == end


@given(
    st.permutations([{"valid_from": JAN, "valid_until": date(2026, 12, 31)}, {"valid_from": MAR}])
)
def test_the_order_of_approvals_does_not_matter(order: list[dict[str, Any]]) -> None:
    approved: list[Governed] = []
    for window in order:
        new = governed(**window)
        new = replace(new, valid_until=own_end(new, approved))
        ends = [closing_day(old, new) for old in approved]
        approved = [
            replace(old, valid_until=end, status=Status.SUPERSEDED) if end else old
            for old, end in zip(approved, ends, strict=True)
        ] + [new]
    in_april = replace(ASKER, as_of=date(2026, 4, 1))
    assert sum(is_eligible(revision, in_april, PLAIN) for revision in approved) == 1


# Approval


@pytest.mark.parametrize(
    ("state", "indexed", "shown", "reason"),
    [
        (State.APPROVED, True, "x", "only a pending revision"),
        (State.WITHDRAWN, True, "x", "is withdrawn"),
        (State.ERASED, True, "x", "is erased"),
        (State.PENDING, False, "x", r"not indexed yet: the next rebuild"),
        (State.PENDING, True, "y", "not the text that was shown: its SHA-256 is x"),
    ],
)
def test_what_may_not_be_approved(state: State, indexed: bool, shown: str, reason: str) -> None:
    with pytest.raises(NotAllowed, match=reason):
        check_approvable("a version 1", state, indexed, "x", shown)
    assert not can_approve(state, indexed, "x", shown)


def test_a_pending_indexed_revision_may_be_approved() -> None:
    check_approvable("a version 1", State.PENDING, True, "x", "x")
    assert can_approve(State.PENDING, True, "x", "x")
