"""The gate between a proposal and a published answer, and the grounded-claims form of one.

A proposer only suggests which passages answer; what is published is decided here, and consists
of slices of approved revisions and nothing else.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from rag.core.errors import (
    CitationError,
    DuplicateCitation,
    InexactQuotation,
    MissingCitation,
    ProviderError,
    UnknownCitation,
)
from rag.core.facts import StatedFact
from rag.core.hits import Hit
from rag.core.lexical import identifiers

NO_EXCERPTS: Final = "Insufficient evidence: no admissible retrieved excerpts."
UNSUPPORTED: Final = "Insufficient evidence: no supported answer."
INVALID: Final = "Insufficient evidence: invalid citation or quotation."
TOO_LONG: Final = "Insufficient evidence: no whole excerpt fits (context_budget_exceeded)."

CONSIDERED: Final = 5
OTHER_SOURCES: Final = 3
MAX_EXCERPTS: Final = 3
MAX_PIECES: Final = 3
MIN_QUOTE: Final = 20


def considered(hits: Sequence[Hit]) -> list[Hit]:
    """The hits that an answer may be made of: the best, and the best of other sources behind them.

    A long source that fills the first places must not hide one that says something else.
    """
    first = list(hits[:CONSIDERED])
    others: dict[str, Hit] = {}
    for hit in hits[CONSIDERED:]:
        others.setdefault(hit.source_id, hit)
    fresh = [hit for source, hit in others.items() if source not in {h.source_id for h in first}]
    return first + fresh[:OTHER_SOURCES]


@dataclass(frozen=True)
class Supplied:
    """An excerpt as the proposer is given it; offsets are those of the revision's text."""

    alias: str
    revision: int
    chunk_id: str
    label: str
    document_id: str
    source_id: str
    start_char: int
    end_char: int
    text: str
    context: str
    section: str
    text_sha256: str
    relevance: float = 0.0  # how well the whole excerpt fits, on the proposer's own scale


def admissible(
    question: str, excerpts: Sequence[Supplied], known: frozenset[str] = frozenset()
) -> list[Supplied]:
    """The excerpts that an answer may use, best first; empty means: refuse.

    At most three, no two overlapping by more than half of the shorter one; the question's
    identifiers must all occur across them, or be ``known`` from product facts, and at least one
    of them in each (context included).
    """
    wanted = identifiers(question)
    kept: list[Supplied] = []
    for excerpt in excerpts:
        if wanted and not wanted & _identifiers(excerpt):
            continue
        if len(kept) < MAX_EXCERPTS and not any(_overlapping(excerpt, other) for other in kept):
            kept.append(excerpt)
    return kept if covers(question, kept, known) else []


def covers(
    question: str, excerpts: Sequence[Supplied], known: frozenset[str] = frozenset()
) -> bool:
    """Whether every identifier of the question is known or occurs in an excerpt or its context."""
    found = frozenset[str]().union(*(_identifiers(excerpt) for excerpt in excerpts))
    return identifiers(question) <= found | known


def _identifiers(excerpt: Supplied) -> frozenset[str]:
    return identifiers(excerpt.text) | identifiers(excerpt.context)


def _overlapping(left: Supplied, right: Supplied) -> bool:
    if left.document_id != right.document_id:
        return False
    shared = min(left.end_char, right.end_char) - max(left.start_char, right.start_char)
    shorter = min(left.end_char - left.start_char, right.end_char - right.start_char)
    return shared * 2 > shorter


@dataclass(frozen=True)
class Piece:
    """One proposed quotation from one excerpt."""

    alias: str
    quote: str


@dataclass(frozen=True)
class Proposal:
    """What a proposer suggests. A piece that could not be read is None.

    ``score`` is that of the best piece, on the proposer's scale; None where it gives none.
    """

    can_answer: bool
    pieces: tuple[Piece | None, ...]
    score: float | None = field(default=None, compare=False)


@dataclass(frozen=True)
class Quotation:
    """A verified quotation: ``revision.text[start_char:end_char] == quote``."""

    supplied: Supplied
    start_char: int
    end_char: int
    quote: str


@dataclass(frozen=True)
class Verdict:
    """Accepted with product facts or quotations, or refused with a code for machines and a
    sentence for people.

    ``fault`` names what was wrong with the proposal, for who proposed it; it is never published.
    """

    quotations: tuple[Quotation, ...] = ()
    reason_code: str = ""
    reason: str = ""
    fault: str = ""
    facts: tuple[StatedFact, ...] = ()

    @property
    def accepted(self) -> bool:
        return bool(self.quotations or self.facts)

    @property
    def text(self) -> str:
        """The published text: facts and ``[label] quotation``, a line each; or the refusal."""
        quotes = (f"[{piece.supplied.label}] {piece.quote}" for piece in self.quotations)
        lines = [*(fact.line for fact in self.facts), *quotes]
        return "\n".join(lines) if self.accepted else self.reason


def refused_without_excerpts() -> Verdict:
    """No hit passed the gates; no proposer is asked."""
    return Verdict(reason_code="no_excerpts", reason=NO_EXCERPTS)


