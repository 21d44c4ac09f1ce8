"""Named policies, reciprocal rank fusion and scaling."""

from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.errors import InvalidOption
from rag.core.policies import POLICIES, RRF, WEIGHTED, policy, reciprocal_rank_fusion, scaled


@pytest.mark.parametrize("name", POLICIES)
def test_a_policy_is_found_by_its_name(name: str) -> None:
    assert policy(name).name == name


def test_an_unknown_policy_is_told_the_known_ones() -> None:
    with pytest.raises(InvalidOption, match=r"'best' is not usable: known are w.*, rrf-60-v1"):
        policy("best")


def test_a_policy_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        RRF.rank_constant = 1  # type: ignore[misc]


def test_the_reference_policy_is_uncut_and_needs_both() -> None:
    assert (RRF.depth, RRF.figure, RRF.rank_constant, RRF.needs_both) == (
        None,
        "overlap",
        60,
        True,
    )
    assert not WEIGHTED.needs_both


@given(st.lists(st.permutations(range(6)), min_size=1, max_size=3))
def test_fusion_sums_the_reciprocals_of_the_ranks(rankings: list[list[int]]) -> None:
    fused = reciprocal_rank_fusion(rankings)
    for row in range(6):
        assert fused[row] == sum(1 / (61 + ranking.index(row)) for ranking in rankings)


def test_a_row_missing_from_a_ranking_gets_nothing_from_it() -> None:
    assert reciprocal_rank_fusion([[7], []], 10) == {7: 1 / 11}


@pytest.mark.parametrize(
    ("values", "expected"),
    [([], []), ([2, 4, 3], [0, 1, 0.5]), ([3, 3], [1, 1]), ([0, 0], [0, 0]), ([-1, -1], [0, 0])],
)
def test_scaling_maps_to_the_unit_interval(values: list[float], expected: list[float]) -> None:
    assert scaled(np.array(values, dtype=np.float64)).tolist() == expected
