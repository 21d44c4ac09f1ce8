"""An index that cannot be asked: each is told what they can do about it, and no more."""

from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from rag.actions.people import grant
from rag.core import errors
from tests import factories

pytestmark = pytest.mark.django_db
QUESTION: Final = {"q": "Which meals are reimbursed?"}
UNUSABLE: Final = (
    errors.IndexMissing(),
    errors.IndexMismatch("model", "bge-old", "bge-new"),
    errors.IndexDamaged("a vector does not match its SHA-256", "hr/secret#0"),
    errors.SourceDamaged("hr/secret"),
    errors.IndexBehind(),
)
OPERATORS: Final = ("manage.py", "rebuild --check", "bge-", "/status/", "hr/secret")


@pytest.fixture(autouse=True)
def hashing(settings: Settings) -> None:
    settings.EVIDENCE_PROFILE = "hashing"


def signed_in(name: str, role: str) -> Client:
    """Somebody with that role who may read ``public``."""
    person: User = factories.user(name, groups=[role])
    grant("public", user=name, create_scope=True)
    client = Client()
    client.force_login(person, "django.contrib.auth.backends.ModelBackend")
    return client


def failing(error: Exception) -> Any:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def main(response: Any) -> str:
    """What stands below the frame's links, or the whole of a fragment."""
    text = " ".join(response.content.decode().split())
    return text.partition("<main")[2] or text


def pages(client: Client, status: int = 503) -> list[str]:
    """The search page, its fragment and the ask page of somebody who looks for something."""
    responses = [
        client.get("/search/", QUESTION),
        client.get("/search/", QUESTION, headers={"HX-Request": "true"}),
        client.post("/ask/", QUESTION),
    ]
    assert [response.status_code for response in responses] == [status] * 3
    return [main(response) for response in responses]


def test_a_member_is_told_whom_to_ask_before_the_first_index() -> None:
    search, fragment, ask = pages(signed_in("erin", "member"))
    for text in (search, fragment, ask):
        assert "There is no index yet. Ask an admin of this site to build it." in text
    assert "to build it. Your question is still here.</p>" in ask


def test_who_may_rebuild_is_told_how() -> None:
    search, fragment, ask = pages(signed_in("ada", "admin"))
    for text in (search, fragment, ask):
        assert "There is no index yet. Run: manage.py rebuild." in text
        assert 'href="/status/">' in text and "Ask an admin" not in text
    assert "</a>. Your question is still here.</p>" in ask


@pytest.mark.parametrize("error", UNUSABLE, ids=lambda error: type(error).__name__)
def test_members_see_neither_commands_nor_what_is_wrong_inside(
    monkeypatch: pytest.MonkeyPatch, error: errors.Unusable
) -> None:
    monkeypatch.setattr("rag.web.views.search.find", failing(error))
    monkeypatch.setattr("rag.actions.waiting.begin", failing(error))
    for text in pages(signed_in("erin", "member")):
        assert " admin of this site" in text and [word for word in OPERATORS if word in text] == []


@pytest.mark.parametrize("error", UNUSABLE, ids=lambda error: type(error).__name__)
def test_operators_see_the_advice_and_no_source(
    monkeypatch: pytest.MonkeyPatch, error: errors.Unusable
) -> None:
    monkeypatch.setattr("rag.web.views.search.find", failing(error))
    monkeypatch.setattr("rag.actions.waiting.begin", failing(error))
    for text in pages(signed_in("ada", "admin")):
        assert "rebuild" in text and 'href="/status/"' in text and "hr/secret" not in text


def test_hidden_sources_change_nothing_before_the_first_index(tmp_path: Path) -> None:
    client = signed_in("erin", "member")
    before = main(client.get("/search/", QUESTION))
    factories.import_text(tmp_path, "secret", "Meals are secret.", scope="hr", approve=False)
    assert main(client.get("/search/", QUESTION)) == before


def test_other_failures_keep_their_name(monkeypatch: pytest.MonkeyPatch) -> None:
    error = errors.ProviderError("embedded", "embed", "out of memory")
    monkeypatch.setattr("rag.web.views.search.find", failing(error))
    text = main(signed_in("erin", "member").get("/search/", QUESTION))
    assert "needs failed (embedded: embed)" in text and "memory" not in text
    text = main(signed_in("ada", "admin").get("/search/", QUESTION))
    assert "embedded: embed failed: out of memory." in text
