"""Profiles, the checks of vectors, batches, canaries and the hashing baseline."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.embeddings import (
    CANARIES,
    Embedder,
    HashingEmbedder,
    Profile,
    Vectors,
    canary_vectors,
    check_canaries,
    checked_batch,
    checked_query,
    embed_in_batches,
    is_contextual,
)
from rag.core.errors import Cancelled, IndexMismatch, InvalidOption, InvalidVector


def profile(**changes: Any) -> Profile:
    values: dict[str, Any] = {
        "name": "test", "provider": "acme", "endpoint": "http://localhost", "model": "m",
        "digest": "d", "dimension": 2, "max_tokens": 512, "min_cosine": None,
    }  # fmt: skip
    return Profile(**values | changes)


class Recorder:
    """An embedder that answers from a function and remembers the size of each batch."""

    def __init__(self, answer: Callable[[Sequence[str]], object]) -> None:
        self.profile = profile()
        self.answer = answer
        self.sizes: list[int] = []

    def embed_batch(
        self,
        texts: Sequence[str],
        *,
        cancelled: Callable[[], bool],
        progress: Callable[[int], None],
    ) -> object:
        self.sizes.append(len(texts))
        progress(len(texts))
        return self.answer(texts)

    def embed_query(self, text: str) -> object:
        return self.answer([text])


class Contextual:
    """An embedder of whole documents that remembers what it was given."""

    profile = profile()

    def embed_document(
        self,
        document_id: str,
        title: str,
        chunks: Sequence[str],
        *,
        cancelled: Callable[[], bool],
        progress: Callable[[int], None],
    ) -> object:
        self.given = (document_id, title, tuple(chunks))
        return [[1.0, float(position)] for position, _ in enumerate(chunks)]

    def embed_query(self, text: str) -> object:
        return [1.0, 0.0]


def ones(texts: Sequence[str]) -> list[list[float]]:
    return [[1.0, 1.0] for _ in texts]


def never() -> bool:
    return False


def run(
    embedder: Embedder,
    count: int,
    cancelled: Callable[[], bool] = never,
    progress: Callable[[int], None] = lambda done: None,
    **options: int,
) -> list[tuple[range, Vectors]]:
    texts = [f"text {number}" for number in range(count)]
    batches = embed_in_batches(embedder, texts, cancelled=cancelled, progress=progress, **options)
    return list(batches)


@pytest.mark.parametrize(
    "change",
    [
        {"provider": "b"},
        {"endpoint": "b"},
        {"model": "b"},
        {"digest": "b"},
        {"dimension": 3},
        {"query_prefix": "b"},
        {"document_prefix": "b"},
        {"max_tokens": 256},
    ],
)
def test_fingerprint_changes_with_whatever_makes_a_vector(change: dict[str, Any]) -> None:
    assert profile(**change).fingerprint != profile().fingerprint


def test_fingerprint_does_not_depend_on_name_and_threshold() -> None:
    assert replace(profile(), name="other", min_cosine=0.6).fingerprint == profile().fingerprint


def test_fingerprint_does_not_let_two_fields_run_together() -> None:
    left, right = profile(provider="ab", endpoint="c"), profile(provider="a", endpoint="bc")
    assert left.fingerprint != right.fingerprint


@pytest.mark.parametrize("threshold", [float("nan"), -1.1, 1.1, float("inf")])
def test_threshold_outside_the_range_of_a_cosine_is_refused(threshold: float) -> None:
    with pytest.raises(InvalidOption, match="min_cosine"):
        profile(min_cosine=threshold)


@pytest.mark.parametrize("threshold", [None, -1.0, 0, 0.6, 1.0])
def test_threshold_may_be_any_cosine_or_none(threshold: float | None) -> None:
    assert profile(min_cosine=threshold).min_cosine == threshold


def test_profile_without_a_dimension_is_refused() -> None:
    with pytest.raises(InvalidOption, match="dimension"):
        profile(dimension=0)


GOOD = [3.0, 4.0]
BAD_VECTORS = [
    pytest.param([float("nan"), 1.0], "not finite", id="nan"),
    pytest.param([float("inf"), 1.0], "not finite", id="infinity"),
    pytest.param([0.0, -0.0], "norm is 0", id="zero"),
    pytest.param([1.0], "1 dimensions instead of 2", id="too short"),
    pytest.param([1.0, 2.0, 3.0], "3 dimensions instead of 2", id="too long"),
    pytest.param([], "empty", id="empty"),
    pytest.param([1e300, 1.0], "too large for float32", id="overflow"),
    pytest.param([1e-60, 1e-60], "norm is 0", id="underflow"),
    pytest.param([10**400, 1], "not a list of numbers", id="huge integer"),
    pytest.param(["1", "2"], "not a list of numbers", id="strings"),
    pytest.param([True, False], "not a list of numbers", id="booleans"),
    pytest.param([None, 1.0], "not a list of numbers", id="null"),
    pytest.param([[1.0], [2.0]], "not a list of numbers", id="nested"),
    pytest.param(None, "not a list of numbers", id="no vector"),
    pytest.param({"embedding": GOOD}, "not a list of numbers", id="object"),
    pytest.param(np.array([1j, 1]), "not a list of numbers", id="complex"),
]


@pytest.mark.parametrize(("bad", "reason"), BAD_VECTORS)
def test_bad_vector_is_named_by_provider_batch_and_item(bad: object, reason: str) -> None:
    with pytest.raises(
        InvalidVector, match=f"^acme: embedding documents failed: batch 7, item 2: .*{reason}"
    ):
        checked_batch([GOOD, bad, bad], 3, profile(), 7)


@pytest.mark.parametrize(("bad", "reason"), BAD_VECTORS)
def test_bad_question_vector_is_named_by_provider(bad: object, reason: str) -> None:
    with pytest.raises(
        InvalidVector, match=f"^acme: embedding a question failed: its vector: .*{reason}"
    ):
        checked_query(bad, profile())


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ([GOOD], "1 vectors for 2 texts, item 2 is missing"),
        ([], "0 vectors for 2 texts, item 1 is missing"),
        ([GOOD, GOOD, GOOD], "3 vectors for 2 texts, item 3 was not asked for"),
        (np.ones((3, 2)), "3 vectors for 2 texts"),
        (np.ones(2), "item 1: not a list of numbers"),
        (np.ones((2, 2), dtype=bool), "item 1: not a list of numbers"),
        (np.array(1.0), "not a list of vectors"),
        (None, "not a list of vectors"),
        ({"data": []}, "not a list of vectors"),
        ("ab", "not a list of vectors"),
    ],
)
def test_answer_of_another_shape_is_refused(raw: object, reason: str) -> None:
    with pytest.raises(
        InvalidVector, match=f"^acme: embedding documents failed: batch 1.*{reason}"
    ):
        checked_batch(raw, 2, profile(), 1)


@pytest.mark.parametrize(
    "raw",
    [
        [[3, 4], (0.5, 1)],
        np.array([[3, 4], [0.5, 1]], dtype=np.float16),
        [np.array([3.0, 4.0]), [np.float32(0.5), np.int64(1)]],
    ],
)
def test_arrays_and_nested_lists_are_both_taken(raw: object) -> None:
    vectors = checked_batch(raw, 2, profile(), 1)
    assert vectors.dtype == np.float32
    assert vectors.tolist() == [[3, 4], [0.5, 1]]


def test_no_texts_give_no_vectors() -> None:
    assert checked_batch([], 0, profile(), 1).shape == (0, 2)


@given(
    st.lists(
        st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=2, max_size=2
    ).filter(any)
)
def test_every_float32_vector_survives_the_check_unchanged(values: list[float]) -> None:
    assert checked_batch([values], 1, profile(), 1).tolist() == [values]


def test_checked_vectors_do_not_share_memory_with_the_answer() -> None:
    raw = np.ones((1, 2), dtype=np.float32)
    question = np.ones(2)
    batch, query = checked_batch(raw, 1, profile(), 1), checked_query(question, profile())
    raw[:], question[:] = 5, 5
    assert batch.tolist() == [[1, 1]]
    assert query.tolist() == [1, 1]


def test_question_keeps_double_precision() -> None:
    vector = checked_query([0.1, 0.2], profile())
    assert vector.dtype == np.float64
    assert vector.tolist() == [0.1, 0.2]


def test_thirty_five_texts_go_out_as_16_16_and_3() -> None:
    embedder = Recorder(ones)
    batches = run(embedder, 35)
    assert embedder.sizes == [16, 16, 3]
    assert [positions for positions, _ in batches] == [range(16), range(16, 32), range(32, 35)]


def test_vectors_come_in_the_order_of_the_texts() -> None:
    embedder = Recorder(lambda texts: [[1.0, float(text.split()[1])] for text in texts])
    order = [int(row[1]) for _, vectors in run(embedder, 35) for row in vectors]
    assert order == list(range(35))


def test_provider_that_reuses_its_buffer_does_not_change_earlier_vectors() -> None:
    buffer = np.zeros((16, 2), dtype=np.float32)

    def answer(texts: Sequence[str]) -> object:
        buffer[:] += 1
        return buffer[: len(texts)]

    batches = run(Recorder(answer), 35)
    assert [vectors[0].tolist() for _, vectors in batches] == [[1, 1], [2, 2], [3, 3]]


def test_bad_vector_of_a_later_batch_names_that_batch() -> None:
    embedder = Recorder(lambda texts: ones(texts) if len(texts) == 16 else [*ones(texts[1:]), [0]])
    with pytest.raises(InvalidVector, match="batch 3, item 3: 1 dimensions instead of 2"):
        run(embedder, 35)


def test_cancelling_stops_before_the_next_batch() -> None:
    embedder = Recorder(ones)
    with pytest.raises(Cancelled):
        run(embedder, 35, cancelled=lambda: len(embedder.sizes) == 2)
    assert embedder.sizes == [16, 16]


def test_progress_counts_over_all_batches() -> None:
    done: list[int] = []
    run(Recorder(ones), 35, progress=done.append)
    assert done == [16, 32, 35]


def test_batch_size_below_one_is_refused_before_any_work() -> None:
    embedder = Recorder(ones)
    with pytest.raises(InvalidOption, match="batch size"):
        run(embedder, 3, size=0)
    assert embedder.sizes == []


def test_embedder_of_whole_documents_is_told_apart() -> None:
    assert is_contextual(Contextual())
    assert not is_contextual(Recorder(ones))


def test_canaries_of_a_contextual_embedder_arrive_as_one_document() -> None:
    embedder = Contextual()
    assert canary_vectors(embedder).tolist() == [[1, 0], [1, 1]]
    assert embedder.given == ("canary", "canary", CANARIES)


def test_canaries_of_the_same_model_agree() -> None:
    embedder = HashingEmbedder()
    check_canaries(canary_vectors(embedder), canary_vectors(embedder))


@pytest.mark.parametrize(
    "now",
    [
        pytest.param([[1.0, 0.0], [1.0, 0.1]], id="second sentence turned by 5.7 degrees"),
        pytest.param([[-1.0, 0.0], [1.0, 0.0]], id="opposite"),
        pytest.param([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]], id="other dimension"),
        pytest.param([[1.0, 0.0]], id="one missing"),
        pytest.param([[0.0, 0.0], [1.0, 0.0]], id="zero"),
        pytest.param([[float("nan"), 0.0], [1.0, 0.0]], id="nan"),
    ],
)
def test_model_that_changed_behind_its_name_is_caught(now: list[list[float]]) -> None:
    stored = np.array([[1, 0], [1, 0]], dtype=np.float32)
    with pytest.raises(IndexMismatch, match="canary"):
        check_canaries(stored, np.array(now, dtype=np.float32))


def test_rounding_of_another_machine_is_no_change_of_model() -> None:
    stored = np.array([[1, 0], [1, 0]], dtype=np.float32)
    check_canaries(stored, np.array([[2, 0.04], [1, -0.04]], dtype=np.float32))


def test_hashing_gives_the_same_unit_vector_twice() -> None:
    one, two = (
        HashingEmbedder().embed_query("Paid leave"),
        HashingEmbedder().embed_query("paid LEAVE"),
    )
    assert np.array_equal(one, two)
    assert np.linalg.norm(one) == pytest.approx(1)


def test_hashing_brings_related_texts_closer_than_unrelated_ones() -> None:
    embed = HashingEmbedder().embed_query
    question = embed("how to retry a failed job")
    related = question @ embed("Retry the job when it failed once.")
    assert related > question @ embed("Bananas are yellow fruit.")


@pytest.mark.parametrize("text", ["", " \n", "?! …", "—"])
def test_hashing_refuses_a_text_without_a_word(text: str) -> None:
    with pytest.raises(InvalidVector, match="no word"):
        HashingEmbedder().embed_query(text)


def test_hashing_counts_a_word_for_each_time_it_occurs() -> None:
    embed = HashingEmbedder(dimension=4096).embed_query
    assert embed("a a b") @ embed("a") == pytest.approx(2 / 5**0.5)


def test_hashing_can_be_cancelled_between_texts() -> None:
    done: list[int] = []
    with pytest.raises(Cancelled):
        HashingEmbedder().embed_batch(
            ["a", "b", "c"], cancelled=lambda: len(done) == 2, progress=done.append
        )
