"""What an embedder is, and the checks that its vectors pass before anything uses them."""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np
from numpy.typing import NDArray

from rag.core.errors import (
    Cancelled,
    IndexMismatch,
    InvalidEmbedding,
    InvalidOption,
    InvalidVector,
)

if TYPE_CHECKING:
    from typing_extensions import TypeIs

Vectors = NDArray[np.float32]
Cancel = Callable[[], bool]
Progress = Callable[[int], None]

BATCH_SIZE = 16
DOCUMENTS: Final = "embedding documents"  # the operations that an error names
QUESTION: Final = "embedding a question"
CANARIES = (
    "Employees may carry over at most five days of annual leave into the next year.",
    "The pump QX-4471 is rated for 16 bar; above 60 °C the limit is 10 bar.",
)
# One model on one machine repeats to the last bit (1.0); .999 leaves room for the rounding of
# another processor. A batched int8 model already shows .996.
CANARY_COSINE = 0.999


@dataclass(frozen=True, kw_only=True)
class Profile:
    """What made a vector, and the gate that goes with it.

    ``max_tokens`` is where the model cuts a text (0: nowhere); ``min_cosine`` in [-1, 1] is the
    smallest cosine that counts as evidence (None: no gate); ``scripts`` are those that the model
    has learnt, by the first word of their letters' Unicode names (none named: all). Raises
    InvalidOption.
    """

    name: str
    provider: str
    endpoint: str
    model: str
    digest: str
    dimension: int
    similarity: str = "cosine"
    query_prefix: str = ""
    document_prefix: str = ""
    max_tokens: int
    min_cosine: float | None
    scripts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise InvalidOption("dimension", self.dimension, "it must be at least 1")
        # Written so that NaN, which compares false with everything, is refused too.
        if self.min_cosine is not None and not -1 <= self.min_cosine <= 1:
            raise InvalidOption("min_cosine", self.min_cosine, "it must lie between -1 and 1")

    def can_read(self, text: str) -> bool:
        """Whether at least half of the letters are of a script that the model has learnt."""
        names = [unicodedata.name(letter, "") for letter in text if letter.isalpha()]
        known = sum(name.startswith(self.scripts) for name in names)
        return not self.scripts or 2 * known >= len(names)

    @property
    def fingerprint(self) -> str:
        """SHA-256 (hex) of the fields that a document's vector depends on.

        Each field is preceded by its length in bytes, so that no two sets of fields can run
        together into one text. Name, threshold and scripts are left out: they change no vector.
        """
        fields = (self.provider, self.endpoint, self.model, self.digest, str(self.dimension),
                  self.query_prefix, self.document_prefix, str(self.max_tokens))  # fmt: skip
        encoded = [field.encode() for field in fields]
        return hashlib.sha256(b"".join(b"%d:%s" % (len(f), f) for f in encoded)).hexdigest()


class Embedder(Protocol):
    """Turns texts into vectors, each text by itself; adds the prefixes of its profile.

    ``progress`` gets the number of texts done in this call; ``cancelled`` is asked between texts
    or requests, and a yes raises Cancelled. Answers are typed ``object`` on purpose: nobody can
    use one without ``checked_batch`` or ``checked_query``.
    """

    @property
    def profile(self) -> Profile: ...

    def embed_batch(self, texts: Sequence[str], *, cancelled: Cancel, progress: Progress) -> object:
        """Vectors (n, d) of n texts, in order."""

    def embed_query(self, text: str) -> object:
        """Vector (d,) of a question."""


class ContextualEmbedder(Protocol):
    """Turns the chunks of one document into vectors that depend on the whole document."""

    @property
    def profile(self) -> Profile: ...

    def embed_document(
        self,
        document_id: str,
        title: str,
        chunks: Sequence[str],
        *,
        cancelled: Cancel,
        progress: Progress,
    ) -> object:
        """Vectors (n, d) of all n chunks of a document, in order, from one call."""

    def embed_query(self, text: str) -> object:
        """Vector (d,) of a question."""


