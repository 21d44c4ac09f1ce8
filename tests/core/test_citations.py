"""What a person sees of a recorded citation, and the sentences around it."""

import hashlib
from datetime import date
from itertools import product
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.citations import (
    Sight,
    exceptions_after,
    is_intact,
    sight,
    table_head,
    whole_sentences,
)
from rag.core.sources import Access, Governed, State, is_readable

ASKER: Final = Access("ann", frozenset({"public"}), date(2026, 2, 1))
CASES: Final = list(product(("public", "hr"), State, (False, True), (False, True)))
GOVERNED = st.builds(
    Governed,
    scope=st.sampled_from(["public", "hr", ""]),
    state=st.sampled_from(State),
    valid_from=st.none() | st.dates(),
    valid_until=st.none() | st.dates(),
    canonical=st.booleans(),
)
ACCESSES = st.builds(
    Access, st.just("ann"), st.frozensets(st.sampled_from(["public", "hr"])), st.dates()
)
TEXT: Final = (
    "# Travel\n\nTravel costs are refunded within thirty days. However, not below 15 euros. "
    "Unless a manager agrees. The rest is paid."
)
RULE: Final = "Travel costs are refunded within thirty days."


# Who sees what


def expected(scope: str, state: State, reviews: bool, intact: bool) -> Sight:
    """The same rule as a list of questions, asked one after the other."""
    if scope != "public":
        return Sight.NOT_AVAILABLE
    if state == "erased":
        return Sight.ERASED
    if state == "approved":
        return Sight.SHOWN if intact else Sight.ALTERED
    if not reviews:
        return Sight.WITHDRAWN
    return Sight.MARKED if intact else Sight.ALTERED


@pytest.mark.parametrize(("scope", "state", "reviews", "intact"), CASES)
def test_every_case_of_the_rule(scope: str, state: State, reviews: bool, intact: bool) -> None:
    seen = sight(Governed(scope=scope, state=state), ASKER, reviews, intact)
    assert seen is expected(scope, state, reviews, intact)


@given(GOVERNED, ACCESSES, st.booleans(), st.booleans())
def test_text_is_shown_exactly_to_who_may_open_it(
    revision: Governed, access: Access, reviews: bool, intact: bool
) -> None:
    seen = sight(revision, access, reviews, intact)
    assert seen.shows_text == (is_readable(revision, access, reviews) and intact)
    assert seen.opens_source == is_readable(revision, access, reviews)


@given(GOVERNED, GOVERNED, ACCESSES, st.booleans(), st.booleans(), st.booleans(), st.booleans())
def test_who_lost_the_scope_cannot_tell_what_happened(
    one: Governed, other: Governed, access: Access, r1: bool, r2: bool, i1: bool, i2: bool
) -> None:
    nobody = Access(access.user, access.scopes - {one.scope, other.scope}, access.as_of)
    assert sight(one, nobody, r1, i1) is sight(other, nobody, r2, i2) is Sight.NOT_AVAILABLE


@given(GOVERNED, ACCESSES, st.booleans())
def test_reviewing_and_an_intact_text_never_show_less(
    revision: Governed, access: Access, flag: bool
) -> None:
    assert sight(revision, access, True, flag).shows_text >= (
        sight(revision, access, False, flag).shows_text
    )
    assert sight(revision, access, flag, True).shows_text >= (
        sight(revision, access, flag, False).shows_text
    )


# Still the slice that was recorded


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_recorded_slice_is_intact() -> None:
    start = TEXT.index(RULE)
    assert is_intact(TEXT, start, start + len(RULE), RULE, sha256(RULE))


@pytest.mark.parametrize(
    ("text", "shift", "quote", "digest"),
    [
        (TEXT.replace("thirty", "thirsy"), 0, RULE, sha256(RULE)),
        (TEXT, 1, RULE, sha256(RULE)),
        ("", 0, RULE, sha256(RULE)),
        (TEXT, 0, RULE, sha256("other")),
        (TEXT, 0, "", sha256("")),
    ],
    ids=["text altered", "moved", "text gone", "digest differs", "quotation gone"],
)
def test_what_differs_is_not_intact(text: str, shift: int, quote: str, digest: str) -> None:
    start = TEXT.index(RULE) + shift
    assert not is_intact(text, start, start + len(RULE), quote, digest)


# Sentences around it


def slice_of(text: str, span: tuple[int, int] | None) -> str | None:
    return None if span is None else text[slice(*span)]


def test_exceptions_that_follow_are_found_up_to_the_next_rule() -> None:
    found = exceptions_after(TEXT, TEXT.index(RULE) + len(RULE))
    assert slice_of(TEXT, found) == "However, not below 15 euros. Unless a manager agrees."


def test_without_an_exception_there_is_none() -> None:
    assert exceptions_after(TEXT, TEXT.index("Unless a manager agrees.") + 24) is None
    assert exceptions_after(TEXT, len(TEXT)) is None


def test_an_exception_that_is_longer_than_the_window_is_given_whole() -> None:
    long = "However, " + "and so on, " * 300 + "that is all."
    found = exceptions_after(f"A rule. {long} More.", len("A rule."))
    assert slice_of(f"A rule. {long} More.", found) == long


@pytest.mark.parametrize(
    ("cut", "whole"),
    [
        ("refunded within", RULE),
        (RULE, RULE),
        ("thirty days. However, not", f"{RULE} However, not below 15 euros."),
        ("The rest is paid.", "The rest is paid."),
    ],
)
def test_a_cut_sentence_is_made_whole(cut: str, whole: str) -> None:
    start = TEXT.index(cut)
    assert slice_of(TEXT, whole_sentences(TEXT, start, start + len(cut))) == whole


@given(st.text("ab. \n#-", max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_whole_sentences_hold_what_they_were_made_from(text: str, one: int, two: int) -> None:
    start, end = sorted((min(one, len(text)), min(two, len(text))))
    first, last = whole_sentences(text, start, end)
    assert 0 <= first <= start <= end <= last <= len(text)


TABLE: Final = (
    "Limits:\n\n| Place | Limit |\n|---|---|\n| Graz | 130 |\n| Wien | 160 |\n\nText | more."
)


@pytest.mark.parametrize(
    ("quote", "head"),
    [
        ("| Graz | 130 |", "| Place | Limit |"),
        ("| Wien | 160 |", "| Place | Limit |"),
        ("160", "| Place | Limit |"),
        ("| Place | Limit |", None),
        ("Text | more.", None),
        ("Limits:", None),
    ],
)
def test_a_row_knows_its_columns(quote: str, head: str | None) -> None:
    assert slice_of(TABLE, table_head(TABLE, TABLE.index(quote))) == head


@given(st.text("|-ab \n", max_size=60), st.integers(0, 60))
def test_a_head_is_one_line_above_the_row(text: str, at: int) -> None:
    head = slice_of(text, table_head(text, min(at, len(text))))
    assert head is None or ("\n" not in head and head in text[:at])
