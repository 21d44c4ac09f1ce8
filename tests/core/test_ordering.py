"""The best of many equals a sort of all."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rag.core.ordering import best

FEW = st.sampled_from([0.0, -0.0, 0.25, 0.5, 1.0, -1.0])


@given(st.lists(FEW, max_size=60), st.integers(-1, 70), st.randoms())
def test_the_best_are_the_first_of_all_sorted(scores: list[float], k: int, rng: object) -> None:
    ties = list(range(len(scores)))
    rng.shuffle(ties)  # type: ignore[attr-defined]
    slow = sorted(range(len(scores)), key=lambda at: (-scores[at], ties[at]))[: max(k, 0)]
    found = best(np.array(scores, dtype=np.float64), np.array(ties, dtype=np.int64), k)
    assert found.tolist() == slow
