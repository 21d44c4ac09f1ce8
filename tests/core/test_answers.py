"""The gate between a proposal and a published answer."""

from dataclasses import replace

import pytest

from rag.core.answers import (
    INVALID,
    NO_EXCERPTS,
    UNSUPPORTED,
    Piece,
    Proposal,
    Supplied,
    Verdict,
    admissible,
    gate,
    refused_without_excerpts,
)
from tests.handmade import excerpt

TEXT = "  Meals cost at most EUR 52.\nHotels cost at most EUR 130.  "
FIRST, SECOND = "Meals cost at most EUR 52.", "Hotels cost at most EUR 130."


def supplied(alias: str = "S1", document: str = "d1", start: int = 100) -> Supplied:
    return excerpt(TEXT, start, document, alias=alias, context="never quotable context")


def judge(*pieces: Piece | None, served: bool = True, can_answer: bool = True) -> Verdict:
    given = [supplied(), supplied("S2", "d2")]
    return gate(Proposal(can_answer, pieces), given, lambda excerpt: served)


def test_a_quotation_is_placed_in_its_source() -> None:
    verdict = judge(Piece("S1", SECOND))
    [quotation] = verdict.quotations
    start = 100 + TEXT.index(SECOND)
    assert (quotation.start_char, quotation.end_char) == (start, start + len(SECOND))
    assert verdict.text == f"[d1#0] {SECOND}"


def test_white_space_around_a_quotation_is_not_published() -> None:
    [quotation] = judge(Piece("S1", f"  {FIRST}\n")).quotations
    assert (quotation.quote, quotation.start_char) == (FIRST, 102)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_up_to_three_pieces_are_published_in_their_order(count: int) -> None:
    pieces = [Piece("S2", SECOND), Piece("S1", FIRST), Piece("S1", SECOND)][:count]
    lines = [f"[d2#0] {SECOND}", f"[d1#0] {FIRST}", f"[d1#0] {SECOND}"][:count]
    assert judge(*pieces).text == "\n".join(lines)


@pytest.mark.parametrize(
    "piece",
    [
        None,
        Piece("S3", FIRST),
        Piece("s1", FIRST),
        Piece("S1", FIRST.lower()),
        Piece("S1", FIRST.replace(" ", "\u00a0", 1)),
        Piece("S1", f"{FIRST} {SECOND}"),
        Piece("S1", "never quotable context"),
        Piece("S1", FIRST[:19]),
        Piece("S1", f" {FIRST[:18]} "),
        Piece("S1", ""),
        Piece("S1", " " * 20),
    ],
)
def test_one_bad_piece_refuses_the_whole_answer(piece: Piece | None) -> None:
    verdict = judge(Piece("S1", SECOND), piece)
    assert (verdict.accepted, verdict.reason_code, verdict.text) == (
        False,
        "invalid_citation",
        INVALID,
    )


def test_a_quotation_of_twenty_characters_is_long_enough() -> None:
    assert judge(Piece("S1", FIRST[:20])).accepted


def test_the_same_quotation_twice_is_refused() -> None:
    assert judge(Piece("S1", FIRST), Piece("S1", f" {FIRST}")).text == INVALID


def test_the_same_words_of_two_documents_are_two_quotations() -> None:
    assert len(judge(Piece("S1", FIRST), Piece("S2", FIRST)).quotations) == 2


def test_the_same_span_through_two_aliases_is_refused() -> None:
    given = [supplied(), replace(supplied(), alias="S2")]
    proposal = Proposal(True, (Piece("S1", FIRST), Piece("S2", FIRST)))
    assert gate(proposal, given, lambda excerpt: True).text == INVALID


def test_what_is_no_longer_served_is_refused() -> None:
    assert judge(Piece("S1", FIRST), served=False).text == INVALID


def test_only_the_excerpts_cited_must_still_be_served() -> None:
    proposal = Proposal(True, (Piece("S2", FIRST),))
    given = [supplied(), supplied("S2", "d2")]
    assert gate(proposal, given, lambda excerpt: excerpt.alias == "S2").accepted


@pytest.mark.parametrize(
    ("pieces", "can_answer"), [((), True), ((Piece("S1", FIRST),) * 4, True), ((), False)]
)
def test_no_answer_is_unsupported(pieces: tuple[Piece, ...], can_answer: bool) -> None:
    verdict = judge(*pieces, can_answer=can_answer)
    assert (verdict.reason_code, verdict.text) == ("unsupported", UNSUPPORTED)


def test_no_proposal_is_unsupported() -> None:
    assert gate(None, [supplied()], lambda excerpt: True).text == UNSUPPORTED


def test_without_excerpts_the_refusal_says_so() -> None:
    verdict = refused_without_excerpts()
    assert (verdict.accepted, verdict.reason_code, verdict.text) == (
        False,
        "no_excerpts",
        NO_EXCERPTS,
    )


# The excerpts of an answer


@pytest.mark.parametrize(
    ("asked", "texts", "kept"),
    [
        ("How is the GX-999 calibrated?", ["The GX-100 is calibrated."], []),
        ("How is the GX-100 calibrated?", ["The gx-100 is calibrated.", "Calibrate."], [0]),
        ("Is C++ or C# used?", ["C++ is used.", "C# is used."], [0, 1]),
        ("Is C++ or C# used?", ["C++ is used.", "C is used."], []),
        ("Is v1.2 out?", ["v1.20 is out.", "v1.2 is out."], [1]),
        ("What is used?", ["C++ is used.", "Nothing."], [0, 1]),
    ],
)
def test_identifiers_must_occur(asked: str, texts: list[str], kept: list[int]) -> None:
    excerpts = [excerpt(text, document=str(at)) for at, text in enumerate(texts)]
    assert admissible(asked, excerpts) == [excerpts[at] for at in kept]


def test_an_identifier_in_the_context_counts() -> None:
    given_ = [excerpt("It is calibrated.", context="GX-100 manual")]
    assert admissible("How is the GX-100 calibrated?", given_) == given_


def test_at_most_three_excerpts() -> None:
    given_ = [excerpt("text", document=str(at)) for at in range(5)]
    assert admissible("question", given_) == given_[:3]


@pytest.mark.parametrize(
    ("start", "document", "kept"), [(5, "d", 2), (4, "d", 1), (0, "d", 1), (0, "other", 2)]
)
def test_no_two_excerpts_overlap_by_more_than_half(start: int, document: str, kept: int) -> None:
    pair = [excerpt("0123456789"), excerpt("x" * 10, start, document)]
    assert len(admissible("question", pair)) == kept


def test_overlap_is_measured_on_the_shorter_excerpt() -> None:
    pair = [excerpt("x" * 100), excerpt("x" * 10, 20)]
    assert admissible("question", pair) == pair[:1]
