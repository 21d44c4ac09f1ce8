"""Contestants timed side by side: each question goes to all of them in turn."""

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Contestant = Callable[[Any], object]


def one_thread() -> None:
    """One thread for all libraries that read this as they start: call it before numpy is there."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"


def in_turns(contestants: Mapping[str, Contestant], questions: Sequence[Any]) -> dict[str, Any]:
    """Milliseconds of each contestant: the first question apart (cold), the others' median and p95.

    Questions are distinct. ``times_ours`` is the median of the ratios to the contestant ``ours``
    on the same question, so that whatever else the machine does meets both.
    """
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for question in questions:
        for name, answer in contestants.items():
            started = time.perf_counter()
            answer(question)
            taken[name].append((time.perf_counter() - started) * 1000)
    return {name: _figures(times, taken["ours"]) for name, times in taken.items()}


def _figures(times: Sequence[float], ours: Sequence[float]) -> dict[str, float]:
    warm = times[1:]
    ratios = [time / own for time, own in zip(warm, ours[1:], strict=True)]
    return {
        "cold": round(times[0], 2),
        "median": round(statistics.median(warm), 2),
        "p95": round(statistics.quantiles(warm, n=20)[-1], 2),
        "times_ours": round(statistics.median(ratios), 2),
    }