def is_contextual(embedder: Embedder | ContextualEmbedder) -> "TypeIs[ContextualEmbedder]":
    """Whether documents must be embedded whole."""
    return callable(getattr(embedder, "embed_document", None))


def checked_batch(raw: object, count: int, profile: Profile, batch: int) -> Vectors:
    """A float32 copy (count, dimension) of a provider's answer, an array or nested lists.

    Raises InvalidEmbedding naming the provider, the batch and the first bad item (both from 1):
    wrong count, dimension or kind, not finite, norm 0, or any of these once rounded to float32.
    """
    where = f"batch {batch}"
    vectors = np.empty((count, profile.dimension), dtype=np.float32)
    for position, row in enumerate(_rows(raw, count, profile, where)):
        vector = _numbers(row)
        fault = _fault(vector, profile.dimension)
        if vector is None or fault:
            cause = f"{where}, item {position + 1}: {fault}"
            raise InvalidEmbedding(profile.provider, DOCUMENTS, cause)
        vectors[position] = vector
    return vectors


def checked_query(raw: object, profile: Profile) -> NDArray[np.float64]:
    """A float64 copy (dimension,) of a question's vector; raises InvalidEmbedding as above."""
    vector = _numbers(raw)
    fault = _fault(vector, profile.dimension)
    if vector is None or fault:
        raise InvalidEmbedding(profile.provider, QUESTION, f"its vector: {fault}")
    return vector


def _rows(raw: object, count: int, profile: Profile, where: str) -> Iterable[object]:
    """As many rows as there are texts; else InvalidEmbedding."""
    if not isinstance(raw, list | tuple) and not (isinstance(raw, np.ndarray) and raw.ndim):
        cause = f"{where}, item 1: the answer is not a list of vectors"
    elif len(raw) != count:
        fault = "is missing" if len(raw) < count else "was not asked for"
        item = min(len(raw), count) + 1
        cause = f"{where}: {len(raw)} vectors for {count} texts, item {item} {fault}"
    else:
        return raw
    raise InvalidEmbedding(profile.provider, DOCUMENTS, cause)


def _numbers(raw: object) -> NDArray[np.float64] | None:
    """A copy of one vector; None for whatever JSON or a provider's library gives instead of it."""
    if isinstance(raw, np.ndarray):
        usable = raw.ndim == 1 and raw.dtype.kind in "fiu"
    else:
        # float("1.5") and float(True) work, but no embedder means them.
        usable = isinstance(raw, list | tuple) and all(
            isinstance(value, Real) and not isinstance(value, bool) for value in raw
        )
    try:
        return np.array(raw, dtype=np.float64) if usable else None
    except OverflowError:  # an integer beyond 1.8e308
        return None


def _fault(vector: NDArray[np.float64] | None, dimension: int) -> str | None:
    """What is wrong with a vector (n,), in words; vectors are stored and scanned as float32."""
    if vector is None:
        return "not a list of numbers"
    if not vector.size:
        return "the vector is empty"
    if vector.size != dimension:
        return f"{vector.size} dimensions instead of {dimension}"
    if not np.isfinite(vector).all():
        return "a value is not finite"
    with np.errstate(over="ignore", under="ignore"):
        single = vector.astype(np.float32)
    if not np.isfinite(single).all():
        return "a value is too large for float32"
    return None if single.any() else "the norm is 0"


