"""One load at a time, at most two indexes held, and no failure that goes unheard."""

import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from sqlite3 import ProgrammingError
from typing import Final

import pytest
from django.conf import settings
from django.db import connection

from rag.actions.governing import erase, withdraw
from rag.core.errors import IndexDamaged
from rag.core.rows import chunk_digests
from rag.models import Chunk, Revision
from rag.queries import snapshots
from rag.queries.loading import load_snapshot
from rag.queries.reading import reading
from tests import factories
from tests.queries.loads import FakeEnd, FakeSlowLoad, Requests

RULE: Final = "Meals on business trips are reimbursed up to EUR 52 per day."


def index(folder: Path, *sources: str, approve: bool = True) -> str:
    """Import these sources and rebuild; the generation."""
    for source in sources:
        factories.import_text(folder, source, f"{RULE} See {source}.", approve=approve)
    factories.rebuild()
    return snapshots.stored_generation()


def index_beside_a_reader(folder: Path, source: str) -> str:
    """The same, without waiting for the reader to end before the log is cut."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA busy_timeout = 0")
    return index(folder, source)


def found() -> list[str]:
    return factories.labels(factories.search("meals"))


def held() -> list[str]:
    return list(snapshots._holder._held)


# One load


def test_two_requests_of_a_new_process_load_once(
    load: FakeSlowLoad, requests: Requests, tmp_path: Path
) -> None:
    index(tmp_path, "a")
    load.hold_up()
    both = [requests.start(found) for _ in range(2)]
    assert load.has_begun()
    load.finish()
    assert [request.result() for request in both] == [["a#0"], ["a#0"]]
    assert len(load.generations) == 1


def test_many_requests_beside_one_load_begin_no_other(
    load: FakeSlowLoad, requests: Requests, tmp_path: Path
) -> None:
    index(tmp_path, "a")
    found()
    load.hold_up()
    new = index(tmp_path, "b", approve=False)
    for request in [requests.start(found) for _ in range(8)]:
        assert request.result() == ["a#0"]
    assert load.has_begun()
    load.finish()
    assert load.generations[1:] == [new]


def test_two_requests_that_wait_for_a_load_in_the_background_load_nothing(
    load: FakeSlowLoad, requests: Requests, tmp_path: Path
) -> None:
    index(tmp_path, "a")
    found()
    load.hold_up()
    index(tmp_path, "b")
    old = factories.search("meals", factories.access("hr"))
    assert load.has_begun() and old.hits == ()
    both = [requests.start(found) for _ in range(2)]
    load.finish()
    assert [sorted(request.result()) for request in both] == [["a#0", "b#0"]] * 2
    assert len(load.generations) == 2


def test_a_process_holds_two_indexes_and_one_while_it_loads(
    load: FakeSlowLoad, tmp_path: Path
) -> None:
    generations = []
    for source in ("a", "b", "c"):
        generations.append(index(tmp_path, source))
        found()
    assert held() == generations[1:]
    load.hold_up()
    index(tmp_path, "d", approve=False)
    found()
    assert load.has_begun()
    assert held() == generations[2:]


def test_a_request_begun_before_a_rebuild_reads_the_index_of_its_own_transaction(
    load: FakeSlowLoad, requests: Requests, tmp_path: Path
) -> None:
    def withdraw_b() -> str:
        withdraw("b", actor="op", reason="outdated")
        return index_beside_a_reader(tmp_path, "c")

    index(tmp_path, "a")
    found()
    old = index(tmp_path, "b")
    with reading():
        assert snapshots.stored_generation() == old
        new = requests.start(withdraw_b).result()
        assert sorted(requests.start(found).result()) == ["a#0", "c#0"]
        assert sorted(found()) == ["a#0", "b#0"]
    assert load.generations[-2:] == [new, old]


def test_a_newer_index_serves_a_request_begun_before_it_if_it_holds_the_same_of_it(
    load: FakeSlowLoad, requests: Requests, tmp_path: Path
) -> None:
    index(tmp_path, "a")
    found()
    index(tmp_path, "b")
    with reading():
        assert snapshots.stored_generation()
        new = requests.start(lambda: index_beside_a_reader(tmp_path, "c")).result()
        assert len(requests.start(found).result()) == 3
        assert sorted(found()) == ["a#0", "b#0"]
    load.finish()
    assert load.generations[-1] == new


def test_the_background_closes_its_own_connection_and_no_other(
    load: FakeSlowLoad, tmp_path: Path
) -> None:
    index(tmp_path, "a")
    found()
    index(tmp_path, "b", approve=False)
    found()
    load.finish()
    ours, its = load.connections
    assert ours.execute("SELECT 1").fetchone() == (1,)
    with pytest.raises(ProgrammingError, match="closed database"):
        its.execute("SELECT 1")


def test_uncommitted_changes_are_read_by_the_transaction_that_made_them(
    db: None, tmp_path: Path
) -> None:
    index(tmp_path, "a")
    found()
    new = index(tmp_path, "b", approve=False)
    assert connection.in_atomic_block
    assert found() == ["a#0"]
    assert held()[-1] == new


# Failures


def damage(source: str) -> None:
    """Move the end of a chunk, as only raw SQL can."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE rag_chunk SET end_char = end_char - 1 WHERE revision_id = %s",
            [Revision.objects.get(source__source_id=source).pk],
        )


