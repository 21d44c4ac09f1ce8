"""What stands between the index and the configuration, the corpus and the model."""

from collections.abc import Iterator

import numpy as np

from rag.actions.indexing import INDEXABLE, corpus_sha256
from rag.actions.profiles import Parts
from rag.core.embeddings import canary_vectors, check_canaries
from rag.core.errors import IndexDamaged, IndexMissing, RagError
from rag.core.index import Manifest, differences
from rag.core.sources import State
from rag.models import Revision
from rag.queries.loading import load_snapshot
from rag.queries.reading import reading
from rag.queries.snapshots import stored_manifest


def check(parts: Parts) -> list[str]:
    """Sentences, one for each difference; empty means that a rebuild would change nothing."""
    with reading():
        try:
            manifest, generation = stored_manifest()
        except IndexMissing as error:
            return [str(error)]
        found = [*_configured(manifest, parts), *_corpus(manifest)]
        try:
            load_snapshot(manifest, generation)
        except IndexDamaged as error:
            found.append(error.detail)
    return found + list(_canaries(manifest, parts))


def _configured(manifest: Manifest, parts: Parts) -> Iterator[str]:
    profile = parts.embedder.profile
    for name, indexed, now in differences(manifest, profile, parts.chunking, parts.analyser):
        yield f"{name}: indexed {indexed!r}, configured {now!r}"


def _corpus(manifest: Manifest) -> Iterator[str]:
    rows = Revision.objects.select_related("source").order_by("source__source_id", "version")
    for revision in rows.filter(state__in=INDEXABLE, indexed=False):
        yield f"corpus: {revision} is not indexed"
    for revision in rows.filter(indexed=True).exclude(state__in=INDEXABLE):
        yield f"corpus: {revision} is {revision.state} but still indexed"
    waiting = rows.filter(state=State.PENDING.value, indexed=True)
    for revision in waiting.exclude(approval_requested_by=""):
        yield f"corpus: {revision} waits for its requested approval"
    if manifest.corpus_sha256 != corpus_sha256(rows.filter(indexed=True)):
        yield "corpus_sha256: the indexed sources are not those of the manifest"


def _canaries(manifest: Manifest, parts: Parts) -> Iterator[str]:
    if manifest.fingerprint != parts.embedder.profile.fingerprint:
        return
    try:
        check_canaries(np.array(manifest.canaries, np.float32), canary_vectors(parts.embedder))
    except RagError as error:
        yield str(error)
