"""What somebody sees when the site fails: nothing that was typed is lost, and one can try again."""

from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client

from rag.core.errors import Busy
from tests import factories

pytestmark = pytest.mark.django_db
HTMX: Final = {"HX-Request": "true"}
SEARCH: Final = "/search/?q=leave&scope=hr"
TYPED: Final = [("search", SEARCH, "#results"), ("sources", "/sources/?q=leave", "#list")]


@pytest.fixture
def erin(client: Client) -> User:
    person = factories.user("erin", groups=["member"])
    client.force_login(person, "django.contrib.auth.backends.ModelBackend")
    return person


def failed(
    client: Client, monkeypatch: pytest.MonkeyPatch, error: Exception, path: str, **headers: str
) -> Any:
    """What comes back from a page of search or sources that fails."""

    def fail(*_: object, **__: object) -> None:
        raise error

    view = path.split("/")[1]
    monkeypatch.setattr(f"rag.web.views.{view}.access_of", fail)
    client.raise_request_exception = False
    return client.get(path, headers=headers)


@pytest.mark.parametrize("error", [OperationalError("gone"), Busy("Busy."), RuntimeError("bug")])
@pytest.mark.parametrize(("view", "path", "place"), TYPED, ids=["search", "sources"])
def test_a_failure_while_somebody_types_leaves_the_words_alone(
    client: Client, erin: User, monkeypatch: pytest.MonkeyPatch,
    error: Exception, view: str, path: str, place: str,
) -> None:  # fmt: skip
    response = failed(client, monkeypatch, error, path, **HTMX)
    assert (response["HX-Retarget"], response["HX-Push-Url"]) == (place, "false")
    assert 'role="alert"' in response.content.decode()
    assert "<h1" not in response.content.decode()


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
def test_what_did_not_answer_can_be_asked_for_again(
    client: Client, erin: User, monkeypatch: pytest.MonkeyPatch, headers: dict[str, str]
) -> None:
    page = failed(client, monkeypatch, OperationalError("gone"), SEARCH, **headers)
    assert page.status_code == 503
    assert f'href="{SEARCH.replace("&", "&amp;")}">Try again' in page.content.decode()
    assert ">Sign in<" not in page.content.decode()


def test_a_database_that_knows_nobody_asks_nobody_to_sign_in(
    client: Client, erin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(*_: object) -> None:
        raise OperationalError("gone")

    monkeypatch.setattr("rag.web.errors.frame", silent)
    page = failed(client, monkeypatch, OperationalError("gone"), SEARCH)
    assert ">Sign in<" not in page.content.decode()


def test_a_fault_does_not_promise_that_nothing_was_changed(
    client: Client, erin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = failed(client, monkeypatch, RuntimeError("bug"), SEARCH)
    assert page.status_code == 500
    assert "Nothing was changed" not in page.content.decode()
    assert "Look whether it was done" in page.content.decode()


@pytest.mark.parametrize("usable", [True, False])
def test_only_who_has_a_password_is_led_to_changing_it(
    client: Client, erin: User, usable: bool
) -> None:
    erin.set_password("correct horse battery" if usable else None)
    erin.save()
    client.force_login(erin, "django.contrib.auth.backends.ModelBackend")
    page = client.get("/sources/").content.decode()
    assert ("/accounts/password_change/" in page) is usable
    assert "erin" in page
