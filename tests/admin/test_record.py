"""The record of the whole site, for operators: read, never written."""

from pathlib import Path

import pytest
from django.urls import reverse

from rag.actions.governing import withdraw
from rag.models import AuditEvent
from tests.admin.site import approved, main, shown, signed_in, words

pytestmark = pytest.mark.django_db
RECORD = "/review/rag/auditevent/"


def test_an_operator_reads_what_happened_in_every_scope(tmp_path: Path) -> None:
    approved(tmp_path, "The pay review is in May.", "salary", scope="hr", version="1")
    withdraw("salary", actor="op", reason="A secret reason")
    page = signed_in("ada", "admin").get(RECORD)
    assert "withdraw salary version 1 op" in words(page)
    assert AuditEvent.objects.get(action="withdraw").sha256 in page.content.decode()
    assert "A secret reason" not in page.content.decode()


def test_the_record_is_filtered_and_searched(tmp_path: Path) -> None:
    approved(tmp_path, version="1")
    client = signed_in("ada", "admin")
    for query, found in (
        ({"action": "approve"}, 1),
        ({"q": "MEALS version", "action": "approve"}, 1),
        ({"q": "meals", "action": "import"}, 1),
        ({"action": "nonsense"}, 0),
    ):
        page = main(client.get(RECORD, query))
        assert page.count("<summary><span>") == found, query


def test_nothing_of_the_record_can_be_written(tmp_path: Path) -> None:
    approved(tmp_path)
    client = signed_in("ada", "admin")
    before = list(AuditEvent.objects.values())
    key = AuditEvent.objects.latest("pk").pk
    assert client.post(RECORD, {"actor": "x"}).status_code == 405
    nothing = shown(client.post("/review/nothing/"))
    for page in ("add", f"{key}/change", f"{key}/delete"):
        assert shown(client.post(f"{RECORD}{page}/", {"actor": "x"})) == nothing
    assert list(AuditEvent.objects.values()) == before
    assert "<form" not in main(client.get(RECORD)).replace('<form class="search-row"', "")


def test_looking_at_the_record_writes_nothing(tmp_path: Path) -> None:
    client = signed_in("ada", "admin")
    before = AuditEvent.objects.count()
    assert client.get(reverse("admin:rag_auditevent_changelist")).status_code == 200
    assert AuditEvent.objects.count() == before
