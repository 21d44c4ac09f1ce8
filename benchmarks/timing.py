"""Contestants timed side by side: they take turns of a few questions each."""

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

Contestant = Callable[[Any], object]

TURN: Final = 10


def one_thread() -> None:
    """One thread for all libraries that read this as they start: call it before numpy is there."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"


def in_turns(contestants: Mapping[str, Contestant], questions: Sequence[Any]) -> dict[str, Any]:
    """Milliseconds of each contestant: the first question apart (cold), the others' median and p95.

    Questions are distinct. ``times_ours`` is the median of the ratios to the contestant ``ours``
    on the same question; turns are short, so that whatever else the machine does meets all. The
    first question of a turn is asked twice and counted once: what the one before left in the
    processor's caches is nobody's.
    """
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for first in range(0, len(questions), TURN):
        turn = questions[first : first + TURN]
        for name, answer in contestants.items():
            if first:
                answer(turn[0])
            taken[name] += [_milliseconds(answer, question) for question in turn]
    return {name: _figures(times, taken["ours"]) for name, times in taken.items()}


def _milliseconds(answer: Contestant, question: Any) -> float:
    started = time.perf_counter()
    answer(question)
    return (time.perf_counter() - started) * 1000


def _figures(times: Sequence[float], ours: Sequence[float]) -> dict[str, float]:
    warm = times[1:]
    ratios = [time / own for time, own in zip(warm, ours[1:], strict=True)]
    return {
        "cold": round(times[0], 2),
        "median": round(statistics.median(warm), 2),
        "p95": round(statistics.quantiles(warm, n=20)[-1], 2),
        "times_ours": round(statistics.median(ratios), 2),
    }
