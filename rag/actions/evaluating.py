"""Evaluate: put cases through the product's own search and ask, and keep the figures."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any, Final

from rag.actions.asking import decide
from rag.actions.governing import today
from rag.actions.profiles import Parts
from rag.actions.recording import Decision, proposer_name
from rag.actions.searching import Found, resolved, search_many
from rag.core.cases import Case, Slice, case_of
from rag.core.errors import InvalidCase
from rag.core.evaluation import CaseFigures, Outcome, figures_of, summary
from rag.core.hits import Hit
from rag.core.retrieval import Mode, Options
from rag.core.sources import Access, Selection
from rag.models import EvaluationRun
from rag.queries.eligibility import access_of_scopes
from rag.queries.evaluations import previous_run
from rag.queries.reading import reading
from rag.queries.relevance import located, relevant_chunks
from rag.queries.snapshots import current_manifest

# Where whole sources are relevant, so many hits a place are asked for: a source has several.
HITS_OF_A_SOURCE: Final = 5
# Cases searched at once, and so between two reports.
MANY: Final = 32
# Hits of a search at least, as when somebody asks: an answer is made of more than ``k`` may be.
ASKED: Final = Options().k


@dataclass(frozen=True)
class Judged:
    """A case with what it brought. ``decision`` is None where no answer was asked for."""

    case: Case
    hits: tuple[Hit, ...]
    decision: Decision | None
    figures: CaseFigures


@dataclass(frozen=True)
class Evaluation:
    """The cases of one mode, judged, and their figures together."""

    options: Options
    judged: tuple[Judged, ...]

    @property
    def figures(self) -> dict[str, Any]:
        return summary([j.figures for j in self.judged], [j.case.case_id for j in self.judged])


def read_cases(text: str) -> list[Case]:
    """The cases of a JSON lines file; one that cannot be read raises ``InvalidCase``."""
    cases = [
        _case(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()
    ]
    seen: set[str] = set()
    for case in cases:
        if case.case_id in seen:
            raise InvalidCase(case.case_id, "case_id", "that of one case alone")
        seen.add(case.case_id)
    return cases


def _case(number: int, line: str) -> Case:
    try:
        entry = json.loads(line)
    except ValueError:
        entry = None
    if not isinstance(entry, dict):
        raise InvalidCase(f"line {number}", "the line", "a JSON object")
    return case_of(entry)


def evaluate(
    cases: Sequence[Case],
    options: Options,
    parts: Parts,
    *,
    answers: bool,
    report: Callable[[int, int], None],
) -> Evaluation:
    """Judge every case by its first ``options.k`` hits and, with ``answers``, by its answer.

    Nothing of it is recorded as an answer. ``report`` gets (done, total).
    """
    judged: list[Judged] = []
    for together in _searched_alike(cases):
        report(len(judged), len(cases))
        judged += _judged(together, options, parts, answers)
    report(len(cases), len(cases))
    return Evaluation(options, tuple(judged))


def _searched_alike(cases: Sequence[Case]) -> Iterator[list[Case]]:
    """The cases in their order, a few at a time that are searched with one access and depth."""

    def alike(case: Case) -> tuple[object, ...]:
        return case.scopes, case.as_of, case.statuses, case.by_source

    for _, group in groupby(cases, alike):
        same = list(group)
        yield from (same[start : start + MANY] for start in range(0, len(same), MANY))


def _judged(
    cases: Sequence[Case], options: Options, parts: Parts, answers: bool
) -> Iterator[Judged]:
    """The cases, which are searched alike, judged in their order."""
    access, selection = access_of_case(cases[0]), Selection(statuses=cases[0].statuses)
    depth = options.k * HITS_OF_A_SOURCE if cases[0].by_source else options.k
    how = replace(options, k=min(max(depth, ASKED), 1000))
    asked = [case.question for case in cases]
    if answers:
        decisions = [decide(question, access, selection, how, parts) for question in asked]
        pairs: list[tuple[Found, Decision | None]] = [(d.found, d) for d in decisions]
    else:
        pairs = [(found, None) for found in search_many(asked, access, selection, how, parts)]
    for case, (found, decision) in zip(cases, pairs, strict=True):
        yield _judged_by(case, found, decision, options.k)


def _judged_by(case: Case, found: Found, decision: Decision | None, k: int) -> Judged:
    access, selection = access_of_case(case), Selection(statuses=case.statuses)
    with reading():
        case = replace(case, relevant=located(case, access, selection))
        chunks = relevant_chunks(case, access, selection)
    outcome = Outcome(
        case=case,
        hits=found.hits,
        out_of_scope=sum(hit.scope not in case.scopes for hit in found.hits),
        relevant_chunks=chunks,
        quotations=_quoted(decision) if decision else None,
        stated=bool(decision and decision.verdict.facts),
    )
    return Judged(case, found.hits, decision, figures_of(outcome, k))


def _quoted(decision: Decision) -> tuple[Slice, ...]:
    versions = {hit.chunk_id: hit.version for hit in decision.found.hits}
    return tuple(
        Slice(q.supplied.source_id, versions[q.supplied.chunk_id], q.start_char, q.end_char)
        for q in decision.verdict.quotations
    )


def access_of_case(case: Case) -> Access:
    """An operator's access to the case's scopes. An unknown one is refused: ``NotFound``."""
    return access_of_scopes(case.scopes, case.as_of or today())


def keep(evaluation: Evaluation, name: str, text: str, parts: Parts) -> EvaluationRun:
    """Store a run: what was asked with what, and the figures; no text of a source or question."""
    options = resolved(evaluation.options, parts)
    answered = any(judged.decision for judged in evaluation.judged)
    return EvaluationRun.objects.create(
        name=name,
        cases_sha256=hashlib.sha256(text.encode()).hexdigest(),
        mode=options.mode.value,
        policy=options.policy.name,
        k=options.k,
        gate=parts.gate.name if answered else "",
        proposer=proposer_name(parts.answering.mode, parts) if answered else "",
        made_with=_made_with(options, parts),
        manifest=current_manifest().digest,
        figures=evaluation.figures,
        outcomes={j.case.case_id: asdict(j.figures) for j in evaluation.judged},
    )


def _made_with(options: Options, parts: Parts) -> dict[str, Any]:
    dense = options.mode is not Mode.LEXICAL
    return {
        "chunking": parts.chunking,
        "analyser": parts.analyser,
        "embedder": parts.embedder.profile.fingerprint if dense else "",
        "min_cosine": options.min_cosine,
    }


def changed(run: EvaluationRun) -> dict[str, str]:
    """How the cases differ whose verdict is not that of the run before of the same cases."""
    before = previous_run(run)
    if before is None:
        return {}
    earlier = before.outcomes
    pairs = {name: (_failed(earlier, name), _failed(run.outcomes, name)) for name in run.outcomes}
    return {
        case_id: "failed before" if was else "fails now"
        for case_id, (was, now) in pairs.items()
        if was != now
    }


def _failed(outcomes: dict[str, Any], case_id: str) -> bool:
    return CaseFigures(**outcomes[case_id]).failed