@pytest.fixture
def damaged(load: FakeSlowLoad, tmp_path: Path) -> Path:
    """A held index, and a newer one that a document hidden from everybody spoils."""
    index(tmp_path, "a")
    found()
    index(tmp_path, "draft", approve=False)
    damage("draft")
    return tmp_path


def fails(request: Callable[[], object] = found) -> None:
    with pytest.raises(IndexDamaged, match=r"not the text of its source\. Run: manage\.py rebuild"):
        request()


def test_a_failure_in_the_background_reaches_the_next_request(
    damaged: Path, load: FakeSlowLoad, caplog: pytest.LogCaptureFixture
) -> None:
    assert found() == ["a#0"]
    load.finish()
    fails()
    assert "(draft#0)" in caplog.text
    fails()
    assert len(load.generations) == 3  # told once, then found out anew


def test_a_failure_in_the_background_reaches_every_request_that_waits_for_it(
    damaged: Path, load: FakeSlowLoad, requests: Requests
) -> None:
    load.hold_up()
    assert found() == ["a#0"]
    assert load.has_begun()
    assert snapshots._holder._under_way is not None
    snapshots._holder._under_way.ended = end = FakeEnd()
    waiting = [requests.start(snapshots.current_snapshot) for _ in range(2)]
    assert end.awaited_by(2)
    load.finish()
    for request in waiting:
        fails(request.result)
    assert len(load.generations) == 2
    fails()
    assert len(load.generations) == 3  # they were told, so the next one finds out anew


def test_after_a_failure_a_new_index_is_served(damaged: Path, load: FakeSlowLoad) -> None:
    found()
    load.finish()
    fails()
    index(damaged, "b")
    assert sorted(found()) == ["a#0", "b#0"]


def test_after_a_failure_the_same_index_is_served_once_it_is_repaired(
    damaged: Path, load: FakeSlowLoad
) -> None:
    generation = snapshots.stored_generation()
    found()
    load.finish()
    fails()
    factories.rebuild()
    assert snapshots.stored_generation() == generation
    assert found() == ["a#0"]
    assert held()[-1] == generation


def test_a_failed_load_of_a_request_lets_no_other_be_served_beside_it(
    damaged: Path, load: FakeSlowLoad
) -> None:
    fails(snapshots.current_snapshot)
    fails()