def embed_in_batches(
    embedder: Embedder,
    texts: Sequence[str],
    *,
    size: int = BATCH_SIZE,
    cancelled: Cancel,
    progress: Progress,
) -> Iterator[tuple[range, Vectors]]:
    """Yield (positions, checked float32 copy (len(positions), d)), ``size`` texts at a time.

    ``progress`` gets the number of texts done in total. Raises Cancelled before a batch,
    InvalidEmbedding, InvalidOption, and whatever the embedder raises.
    """
    if size < 1:
        raise InvalidOption("batch size", size, "it must be at least 1")
    for batch, start in enumerate(range(0, len(texts), size), 1):
        positions = range(start, min(start + size, len(texts)))
        stop_if(cancelled)
        raw = embedder.embed_batch(
            texts[positions.start : positions.stop],
            cancelled=cancelled,
            progress=partial(_report, progress, positions.start),
        )
        yield positions, checked_batch(raw, len(positions), embedder.profile, batch)


def _report(progress: Progress, before: int, done: int) -> None:
    progress(before + done)


def stop_if(cancelled: Cancel) -> None:
    """Raise Cancelled when the caller or a signal asks for it."""
    if cancelled():
        raise Cancelled("Stopped. The index is as it was; what was embedded is kept.")


def canary_vectors(
    embedder: Embedder | ContextualEmbedder, cancelled: Cancel = lambda: False
) -> Vectors:
    """Vectors (2, d) of the two canary sentences, embedded as documents are."""
    if is_contextual(embedder):
        raw = embedder.embed_document(
            "canary", "canary", CANARIES, cancelled=cancelled, progress=lambda done: None
        )
    else:
        raw = embedder.embed_batch(CANARIES, cancelled=cancelled, progress=lambda done: None)
    return checked_batch(raw, len(CANARIES), embedder.profile, 1)


def check_canaries(stored: Vectors, now: Vectors) -> None:
    """Raise IndexMismatch if a model answers otherwise than when the index was made.

    Both are (2, d). A model that changed behind its name gives another dimension, or a cosine
    below CANARY_COSINE for one of the sentences.
    """
    if stored.shape != now.shape:
        raise IndexMismatch("canary", f"shape {stored.shape}", f"shape {now.shape}")
    for number, (before, after) in enumerate(zip(stored, now, strict=True), 1):
        cosine = _cosine(before.astype(np.float64), after.astype(np.float64))
        if not cosine >= CANARY_COSINE:  # NaN, from a damaged vector, lands here as well
            raise IndexMismatch(
                "canary", f"sentence {number}: cosine 1", f"sentence {number}: cosine {cosine:.4f}"
            )


def _cosine(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    norms = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.dot(a, b)) / norms if norms else 0.0


class HashingEmbedder:
    """SHA-256 bag of words, L2-normalised: for tests, and a baseline under its own name."""

    def __init__(self, dimension: int = 256) -> None:
        self.profile = Profile(
            name="hashing",
            provider="hashing",
            endpoint="",
            model="bag-of-words-v1",
            # Folding depends on the Unicode tables of the interpreter.
            digest=f"sha256,nfkc,casefold,unicode-{unicodedata.unidata_version}",
            dimension=dimension,
            max_tokens=0,
            min_cosine=0.1,
        )

    def embed_batch(
        self, texts: Sequence[str], *, cancelled: Cancel, progress: Progress
    ) -> Vectors:
        """Unit vectors (n, dimension), no component negative; InvalidVector without a word."""
        vectors = np.zeros((len(texts), self.profile.dimension), dtype=np.float32)
        for position, text in enumerate(texts):
            stop_if(cancelled)
            vectors[position] = self.embed_query(text)
            progress(position + 1)
        return vectors

    def embed_query(self, text: str) -> Vectors:
        """Unit vector (dimension,); InvalidVector if there is no word in the text."""
        words = re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())
        if not words:
            raise InvalidVector(f"hashing: there is no word in {text[:40]!r}.")
        buckets = [self._bucket(word) for word in words]
        counts = np.bincount(buckets, minlength=self.profile.dimension)
        return (counts / np.linalg.norm(counts)).astype(np.float32)

    def _bucket(self, word: str) -> int:
        digest = hashlib.sha256(word.encode(errors="surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.profile.dimension
