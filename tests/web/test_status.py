"""The status page: what it counts, what it says of rebuilds, and its button."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from rag.actions import starting
from rag.actions.governing import approve, withdraw
from rag.actions.rebuild_lock import only_rebuild
from rag.models import AuditEvent, Manifest, RebuildRun, Revision
from rag.queries.runs import LAST, counts
from rag.web.presenters import runs as presented
from rag.web.presenters.runs import length, moment
from tests import factories

RULE: Final = "Meals on business trips are reimbursed up to EUR 52 per day."
HTMX: Final = {"HX-Request": "true"}
NOW: Final = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def olga(client: Client, settings: Settings) -> User:
    """Olga operates the site and has signed in."""
    settings.EVIDENCE_PROFILE = "hashing"
    person = factories.user("olga", groups=["admin"])
    client.force_login(person, "django.contrib.auth.backends.ModelBackend")
    return person


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Count what would be started, and start nothing."""
    headings: list[str] = []
    monkeypatch.setattr(starting, "_spawn", headings.append)
    return headings


def page(client: Client, name: str = "status", **headers: str) -> str:
    response = client.get(reverse(name), headers=headers)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def fragment(client: Client) -> Any:
    return client.get(reverse("status_progress"), headers=HTMX)


def run(**fields: Any) -> RebuildRun:
    """A row; ``auto_now`` fields are set past the model."""
    row = RebuildRun.objects.create()
    RebuildRun.objects.filter(pk=row.pk).update(**fields)
    return row


def test_an_empty_site_says_what_to_do_first(client: Client) -> None:
    text = page(client)
    assert "There is no index yet" in text
    assert "No rebuild has ended yet." in text
    assert "Nothing waits." in text


def test_revisions_are_counted_by_what_they_wait_for(tmp_path: Path) -> None:
    served = factories.import_text(tmp_path, "served", RULE)
    leaving = factories.import_text(tmp_path, "leaving", f"{RULE} Leaving.")
    factories.import_text(tmp_path, "pending", f"{RULE} Pending.", approve=False)
    factories.rebuild()
    factories.import_text(tmp_path, "new", f"{RULE} New.", approve=False)
    withdraw(leaving.document_id, actor="op", reason="a test")
    found = counts()
    assert (found.indexed, found.pending, found.unindexed, found.leaving) == (3, 1, 1, 1)
    assert served.state == "pending"  # as it was imported


def test_what_waits_is_a_next_step(client: Client, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE, approve=False)
    assert "One text is new, and taken in by the next rebuild." in page(client)
    factories.rebuild()
    text = page(client)
    assert "One text is waiting for approval." in text
    assert f'href="{reverse("admin:index")}">Review' in text


