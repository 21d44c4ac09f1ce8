"""The queue: what waits in the reviewer's own scopes, filtered and searched."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from rag.actions.governing import erase, reject, withdraw
from rag.models import Revision
from tests import factories
from tests.admin.site import RULE, address, draft, shown, signed_in, words

pytestmark = pytest.mark.django_db
QUEUE = "/review/rag/revision/"


def listed(client: Client, **query: str) -> list[str]:
    """Source ids of the queue, in its order."""
    page = client.get(QUEUE, query)
    assert page.status_code == 200
    by_address = {address(r): r.source.source_id for r in Revision.objects.all()}
    text = page.content.decode()
    found = [(text.find(f'"{url}"'), source) for url, source in by_address.items()]
    return [source for at, source in sorted(found) if at >= 0]


@pytest.fixture
def states(db: None, tmp_path: Path) -> None:
    """A revision in every state."""
    for name in ("waits", "refused", "taken", "served", "gone"):
        factories.import_text(tmp_path, name, f"{name}: {RULE}", approve=name in "taken served")
    factories.rebuild()
    reject(Revision.objects.get(source__source_id="refused").document_id, actor="op", reason="r")
    withdraw("taken", actor="op", reason="r")
    erase("gone", actor="op", reason="r")


@pytest.mark.parametrize(
    ("state", "found"),
    [
        ("", ["waits"]),
        ("pending", ["waits"]),
        ("approved", ["served"]),
        ("rejected", ["refused"]),
        ("withdrawn", ["taken"]),
        ("erased", []),
        ("all", ["refused", "served", "taken", "waits"]),
        ("nonsense", []),
    ],
)
def test_the_queue_shows_one_state_and_never_what_was_erased(
    states: None, state: str, found: list[str]
) -> None:
    assert sorted(listed(signed_in("rita", "reviewer"), state=state)) == found


def test_other_scopes_are_neither_listed_nor_offered(tmp_path: Path) -> None:
    draft(tmp_path)
    draft(tmp_path, "The pay review is in May.", "salary", scope="hr")
    client = signed_in("rita", "reviewer")
    assert listed(client) == ["meals"]
    assert listed(client, scope="hr") == []
    assert "scope=hr" not in client.get(QUEUE).content.decode()
    both = signed_in("bo", "reviewer", scopes=("public", "hr"))
    assert listed(both, scope="hr") == ["salary"]
    assert "scope=hr" in both.get(QUEUE).content.decode()


def test_hidden_revisions_change_no_byte_of_the_queue(tmp_path: Path) -> None:
    draft(tmp_path)
    client = signed_in("rita", "reviewer")
    queries: tuple[dict[str, Any], ...] = ({}, {"state": "all"}, {"q": "pay"}, {"scope": "hr"})
    before = [shown(client.get(QUEUE, query)) for query in queries]
    factories.import_text(tmp_path, "salary", "The pay review is in May.", scope="hr")
    draft(tmp_path, "Pay rises.", "rises", scope="hr")
    assert [shown(client.get(QUEUE, query)) for query in queries] == before


@pytest.mark.parametrize(
    ("q", "found"),
    [("ärzte", True), ("ÄRZTE hand", True), ("hand/b", True), ("arzt", False), ("a.b", False),
     ("(", False), ("%", False)],
)  # fmt: skip
def test_title_and_id_are_searched_word_by_word(tmp_path: Path, q: str, found: bool) -> None:
    draft(tmp_path, RULE, "hand/book", title="Für Ärzte")
    assert listed(signed_in("rita", "reviewer"), q=q) == (["hand/book"] if found else [])


@pytest.mark.parametrize(
    "query",
    [
        {"text__contains": "Meals"}, {"source__scope__name": "hr"}, {"_popup": "1"}, {"e": "1"},
        {"_to_field": "text"}, {"o": "1"}, {"all": ""}, {"_facets": "True"}, {"id__in": "x"},
    ],
    ids=str,
)  # fmt: skip
def test_other_parameters_of_django_s_admin_do_nothing(
    tmp_path: Path, query: dict[str, str]
) -> None:
    draft(tmp_path)
    client = signed_in("rita", "reviewer")
    assert shown(client.get(QUEUE, query)) == shown(client.get(QUEUE))


def test_a_row_says_what_an_approver_wants_to_know(tmp_path: Path) -> None:
    factories.import_text(tmp_path, "meals", RULE, title="Meals", version="7", approve=False)
    Revision.objects.update(approval_requested_by="paul")
    text = words(signed_in("rita", "reviewer").get(QUEUE))
    for part in (
        "Meals meals pending public not indexed yet approval requested by paul Version 7",
        "since 1 January 2026",
        "by op",
        "Pending 1",
        "Not indexed 1 of them",
    ):
        assert part in text, part


def test_long_queues_have_pages_and_no_page_beyond(tmp_path: Path) -> None:
    for number in range(51):
        factories.import_text(tmp_path, f"n{number:02}", f"{number}: {RULE}", approve=False)
    client = signed_in("rita", "reviewer")
    assert (len(listed(client)), len(listed(client, p="2"))) == (50, 1)
    assert "?p=2" in client.get(QUEUE).content.decode()
    assert client.get(QUEUE, {"p": "3"}).status_code == 404


def test_nothing_is_posted_to_the_queue(tmp_path: Path) -> None:
    revision = draft(tmp_path)
    form = {"action": "delete_selected", "_selected_action": revision.pk, "index": "0", "post": "y"}
    client = signed_in("ada", "admin")
    assert client.post(reverse("admin:rag_revision_changelist"), form).status_code == 405
    assert Revision.objects.filter(pk=revision.pk).exists()
