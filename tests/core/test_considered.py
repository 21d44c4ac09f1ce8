"""Which hits an answer may be made of."""

from dataclasses import dataclass

from rag.core.answers import considered


@dataclass(frozen=True)
class FakeHit:
    source_id: str
    number: int


def numbers(*sources: str) -> list[int]:
    hits = [FakeHit(source, number) for number, source in enumerate(sources)]
    return [hit.number for hit in considered(hits)]  # type: ignore[arg-type, attr-defined]


def test_the_first_five_whatever_their_source() -> None:
    assert numbers("a", "a", "a", "a", "a", "a") == [0, 1, 2, 3, 4]


def test_the_best_of_each_other_source_behind_them() -> None:
    assert numbers("a", "a", "b", "a", "a", "a", "c", "b", "c", "d") == [0, 1, 2, 3, 4, 6, 9]


def test_no_more_than_three_others() -> None:
    assert numbers("a", "a", "a", "a", "a", "b", "c", "d", "e") == [0, 1, 2, 3, 4, 5, 6, 7]


def test_fewer_hits_than_are_considered() -> None:
    assert numbers("a", "b") == [0, 1]
    assert numbers() == []
