"""What is done again: rebuilding without a change, importing old texts, superseding by hand."""

from datetime import date
from pathlib import Path

import pytest

from rag.actions.governing import approve, erase, supersede, withdraw
from rag.actions.importing import ImportReport
from rag.core.errors import Cancelled, NotAllowed, NotFound
from rag.core.retrieval import Mode
from rag.core.sources import Selection, Status
from rag.models import AuditEvent, Manifest, RebuildRun, Revision
from tests import factories, fakes

OLD = "Meals on business trips are reimbursed up to EUR 45 per day."
NEW = "Meals on business trips are reimbursed up to EUR 52 per day."
NOTE = "a later text has replaced this one; give --version to bring it back"
MARCH = date(2026, 3, 1)


def generation() -> str:
    return Manifest.objects.get().generation


def served(day: date = factories.TODAY, selection: Selection = factories.EVERYTHING) -> list[str]:
    """The texts that a search about meals gives on that day."""
    who = factories.access("public", as_of=day)
    return [hit.text for hit in factories.search("meals", who, selection, mode=Mode.LEXICAL).hits]


# Rebuilding


def test_a_rebuild_without_a_change_keeps_the_generation(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", OLD)
    factories.rebuild()
    before = generation()
    report = factories.rebuild()
    assert (generation(), report.embedded, report.removed) == (before, 0, 0)


def test_a_rebuild_with_a_change_has_a_new_generation(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", OLD)
    factories.rebuild()
    seen = [generation()]
    factories.import_text(tmp_path, "b", NEW)
    factories.rebuild()
    seen.append(generation())
    factories.rebuild(factories.parts("words-5-overlap-0-v1"))
    seen.append(generation())
    erase("a", actor="op", reason="request")
    seen.append(generation())
    assert len(set(seen)) == 4


def test_a_run_holds_its_report(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", OLD)
    report = factories.rebuild().to_dict()
    assert RebuildRun.objects.get().report == report
    assert (report["chunks"], report["embedded"]) == (1, 1)


def test_a_run_that_fails_holds_no_report(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", OLD)

    def stop(vectors: object) -> object:
        raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        factories.rebuild(fakes.FakeParts(embedder=fakes.FakeEmbedder(stop)))
    run = RebuildRun.objects.get()
    assert (run.outcome, run.report) == ("cancelled", {})


# Importing again


def imported(folder: Path, text: str, *, approve: bool = True, **front: str) -> ImportReport:
    """The report of importing this text as what ``rule.md`` says now."""
    path = factories.write(folder, "rule.md", factories.with_front(text, **front))
    return factories.import_files(path, approve=approve)


def replaced(folder: Path) -> None:
    """A rule that a later text of the same file has replaced."""
    imported(folder, OLD, valid_from="2026-01-01")
    factories.rebuild()
    imported(folder, NEW, valid_from="2026-03-01")
    factories.rebuild()
    assert served() == [NEW]


def test_a_text_that_goes_back_is_told_how_to_come_back(db: None, tmp_path: Path) -> None:
    replaced(tmp_path)
    report = imported(tmp_path, OLD, valid_from="2026-01-01")
    assert report.unchanged == ["rule"]
    assert [note["note"] for note in report.notes] == [NOTE]
    assert factories.rebuild().approved == []
    assert served() == [NEW]


def test_a_text_comes_back_under_a_new_version(db: None, tmp_path: Path) -> None:
    replaced(tmp_path)
    report = imported(tmp_path, OLD, valid_from="2026-05-01", version="2")
    assert (report.imported, report.notes) == (["rule"], [])
    factories.rebuild()
    assert (served(), served(MARCH)) == ([OLD], [NEW])


def test_only_who_wants_an_approval_is_told(db: None, tmp_path: Path) -> None:
    replaced(tmp_path)
    assert imported(tmp_path, OLD, approve=False, valid_from="2026-01-01").notes == []
    assert imported(tmp_path, NEW, valid_from="2026-03-01").notes == []


def test_an_approval_is_requested_once(db: None, tmp_path: Path) -> None:
    requests = AuditEvent.objects.filter(action="request_approval")
    imported(tmp_path, OLD, approve=False)
    assert requests.count() == 0
    for _ in range(3):
        imported(tmp_path, OLD)
    assert (requests.count(), Revision.objects.get().approval_requested_by) == (1, "op")
    factories.rebuild()
    imported(tmp_path, OLD)
    assert (requests.count(), Revision.objects.get().approval_requested_by) == (1, "op")


# Superseding across sources


def two_sources(folder: Path) -> None:
    """An old guide and the one that is to take its place in March."""
    factories.import_text(folder, "old-guide", OLD)
    factories.import_text(folder, "new-guide", NEW, valid_from="2026-03-01")
    factories.rebuild()


def test_a_source_is_superseded_by_another_on_the_day_before(db: None, tmp_path: Path) -> None:
    two_sources(tmp_path)
    assert sorted(served()) == [OLD, NEW]
    [closed] = supersede("old-guide", by="new-guide", actor="op")
    closed.refresh_from_db()
    assert (closed.status, closed.valid_until) == ("superseded", date(2026, 2, 28))
    assert (served(date(2026, 2, 28)), served(MARCH)) == ([OLD], [NEW])


def test_superseding_is_on_record(db: None, tmp_path: Path) -> None:
    two_sources(tmp_path)
    [closed] = supersede("old-guide", by="new-guide", actor="op")
    event = AuditEvent.objects.get(action="supersede")
    successor = Revision.objects.get(source__source_id="new-guide")
    assert (event.actor, event.subject) == ("op", str(closed))
    assert event.details == {"by": successor.document_id, "until": "2026-02-28"}


def test_only_the_windows_that_reach_the_successor_are_closed(db: None, tmp_path: Path) -> None:
    past = "Meals were once reimbursed up to EUR 30 per day."
    factories.import_text(tmp_path, "old-guide", past, valid_from="2025-01-01")
    two_sources(tmp_path)
    [closed] = supersede("old-guide", by="new-guide", actor="op")
    assert closed.text.endswith(OLD)
    ends = Revision.objects.filter(source__source_id="old-guide").order_by("valid_from")
    assert [r.valid_until for r in ends] == [date(2025, 12, 31), date(2026, 2, 28)]


def test_there_must_be_something_to_supersede(db: None, tmp_path: Path) -> None:
    two_sources(tmp_path)
    supersede("old-guide", by="new-guide", actor="op")
    for source, reason in (
        ("old-guide", "old-guide has no window that reaches the first day"),  # closed already
        ("new-guide", "has no approved text in force that could supersede"),  # itself
    ):
        with pytest.raises(NotAllowed, match=reason):
            supersede(source, by="new-guide", actor="op")
    assert AuditEvent.objects.filter(action="supersede").count() == 1


def test_a_revision_does_not_supersede_itself_by_its_document_id(db: None, tmp_path: Path) -> None:
    two_sources(tmp_path)
    document = Revision.objects.get(source__source_id="old-guide").document_id
    for source, by in (("old-guide", document), (document, "old-guide"), (document, document)):
        with pytest.raises(NotAllowed, match="has no approved text in force"):
            supersede(source, by=by, actor="op")
    assert sorted(served()) == [OLD, NEW]


def test_unknown_sources_and_people_supersede_nothing(db: None, tmp_path: Path) -> None:
    two_sources(tmp_path)
    with pytest.raises(NotFound, match="no source 'x'"):
        supersede("x", by="new-guide", actor="op")
    with pytest.raises(NotFound, match="no source 'x'"):
        supersede("old-guide", by="x", actor="op")
    with pytest.raises(NotFound, match="no user 'nobody'"):
        supersede("old-guide", by="new-guide", actor="nobody")
    assert sorted(served()) == [OLD, NEW]


@pytest.mark.parametrize("fault", ["pending", "withdrawn", "erased", "superseded", "historical"])
def test_only_an_approved_current_text_supersedes(db: None, tmp_path: Path, fault: str) -> None:
    factories.import_text(tmp_path, "old-guide", OLD)
    status = fault if fault in ("superseded", "historical") else "current"
    factories.import_text(tmp_path, "new-guide", NEW, approve=fault != "pending", status=status)
    factories.rebuild()
    if act := {"withdrawn": withdraw, "erased": erase}.get(fault):
        act("new-guide", actor="op", reason="wrong")
    with pytest.raises(NotAllowed, match="new-guide has no approved text in force that could"):
        supersede("old-guide", by="new-guide", actor="op")
    assert served() == [OLD]


# A successor of a later day


@pytest.mark.parametrize("earlier_first", [True, False])
def test_a_future_successor_takes_nothing_from_today_s_current_text(
    db: None, tmp_path: Path, earlier_first: bool
) -> None:
    revisions = [
        factories.import_text(tmp_path, "a", OLD, approve=False),
        factories.import_text(tmp_path, "a", NEW, approve=False, valid_from="2027-01-01"),
    ]
    factories.rebuild()
    for revision in revisions if earlier_first else reversed(revisions):
        approve(revision.document_id, actor="op", shown_sha256=revision.text_sha256)
    current = Selection(statuses=frozenset({Status.CURRENT}))
    assert served(selection=current) == served() == [OLD]
    assert served(date(2026, 12, 31), current) == [OLD]
    assert served(date(2027, 1, 1), current) == [NEW]
