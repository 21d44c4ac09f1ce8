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
    gate,
    refused_without_excerpts,
)

TEXT = "  Meals cost at most EUR 52.\nHotels cost at most EUR 130.  "
FIRST, SECOND = "Meals cost at most EUR 52.", "Hotels cost at most EUR 130."


def supplied(alias: str = "S1", document: str = "d1", start: int = 100) -> Supplied:
    return Supplied(
        alias=alias, revision=1, chunk_id=f"{document}:0", label=f"{document}#0",
        document_id=document, source_id=document, start_char=start, end_char=start + len(TEXT),
        text=TEXT, context="never quotable context", section="", text_sha256="t",
    )  # fmt: skip


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
