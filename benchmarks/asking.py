"""Measures one ask, and the search in it, on a site that stands, by its cases' questions.

    .venv/bin/python -m benchmarks.asking SITE CASES.jsonl [--questions 40]

SITE is an EVIDENCE_HOME, for example that of the handbooks which `python -m benchmarks.evaluation
--homes FOLDER --sets handbooks` builds. Each question is asked once, in one process; nothing is
recorded. Prints JSON: milliseconds (the first question apart, then median and p95) of the search,
of judging excerpts and sentences, and of the whole, and how many texts the cross-encoder read.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from benchmarks.serving import ready

Times = dict[str, list[float]]


def taken(times: Times, name: str, act: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which notes how long it takes."""

    def timed(*arguments: Any, **named: Any) -> Any:
        started = time.perf_counter()
        try:
            return act(*arguments, **named)
        finally:
            times.setdefault(name, []).append((time.perf_counter() - started) * 1000)

    return timed


def measure(cases: Path, count: int) -> dict[str, Any]:
    from rag.actions import proposing
    from rag.actions.asking import decide
    from rag.actions.evaluating import access_of_case, read_cases
    from rag.actions.profiles import configured
    from rag.actions.searching import search
    from rag.core.retrieval import Options
    from rag.core.sources import Selection

    parts, times, read = configured(), Times(), list[int]()
    judge = parts.scorer.score

    def score(question: str, passages: Sequence[str]) -> Any:
        read.append(len(passages))
        return judge(question, passages)

    scorer = replace(parts.scorer, score=taken(times, "judging", score))
    parts.__dict__["proposer"] = replace(parts.proposer, scorer=scorer)
    searching = patch.object(proposing, "search", taken(times, "search", search))
    whole, texts = taken(times, "ask", decide), list[int]()
    for case in read_cases(cases.read_text())[: count + 1]:
        before = len(times.get("judging", [])), len(read)
        with searching:
            whole(case.question, access_of_case(case), Selection(), Options(), parts)
        times["judging"] = [*times["judging"][: before[0]], sum(times["judging"][before[0] :])]
        texts.append(sum(read[before[1] :]))
    return {name: figures(each) for name, each in times.items()} | {
        "texts judged": {"median": statistics.median(texts), "most": max(texts)},
        "questions": len(texts),
    }


def figures(times: Sequence[float]) -> dict[str, float]:
    warm = times[1:]
    found = {"cold": times[0], "median": statistics.median(warm)}
    found["p95"] = statistics.quantiles(warm, n=20)[-1]
    return {name: round(value, 1) for name, value in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("cases", type=Path)
    parser.add_argument("--questions", type=int, default=40)
    options = parser.parse_args()
    ready(options.site)
    print(json.dumps(measure(options.cases, options.questions), indent=1))


if __name__ == "__main__":
    main()