def test_a_thread_that_cannot_be_started_is_an_error_of_that_request_alone(
    load: FakeSlowLoad, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(thread: object) -> None:
        raise RuntimeError("can't start new thread")

    index(tmp_path, "a")
    found()
    load.hold_up()
    index(tmp_path, "b", approve=False)
    with monkeypatch.context() as patched:
        patched.setattr("rag.queries.holding.threading.Thread.start", refuse)
        with pytest.raises(RuntimeError, match="can't start"):
            found()
    assert found() == ["a#0"]
    assert load.has_begun()


# In which revisions two indexes differ

CHANGES: Final[dict[str, Callable[[Revision], object]]] = {
    "offsets": lambda r: r.chunks.update(start_char=1),
    "section": lambda r: r.chunks.update(section="Other"),
    "lines": lambda r: r.chunks.update(end_line=99),
    "part": lambda r: r.chunks.update(part=7),
    "passage": lambda r: r.chunks.update(passage=Chunk.objects.exclude(revision=r)[0].passage),
    "document id": lambda r: Revision.objects.filter(pk=r.pk).update(document_id="other"),
    "gone": lambda r: r.chunks.all().delete(),
    "erased": lambda r: erase(r.document_id, actor="op", reason="request"),
}


def mark_indexed() -> None:
    """Give each revision the digest of its chunks, as a rebuild does."""
    digests = chunk_digests(snapshots.stored_chunks())
    for revision in Revision.objects.filter(indexed=True):
        revision.chunks_sha256 = digests.of(revision.pk)
        revision.save(update_fields=["chunks_sha256"])


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_changed_revision_differs_and_no_other(
    db: None, tmp_path: Path, change: Callable[[Revision], object]
) -> None:
    index(tmp_path, "a", "b")
    snapshot = snapshots.current_snapshot()
    assert snapshots.differing_revisions(snapshot) == frozenset()
    revision = Revision.objects.get(source__source_id="b")
    change(revision)
    mark_indexed()
    assert snapshots.differing_revisions(snapshot) == {revision.pk}


def test_a_new_revision_differs(db: None, tmp_path: Path) -> None:
    index(tmp_path, "a")
    snapshot = snapshots.current_snapshot()
    index(tmp_path, "b", approve=False)
    new = Revision.objects.get(source__source_id="b")
    assert snapshots.differing_revisions(snapshot) == {new.pk}


# The end of a process

SCRIPT: Final = """
import os, threading
os.environ["DJANGO_SETTINGS_MODULE"] = "evidencesite.settings"
import evidencesite, django
django.setup()
from tests import handmade
from rag.queries.holding import Holder, Tables
begun = threading.Event()
def load(manifest, generation, hurried):
    if generation == "old":
        return handmade.snapshot(handmade.Text("a"))
    begun.set()
    threading.Event().wait()
generation = ["old"]
old = load(None, "old", True)
tables = Tables(lambda: generation[0], lambda: (old.manifest, generation[0]), load,
                lambda snapshot: frozenset())
holder = Holder(tables)
assert holder.snapshot_for([1]) is not None
generation[0] = "new"
assert holder.snapshot_for([1]) is not None
assert begun.wait(20)
print("done")
"""


def test_a_process_ends_although_an_index_is_being_loaded(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")


@pytest.mark.parametrize("hurried", [True, False])
def test_a_chunk_without_its_passage_is_a_damaged_index(
    db: None, tmp_path: Path, hurried: bool
) -> None:
    index(tmp_path, "a", "b")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA defer_foreign_keys = ON")
        cursor.execute("DELETE FROM rag_passage WHERE text LIKE '%See b.%'")
        assert cursor.rowcount == 1
        with pytest.raises(IndexDamaged, match="the chunks are not those of its manifest"):
            load_snapshot(*snapshots.stored_manifest(), hurried)
        cursor.execute(
            "DELETE FROM rag_chunk WHERE passage_id NOT IN (SELECT key FROM rag_passage)"
        )


def test_loading_leaves_the_interpreter_as_it_was(db: None, tmp_path: Path) -> None:
    index(tmp_path, "a")
    before = sys.getswitchinterval(), gc.isenabled()
    snapshots.current_snapshot()
    Chunk.objects.all().delete()
    with pytest.raises(IndexDamaged):
        load_snapshot(*snapshots.stored_manifest())
    assert (sys.getswitchinterval(), gc.isenabled()) == before
