"""Fitting a gate to cases, and what its thresholds cost."""

import random
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from rag.core.answerability import Gate, Support
from rag.core.calibration import (
    Example,
    Point,
    auroc,
    calibrate,
    chosen,
    costs,
    curve,
    fitted,
    ridge_logistic,
)
from rag.core.errors import OneSided


def example(number: int, answerable: bool, first: float, **more: Any) -> Example:
    figures = Support(first, 0.0, 1.0, 0.5, 0.1, 0.5, 1.0, 0.0)
    return Example(f"c-{number:03}", answerable, replace(figures, **more), True)


def spread(count: int = 40, seed: int = 1) -> list[Example]:
    """Cases whose first score tells most of them apart, and whose coverage says nothing."""
    draw = random.Random(seed)
    return [
        example(n, bool(n % 2), draw.gauss(3.0 * (n % 2), 1.5), coverage=draw.random())
        for n in range(count)
    ]


def test_a_fit_without_penalty_is_where_the_gradient_is_zero() -> None:
    values, labels = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 1.0, 0.0, 1.0])
    bias, weights = ridge_logistic(values, labels, 0.0)
    missed = labels - 1 / (1 + np.exp(-(bias + values @ weights)))
    assert missed.sum() == pytest.approx(0, abs=1e-6)
    assert (missed @ values)[0] == pytest.approx(0, abs=1e-6)


def test_both_kinds_count_alike() -> None:
    values = np.array([[0.0]] * 9 + [[1.0]])
    bias, weights = ridge_logistic(values, np.array([0.0] * 9 + [1.0]), 1.0)
    assert bias + 0.5 * weights[0] == pytest.approx(0)


def test_a_penalty_makes_weights_smaller() -> None:
    values, labels = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 0.0, 1.0, 1.0])
    small, large = (ridge_logistic(values, labels, ridge)[1][0] for ridge in (10.0, 0.1))
    assert 0 < small < large


def test_no_weight_is_negative() -> None:
    cases = [example(n, bool(n % 2), n % 2, coverage=1.0 - n % 2) for n in range(20)]
    gate = fitted(cases, "fitted", "judge")
    assert {name for name, _ in gate.weights} == {"first"}
    assert all(weight > 0 for _, weight in gate.weights)


def test_a_figure_that_a_case_lacks_is_not_weighed() -> None:
    cases = [*spread(), example(99, True, 3.0, cosine=None)]
    assert "cosine" not in dict(fitted(cases, "fitted", "judge").weights)


def test_the_order_of_the_cases_changes_nothing() -> None:
    cases = spread()
    shuffled = random.Random(2).sample(cases, len(cases))
    assert asdict(calibrate(cases, "g", "j")) == asdict(calibrate(shuffled, "g", "j"))


def test_a_threshold_costs_what_it_answers_and_what_it_refuses() -> None:
    cases = [example(n, n < 2, 0.0) for n in range(4)]
    assert costs(cases, [0.9, 0.4, 0.5, 0.1], 0.5) == Point(0.5, 0.5, 0.5)


def test_what_no_gate_can_answer_counts_as_refused() -> None:
    silent = Example("a", True, None, False)
    assert costs([silent], [1.0], 0.0) == Point(0.0, 0.0, 1.0)


def test_a_higher_threshold_answers_less_and_refuses_more() -> None:
    draw = random.Random(3)
    points = curve(spread(), [draw.random() for _ in range(40)])
    answered = [point.wrongly_answered for point in points]
    refused = [point.wrongly_refused for point in points]
    assert answered == sorted(answered, reverse=True)
    assert refused == sorted(refused)


def test_the_most_even_threshold_is_chosen_within_the_bound() -> None:
    points = [Point(0.2, 0.6, 0.0), Point(0.4, 0.3, 0.25), Point(0.6, 0.1, 0.4)]
    assert chosen(points, 1.0) == points[1]  # and not the smallest sum, 0.5
    assert chosen(points, 0.2) == points[0]
    assert chosen(points, 0.0) == points[0]


def test_of_equal_thresholds_the_middle_is_chosen() -> None:
    points = [Point(least / 10, 0.2, 0.1) for least in (3, 4, 5)]
    assert chosen(points, 1.0) == points[1]


def test_auroc_is_the_share_of_pairs_in_order() -> None:
    cases = [example(n, n < 2, 0.0) for n in range(4)]
    assert auroc(cases, [0.9, 0.5, 0.5, 0.1]) == (3 + 0.5) / 4


def test_a_calibrated_gate_tells_held_out_cases_apart() -> None:
    found = calibrate(spread(200), "g", "j")
    assert found.auroc > 0.85
    assert found.held_out.wrongly_answered < 0.3
    assert found.held_out.wrongly_refused < 0.3
    assert found.gate.least == found.held_out.least


def test_labels_of_chance_give_no_better_than_chance() -> None:
    draw = random.Random(4)
    cases = [example(n, bool(n % 2), draw.random()) for n in range(200)]
    found = calibrate(cases, "g", "j").held_out
    assert 0.8 < found.wrongly_answered + found.wrongly_refused < 1.2


@pytest.mark.parametrize("answerable", [True, False])
def test_cases_of_one_kind_are_refused(answerable: bool) -> None:
    lost = Example("z", not answerable, None, False)
    with pytest.raises(OneSided, match="some of both"):
        calibrate([example(1, answerable, 1.0), lost], "g", "j")


def test_two_cases_are_enough() -> None:
    gate = calibrate([example(1, True, 5.0), example(2, False, -5.0)], "g", "j").gate
    assert isinstance(gate, Gate)
    assert gate.chance(example(3, True, 5.0).support) > 0.5  # type: ignore[arg-type]