def refused_for_length() -> Verdict:
    """No whole excerpt fits into the context of a chat model; it is not asked."""
    return Verdict(reason_code="context_budget_exceeded", reason=TOO_LONG)


def refused_for_failure(error: ProviderError) -> Verdict:
    """The model was asked and its provider failed.

    The record names provider and operation. The cause is in the error itself and in the log: its
    words may be the server's, who was sent the excerpts, and a record outlives an erased text.
    """
    failed = f"No answer: {error.provider} failed ({error.operation})."
    return Verdict(reason_code=error.code, reason=failed)


@dataclass(frozen=True)
class Claim:
    """A statement and the ids of the passages that it rests on."""

    text: str
    citations: tuple[str, ...]


@dataclass(frozen=True)
class GroundedAnswer:
    """Claims, and the text of each passage that any of them cites."""

    claims: tuple[Claim, ...]
    evidence: Mapping[str, str]


def build_grounded_answer(claims: Sequence[Claim], hits: Mapping[str, str]) -> GroundedAnswer:
    """Check the claims' citations against ``hits`` (id → text).

    Raises ``MissingCitation``, ``DuplicateCitation`` or ``UnknownCitation``.
    """
    for claim in claims:
        _check_citations(claim, hits)
    cited = (identifier for claim in claims for identifier in claim.citations)
    return GroundedAnswer(tuple(claims), {identifier: hits[identifier] for identifier in cited})


def _check_citations(claim: Claim, hits: Mapping[str, str]) -> None:
    if not claim.citations:
        raise MissingCitation
    for at, identifier in enumerate(claim.citations):
        if identifier in claim.citations[:at]:
            raise DuplicateCitation(identifier)
        if identifier not in hits:
            raise UnknownCitation(identifier)


def with_facts(verdict: Verdict, facts: Sequence[StatedFact], stand: bool) -> Verdict:
    """The verdict with the product facts that the question asks for, which may stand alone.

    They are found by code, so a proposal that was refused takes its quotations away and not
    them. ``stand``: each is eligible now and equals the stored value; else all is refused.
    """
    if not facts:
        return verdict
    if not stand:
        return Verdict(reason_code="invalid_citation", reason=INVALID, fault="It is not served.")
    return replace(verdict, facts=tuple(facts), reason_code="", reason="")


def gate(
    proposal: Proposal | None,
    supplied: Sequence[Supplied],
    still_served: Callable[[Supplied], bool],
) -> Verdict:
    """Accept or refuse a proposal: the only way to a published answer.

    ``still_served`` says whether an excerpt's revision is eligible now with the text retrieved.
    """
    if proposal is None or not proposal.can_answer or not 1 <= len(proposal.pieces) <= MAX_PIECES:
        return Verdict(reason_code="unsupported", reason=UNSUPPORTED, fault=_nothing(proposal))
    try:
        quotations = _quotations(proposal.pieces, {each.alias: each for each in supplied})
    except CitationError as error:
        return Verdict(reason_code="invalid_citation", reason=INVALID, fault=str(error))
    if not all(still_served(quotation.supplied) for quotation in quotations):
        return Verdict(reason_code="invalid_citation", reason=INVALID, fault="It is not served.")
    return Verdict(quotations=quotations)


def _nothing(proposal: Proposal | None) -> str:
    """Why a proposal proposes nothing."""
    if proposal is None:
        return "There is no proposal."
    if not proposal.can_answer:
        return "It says that it cannot answer."
    return f"It has {len(proposal.pieces)} quotations; 1 to {MAX_PIECES} are needed."


def _quotations(
    pieces: Sequence[Piece | None], by_alias: Mapping[str, Supplied]
) -> tuple[Quotation, ...]:
    """The pieces as slices. Raises CitationError if anything about one is not exactly so.

    Each quotation is a claim that rests on the excerpts it names.
    """
    read = [piece for piece in pieces if piece is not None]
    if len(read) < len(pieces):
        raise MissingCitation
    aliases = {
        piece.quote: tuple(p.alias for p in read if p.quote == piece.quote) for piece in read
    }
    claims = [Claim(quote, cited) for quote, cited in aliases.items()]
    build_grounded_answer(claims, {alias: each.text for alias, each in by_alias.items()})
    quotations = tuple(_slice(piece, by_alias[piece.alias]) for piece in read)
    spans = {(q.supplied.document_id, q.start_char, q.end_char) for q in quotations}
    if len(spans) < len(quotations):
        raise DuplicateCitation(read[-1].alias)
    return quotations


def _slice(piece: Piece, excerpt: Supplied) -> Quotation:
    """Where the excerpt has exactly these characters, or InexactQuotation."""
    quote = piece.quote.strip()
    if len(quote) < MIN_QUOTE:
        raise InexactQuotation(piece.alias, f"shorter than {MIN_QUOTE} characters")
    at = excerpt.text.find(piece.quote)
    if at < 0:
        raise InexactQuotation(piece.alias, "not in its text, character for character")
    start = excerpt.start_char + at + piece.quote.index(quote)
    return Quotation(excerpt, start, start + len(quote), quote)
