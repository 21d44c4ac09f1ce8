"""Fitting an answer gate to labelled cases, and what each threshold of it would cost.

Ridge-penalised logistic regression by Newton's method (Hoerl and Kennard 1970; le Cessie and van
Houwelingen 1992). Same cases, same parameters: cases are taken in the order of their ids.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from rag.core.answerability import FIGURES, Gate, Support
from rag.core.errors import OneSided
from rag.core.lexical import Floats

RIDGE: Final = 1.0
FOLDS: Final = 5
STEPS: Final = 50
DIGITS: Final = 4  # of a parameter: what is printed is what is used


@dataclass(frozen=True)
class Example:
    """A case as it went through search and ask with every gate open.

    ``support`` is None where nothing was found to answer from; ``answered`` whether an answer
    came. Both make a refusal that no gate can change.
    """

    case_id: str
    answerable: bool
    support: Support | None
    answered: bool


@dataclass(frozen=True)
class Point:
    """What one threshold costs, as shares in [0, 1] of the unanswerable and the answerable."""

    least: float
    wrongly_answered: float
    wrongly_refused: float

    @property
    def cost(self) -> tuple[float, float]:
        """The larger of the two shares, then their sum."""
        shares = self.wrongly_answered, self.wrongly_refused
        return max(shares), sum(shares)


@dataclass(frozen=True)
class Calibration:
    """A proposed gate with the figures of cases that were held out while it was fitted.

    ``held_out`` is the cross-validated error: weights and threshold both come from other cases.
    """

    gate: Gate
    curve: tuple[Point, ...]
    auroc: float
    held_out: Point


def calibrate(
    examples: Sequence[Example], name: str, judge: str, most_refused: float = 1.0
) -> Calibration:
    """A gate for these cases; raises OneSided unless both kinds are among them.

    The threshold is the one at which the larger of the two shares of wrong held-out cases is
    smallest, among those that refuse at most ``most_refused`` of the answerable ones; where none
    does, it is the lowest.
    """
    ordered = sorted(examples, key=lambda example: example.case_id)
    _check_both_kinds(ordered)
    chances = held_out_chances(ordered, name, judge)
    points = curve(ordered, chances)
    least = chosen(points, most_refused).least
    gate = replace(fitted(ordered, name, judge), least=least)
    held_out = replace(_cross_validated(ordered, chances, most_refused), least=least)
    return Calibration(gate, points, auroc(ordered, chances), held_out)


def fitted(examples: Sequence[Example], name: str, judge: str, ridge: float = RIDGE) -> Gate:
    """The gate that fits best, both kinds counting alike, with no weight below 0.

    A figure whose weight would be negative is left out and the rest fitted again: more support
    must never refuse. So is one that some case lacks.
    """
    known = [example for example in examples if example.support is not None]
    labels = np.array([example.answerable for example in known], dtype=np.float64)
    names = [f for f in FIGURES if all(_figure(e, f) is not None for e in known)]
    while True:
        columns = [[_figure(e, f) or 0.0 for e in known] for f in names]
        values = np.array(columns, dtype=np.float64).reshape(len(names), len(known)).T
        bias, weights = ridge_logistic(values, labels, ridge)
        worst = int(np.argmin(weights)) if len(weights) else 0
        if not len(weights) or weights[worst] >= 0:
            pairs = zip(names, (round(float(w), DIGITS) for w in weights), strict=True)
            kept = tuple(pair for pair in pairs if pair[1])
            return Gate(name, kept, round(bias, DIGITS), judge=judge)
        names.pop(worst)


def _figure(example: Example, name: str) -> float | None:
    value: float | None = getattr(example.support, name)
    return value


def ridge_logistic(values: Floats, labels: Floats, ridge: float) -> tuple[float, Floats]:
    """Bias and weights (d,) for ``values`` (n, d) and ``labels`` (n,) of 0 and 1.

    Fitted on standardised columns, each of the two kinds counting as half of the cases; ``ridge``
    ≥ 0 penalises the standardised weights, not the bias.
    """
    mean, spread = values.mean(axis=0), values.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    rows = np.column_stack([np.ones(len(values)), (values - mean) / spread])
    share = np.where(labels > 0, labels.mean(), 1 - labels.mean())
    count = 0.5 / share
    penalty = np.full(rows.shape[1], ridge)
    penalty[0] = 0.0
    found = np.zeros(rows.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ found, -30, 30)))
        slope = rows.T @ (count * (labels - chance)) - penalty * found
        bend = (rows * (count * chance * (1 - chance))[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(bend + 1e-9 * np.eye(len(found)), slope)
        found = found + step
        if float(np.abs(step).max()) < 1e-10:
            break
    weights = found[1:] / spread
    return float(found[0] - (weights * mean).sum()), weights


def held_out_chances(examples: Sequence[Example], name: str, judge: str) -> list[float]:
    """Each case's chance from a gate that was fitted without its fold.

    The folds are every ``FOLDS``-th case of each kind in the order given.
    """
    folds = _folds(examples)
    chances = [0.0] * len(examples)
    for fold in range(FOLDS):
        rest = [e for e, own in zip(examples, folds, strict=True) if own != fold]
        gate = fitted(rest, name, judge) if _has_both_kinds(rest) else Gate(name)
        for at, example in enumerate(examples):
            if folds[at] == fold and example.support is not None:
                chances[at] = gate.chance(example.support)
    return chances


def _folds(examples: Sequence[Example]) -> list[int]:
    seen = {True: 0, False: 0}
    folds = []
    for example in examples:
        folds.append(seen[example.answerable] % FOLDS)
        seen[example.answerable] += 1
    return folds


def _cross_validated(
    examples: Sequence[Example], chances: Sequence[float], most_refused: float
) -> Point:
    """The costs where each fold is decided by the threshold that the other folds would choose."""
    folds = _folds(examples)
    passed = [0.0] * len(examples)
    for fold in range(FOLDS):
        rest = [at for at, own in enumerate(folds) if own != fold]
        points = curve([examples[at] for at in rest], [chances[at] for at in rest])
        least = chosen(points, most_refused).least
        for at, own in enumerate(folds):
            if own == fold:
                passed[at] = float(chances[at] >= least)
    return costs(examples, passed, 1.0)


def costs(examples: Sequence[Example], chances: Sequence[float], least: float) -> Point:
    """What the threshold costs on these cases."""
    wrong = {True: 0, False: 0}
    for example, chance in zip(examples, chances, strict=True):
        answered = example.answered and chance >= least
        wrong[example.answerable] += answered != example.answerable
    answerable = sum(example.answerable for example in examples)
    unanswerable = len(examples) - answerable
    return Point(least, wrong[False] / max(unanswerable, 1), wrong[True] / max(answerable, 1))


def curve(examples: Sequence[Example], chances: Sequence[float]) -> tuple[Point, ...]:
    """The costs at thresholds .01 to .99."""
    return tuple(costs(examples, chances, step / 100) for step in range(1, 100))


def chosen(points: Sequence[Point], most_refused: float) -> Point:
    """The cheapest point within the bound; of equal ones the middle, farthest from both errors."""
    within = [point for point in points if point.wrongly_refused <= most_refused] or points[:1]
    least = min(point.cost for point in within)
    equal = [point for point in within if point.cost == least]
    return equal[(len(equal) - 1) // 2]


def auroc(examples: Sequence[Example], chances: Sequence[float]) -> float:
    """Share of pairs (answerable, unanswerable) in the right order; a tie counts half."""
    pairs = list(zip(examples, chances, strict=True))
    right = np.array([chance for example, chance in pairs if example.answerable])
    wrong = np.array([chance for example, chance in pairs if not example.answerable])
    higher = right[:, None] > wrong[None, :]
    equal = right[:, None] == wrong[None, :]
    return float(higher.mean() + 0.5 * equal.mean())


def _has_both_kinds(examples: Sequence[Example]) -> bool:
    return {True, False} <= {e.answerable for e in examples if e.support is not None}


def _check_both_kinds(examples: Sequence[Example]) -> None:
    if not _has_both_kinds(examples):
        answerable = sum(e.answerable for e in examples if e.support is not None)
        found = sum(e.support is not None for e in examples)
        raise OneSided(answerable, found - answerable)