def test_the_index_says_what_it_was_made_from(client: Client, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    text = page(client)
    for value in ("hashing", "<dd>256</dd>", "sections-v2", "<dt>Chunks</dt><dd>1</dd>"):
        assert value in text


def test_an_index_made_otherwise_than_configured_is_said(
    client: Client, tmp_path: Path, settings: Settings
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    factories.rebuild()
    settings.EVIDENCE_CHUNKING = "words-50-overlap-10-v1"
    assert "The index was made with chunking" in page(client)


def test_a_damaged_manifest_does_not_take_the_page_away(client: Client) -> None:
    Manifest.objects.create(pk=1, content={}, generation="x")
    assert "The index is damaged" in page(client)


def test_an_approval_that_failed_is_named_until_it_is_settled(
    client: Client, tmp_path: Path
) -> None:
    past: dict[str, Any] = {"valid_from": None, "valid_until": "2020-01-01"}
    revision = factories.import_text(tmp_path, "late", RULE, version="1", **past)
    factories.rebuild()
    text = page(client)
    assert "late version 1 would never be in force" in text
    assert "1 not approved" in text
    Revision.objects.filter(pk=revision.pk).update(state="rejected")
    assert "would never be in force" not in page(client)


# Rebuilds that have ended


def test_the_last_ten_rebuilds_are_listed(client: Client) -> None:
    for _ in range(LAST + 2):
        run(outcome="done", report={"seconds": 1.5, "chunks": 1220, "embedded": 3, "reused": 0})
    text = page(client)
    assert text.count('<span class="when">') == LAST
    assert "1.5 s · 1,220 chunks · 3 embedded</span>" in text


@pytest.mark.parametrize("outcome", ["failed", "cancelled", "interrupted", "done"])
def test_how_a_rebuild_ended_is_said_in_a_word(client: Client, outcome: str) -> None:
    run(outcome=outcome, error="ollama: embed failed: <refused>.")
    text = page(client)
    assert f">{outcome}</span>" in text
    shown = outcome != "interrupted"
    assert ("ollama: embed failed: &lt;refused&gt;." in text) == shown


def test_a_killed_rebuild_does_not_run_for_ever(client: Client) -> None:
    run(stage="embed", done=16, total=64)
    text = page(client)
    assert "No rebuild is running" in text
    assert ">interrupted</span>" in text
    assert "Its process ended without a word." in text
    assert "disabled" not in text


# A rebuild under way


def test_a_running_rebuild_shows_how_far_it_is(client: Client) -> None:
    with only_rebuild():
        run(stage="embed", done=16, total=64)
        text = page(client)
    assert "A rebuild is running" in text
    assert "16 of 64</span>" in text
    assert 'max="64" value="16"' in text
    assert "last sign of life" in text
    assert 'id="rebuild-now" disabled' in text


def test_a_silent_rebuild_is_said_to_be_silent(client: Client) -> None:
    with only_rebuild():
        run(stage="embed", heartbeat=timezone.now() - timedelta(minutes=3))
        text = page(client)
    assert "last sign of life 3 min" in text
    assert "It has been silent for long, but its process is there." in text


def test_a_rebuild_that_has_the_lock_but_no_row_yet_is_starting(client: Client) -> None:
    run(outcome="done")
    with only_rebuild():
        text = page(client)
    assert "A rebuild is starting" in text
    assert 'id="rebuild-now" disabled' in text


@pytest.mark.parametrize("live", [True, False])
def test_the_page_asks_again_only_while_a_rebuild_runs(client: Client, live: bool) -> None:
    if live:
        with only_rebuild():
            run(stage="embed", done=1, total=2)
            shown = [page(client), fragment(client).content.decode()]
    else:
        run(outcome="done")
        shown = [page(client), fragment(client).content.decode()]
    assert [("every 1s" in text) for text in shown] == [live, live]


def test_the_fragment_of_a_running_rebuild_is_its_card_alone(client: Client) -> None:
    with only_rebuild():
        run(stage="embed", done=1, total=2)
        response = fragment(client)
    assert response.content.decode().startswith('<section id="rebuild"')
    assert "HX-Retarget" not in response.headers


def test_the_end_of_a_rebuild_renews_everything_and_is_announced(client: Client) -> None:
    run(outcome="done")
    response = fragment(client)
    text = response.content.decode()
    assert (response["HX-Retarget"], response["HX-Reswap"]) == ("#status", "outerHTML")
    assert text.startswith('<div id="status"')
    assert 'hx-swap-oob="innerHTML">The rebuild has ended: done.</p>' in text


def test_the_address_of_the_fragment_leads_a_browser_to_the_page(client: Client) -> None:
    assert client.get(reverse("status_progress"))["Location"] == reverse("status")
    restored = HTMX | {"HX-History-Restore-Request": "true"}
    assert client.get(reverse("status_progress"), headers=restored).status_code == 302


Change = Callable[[RebuildRun], None]


def ends(row: RebuildRun) -> None:
    RebuildRun.objects.filter(pk=row.pk).update(outcome="done")


def begins(row: RebuildRun) -> None:
    RebuildRun.objects.create(stage="embed")


def stays(row: RebuildRun) -> None:
    """Killed."""


@pytest.mark.parametrize(
    ("change", "live", "newest"),
    [(ends, False, "done"), (stays, False, "interrupted"), (begins, True, "interrupted")],
)
def test_what_happens_between_row_and_lock_is_not_misread(
    monkeypatch: pytest.MonkeyPatch, change: Change, live: bool, newest: str
) -> None:
    """The row said "running"; then the lock is seen free: it ended, died, or another one began."""
    row = run(stage="publish")

    def look() -> bool:
        change(row)
        return False

    monkeypatch.setattr(presented, "rebuild_is_running", look)
    found = presented.runs(timezone.now())
    assert (found.progress.live, found.ended[0].chip.word) == (live, newest)


# The button


def test_the_button_starts_a_rebuild_and_comes_back(client: Client, started: list[str]) -> None:
    response = client.post(reverse("status_rebuild"), follow=True)
    assert response.redirect_chain == [(reverse("status"), 302)]
    assert "The rebuild has begun." in response.content.decode()
    assert "A rebuild is starting" in response.content.decode()
    assert len(started) == 1
    assert AuditEvent.objects.get(action="start_rebuild").actor == "olga"


def test_by_htmx_it_answers_with_the_state(client: Client, started: list[str]) -> None:
    response = client.post(reverse("status_rebuild"), headers=HTMX)
    text = response.content.decode()
    assert text.startswith('<div id="status"')
    assert "The rebuild has begun." in text
    assert "every 1s" in text


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
def test_while_one_runs_the_button_says_so(
    client: Client, started: list[str], headers: dict[str, str]
) -> None:
    with only_rebuild():
        response = client.post(reverse("status_rebuild"), headers=headers, follow=True)
    assert response.status_code == 200
    assert "A rebuild is running already. Wait for it to end." in response.content.decode()
    assert started == []


def test_a_start_that_came_to_nothing_is_said(
    client: Client, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    client.post(reverse("status_rebuild"))
    monkeypatch.setattr(starting, "STARTING", timedelta())
    text = page(client)
    assert "has not begun. See rebuild.log" in text
    assert "every 1s" not in text


def test_only_a_post_starts(client: Client, started: list[str]) -> None:
    assert client.get(reverse("status_rebuild")).status_code == 405
    assert started == []


def test_a_post_needs_its_token(olga: User, started: list[str]) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(olga, "django.contrib.auth.backends.ModelBackend")
    assert strict.post(reverse("status_rebuild")).status_code == 403
    assert started == []


@pytest.mark.parametrize("role", ["member", "reviewer", "approver"])
@pytest.mark.parametrize("name", ["status", "status_progress", "status_rebuild"])
def test_for_others_there_is_no_such_page(
    client: Client, started: list[str], role: str, name: str
) -> None:
    client.force_login(
        factories.user("erin", groups=[role]), "django.contrib.auth.backends.ModelBackend"
    )
    missing = client.get("/no/such/page/")
    for response in (client.get(reverse(name)), client.post(reverse(name))):
        assert response.status_code == 404
        assert len(response.content) == len(missing.content)
    assert started == []


def test_the_page_shows_no_text_of_a_source(client: Client, tmp_path: Path) -> None:
    revision = factories.import_text(tmp_path, "a", RULE, approve=False, title="Of meals")
    factories.rebuild()
    approve(revision.document_id, actor="op", shown_sha256=revision.text_sha256)
    assert not {word for word in ("Meals", "Of meals", "reimbursed") if word in page(client)}


# Words


@pytest.mark.parametrize(
    ("when", "words"),
    [
        (datetime(2026, 6, 1, 6, 0, tzinfo=UTC), "today, 08:00"),
        (datetime(2026, 5, 31, 21, 59, tzinfo=UTC), "31 May 2026, 23:59"),
        (datetime(2026, 5, 31, 22, 1, tzinfo=UTC), "today, 00:01"),
    ],
)
def test_a_moment_is_told_in_the_site_s_zone(
    settings: Settings, when: datetime, words: str
) -> None:
    settings.TIME_ZONE = "Europe/Berlin"
    assert moment(when, NOW) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-1, "0.0 s"), (0.44, "0.4 s"), (42.4, "42 s"), (185, "3 min 5 s"), (7620, "2 h 7 min")],
)
def test_a_duration_is_told_in_its_two_largest_parts(seconds: float, words: str) -> None:
    assert length(timedelta(seconds=seconds)) == words
