"""The stable JSON shapes of search, probe and ask, and their text for people."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from rag.actions.asking import Asked
from rag.actions.recording import Decision
from rag.actions.searching import Found
from rag.core.answers import Verdict
from rag.core.hits import Hit
from rag.core.sources import Access
from rag.core.text import visible


def found_json(access: Access, found: Found) -> dict[str, Any]:
    """The part of a search's JSON that comes from what was found."""
    return {
        "as_of": access.as_of.isoformat(),
        "manifest": found.manifest,
        "notice": found.notice,
        "hits": [hit.to_dict() for hit in found.hits],
    }


def asked_json(asked: Asked) -> dict[str, Any]:
    """A recorded answer with its quotations and hits."""
    answer = asked.answer
    return {
        "answer_id": str(answer.id),
        "question": answer.question,
        "as_of": answer.as_of.isoformat(),
        "status": answer.status,
        "answer": answer.text,
        "reason_code": answer.reason_code,
        "reason": answer.reason,
        "proposer": answer.proposer,
        "policy": answer.policy,
        "gate": answer.gate,
        "retrieval_calls": answer.retrieval_calls,
        "chat_calls": answer.chat_calls,
        "manifest": answer.manifest,
        "notice": asked.found.notice,
        "quotes": list(_quotes(asked.verdict, asked.warnings)),
        "facts": list(_facts(asked.verdict, asked.fact_warnings)),
        "hits": [hit.to_dict() for hit in asked.found.hits],
    }


def decision_json(decision: Decision) -> dict[str, Any]:
    """An answer that was not recorded: the fields of ``ask`` that it has."""
    verdict = decision.verdict
    return {
        "status": "accepted" if verdict.accepted else "refused",
        "answer": verdict.text,
        "reason_code": verdict.reason_code,
        "reason": verdict.reason,
        "retrieval_calls": decision.calls.retrieval,
        "chat_calls": decision.calls.chat,
        "quotes": list(_quotes(verdict, decision.warnings)),
        "facts": list(_facts(verdict, decision.fact_warnings)),
    }


def _quotes(verdict: Verdict, warned: Sequence[tuple[str, ...]]) -> Iterator[dict[str, Any]]:
    for quotation, warnings in zip(verdict.quotations, warned, strict=True):
        yield {
            "label": quotation.supplied.label,
            "chunk_id": quotation.supplied.chunk_id,
            "source_id": quotation.supplied.source_id,
            "start_char": quotation.start_char,
            "end_char": quotation.end_char,
            "quote": quotation.quote,
            "warnings": list(warnings),
        }


def _facts(verdict: Verdict, warned: Sequence[tuple[str, ...]]) -> Iterator[dict[str, Any]]:
    for stated, warnings in zip(verdict.facts, warned, strict=True):
        yield asdict(stated.fact) | {"source_id": stated.source_id, "warnings": list(warnings)}


def hit_lines(found: Found) -> Iterator[str]:
    """Hits for a terminal: place, figures, and the beginning of the text on one line."""
    if not found.hits:
        yield "Nothing found among the sources that may be read and were asked for."
    for number, hit in enumerate(found.hits, start=1):
        yield visible(f"{number:3}. [{hit.label}] {hit.title}{_section(hit)}")
        yield f"     {_figures(hit)}  lines {hit.start_line}-{hit.end_line}"
        yield visible(f"     {' '.join(hit.text.split())[:160]}")


def _section(hit: Hit) -> str:
    """The path below the title, which most documents repeat as their first heading."""
    path = f" › {hit.section}" if hit.section else ""
    below = path.removeprefix(f" › {hit.title}")
    return below if below.startswith(" › ") or not below else path


def _figures(hit: Hit) -> str:
    figures = {"cosine": hit.cosine, "lexical": hit.lexical, "rank": hit.rank}
    shown = (f"{name} {value:.4f}" for name, value in figures.items() if value is not None)
    force = "" if hit.in_force else "  not in force"
    return "  ".join(shown) + force
