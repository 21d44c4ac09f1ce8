"""What holds for every page: headers, errors, sessions that end, settings of a real site."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from rag.core import errors
from rag.web.errors import status_of
from tests import factories

TEMPLATES: Final = sorted((Path(settings.BASE_DIR) / "templates").rglob("*.html"))
PAGES: Final = ("search", "ask", "answers", "sources")
pytestmark = pytest.mark.django_db


@pytest.fixture
def erin(client: Client) -> User:
    """A member who has signed in, without any grant."""
    person = factories.user("erin", groups=["member"])
    client.force_login(person, "django.contrib.auth.backends.ModelBackend")
    return person


@pytest.mark.parametrize("name", PAGES)
def test_page_may_load_from_this_site_alone(client: Client, erin: User, name: str) -> None:
    policy = dict(
        directive.strip().split(" ", 1)
        for directive in client.get(reverse(name)).headers["Content-Security-Policy"].split(";")
    )
    assert policy.pop("default-src") == "'none'"
    assert set(policy.values()) == {"'self'", "'none'"}
    assert {"base-uri", "form-action", "frame-ancestors"} <= set(policy)


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "fragment"])
@pytest.mark.parametrize("name", PAGES)
def test_no_cache_keeps_a_page(
    client: Client, erin: User, name: str, headers: dict[str, str]
) -> None:
    response = client.get(reverse(name), headers=headers)
    assert response.headers["Cache-Control"] == "no-store"
    assert {"Cookie", "HX-Request"} <= set(response.headers["Vary"].split(", "))
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["X-Frame-Options"] == "DENY"
    assert response.headers["Referrer-Policy"] == "same-origin"


# A report is written to a file and opened from there, not by the site.
ALONE = "evaluation_report.html"


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: str(path.name))
def test_template_has_no_inline_script_style_or_foreign_address(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for pattern in (
        r"<script(?![^>]*\bsrc=)",
        r"<style",
        r"\sstyle=",
        r"\son\w+=",
        r"javascript:",
        r'(?:src|href|action)="(?:https?:)?//',
        r"\|safe(?!ty)",
    ):
        found = re.findall(pattern, text)
        allowed = pattern.startswith(r"\|safe") and path.name in SAFE
        allowed |= pattern == r"<style" and path.name == ALONE
        assert not found or allowed, (pattern, found)


# Where HTML is put in that is not a template's own: Django's help texts, the sanitised source.
SAFE: Final = ("_field.html", "_source_text.html")


def test_browser_keeps_no_pages_for_the_back_button(client: Client, erin: User) -> None:
    page = client.get(reverse("search")).content.decode()
    assert '"historyCacheSize":0' in page
    assert '"allowEval":false' in page


def test_ended_session_redirects_a_fragment_as_a_whole_page(client: Client) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": "http://testserver/search/?q=leave"}
    response = client.get("/search/?q=leaves", headers=headers)
    assert (response.status_code, response.content) == (204, b"")
    location = response.headers["HX-Redirect"]
    assert location == "/accounts/login/?next=%2Fsearch%2F%3Fq%3Dleave"


def test_ended_session_redirects_a_restored_page_like_any_other(client: Client) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    response = client.get("/search/?q=leave", headers=headers)
    assert response.status_code == 302


def test_restored_page_is_whole(client: Client, erin: User) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    page = client.get("/search/?q=leave", headers=headers).content
    assert page.startswith(b"<!doctype html>")


def test_form_from_elsewhere_is_refused(erin: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(erin, "django.contrib.auth.backends.ModelBackend")
    response = client.post(reverse("ask"), {"q": "How many days?"})
    assert response.status_code == 403
    assert "reload the page" in response.content.decode()


ERRORS: Final[dict[errors.RagError, int]] = {
    errors.NotFound("source", "hr/secret"): 404,
    errors.InvalidOption("as_of", "x", "use a day"): 400,
    errors.NotAllowed("It is withdrawn."): 409,
    errors.Busy("Another rebuild is running."): 503,
    errors.IndexMissing(): 503,
    errors.IndexMismatch("model", "a", "b"): 503,
    errors.SourceDamaged("hr/secret"): 503,
    errors.IndexBehind(): 503,
    errors.ProviderError("ollama", "embed", "refused"): 503,
    errors.StorageError("The disk is full."): 503,
}


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "fragment"])
def test_error_has_its_status_and_names_no_source(
    client: Client,
    erin: User,
    monkeypatch: pytest.MonkeyPatch,
    error: errors.RagError,
    headers: dict[str, str],
) -> None:
    monkeypatch.setattr("rag.web.views.search.access_of", raising(error))
    response = client.get("/search/?q=leave", headers=headers)
    text = response.content.decode()
    assert response.status_code == ERRORS[error] == status_of(error)
    assert "hr/secret" not in text
    assert ("<html" in text) is not bool(headers)
    place = "#results" if response.status_code >= 500 else "#main"
    assert response.headers.get("HX-Retarget") == (place if headers else None)


def raising(error: Exception) -> Any:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


def test_locked_database_is_a_page(
    client: Client, erin: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = raising(OperationalError("database is locked"))
    monkeypatch.setattr("rag.web.views.search.access_of", locked)
    response = client.get("/search/?q=leave")
    assert response.status_code == 503
    assert "Try again in a moment" in response.content.decode()


def test_fault_of_ours_is_a_page_without_details(
    erin: User, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(erin, "django.contrib.auth.backends.ModelBackend")
    monkeypatch.setattr("rag.web.views.search.access_of", raising(KeyError("hr/secret")))
    response = client.get("/search/?q=leave")
    assert response.status_code == 500
    assert "hr/secret" not in response.content.decode()


def test_unknown_and_forbidden_address_get_the_same_page(client: Client, erin: User) -> None:
    pages = [client.get(path) for path in ("/nowhere/", "/status/", "/review/", "/upload/")]
    token = re.compile(rb'value="\w{64}"')
    assert {page.status_code for page in pages} == {404}
    assert len({token.sub(b"", page.content) for page in pages}) == 1


def check_deploy(home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    ours = ("EVIDENCE_", "DJANGO_")
    kept = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    return subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=settings.BASE_DIR,
        env=kept | {"EVIDENCE_HOME": str(home)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_settings_of_a_real_site_pass_djangos_own_check(tmp_path: Path) -> None:
    done = check_deploy(tmp_path, BEHIND_TLS_PROXY="true", ALLOWED_HOSTS="evidence.example.org")
    assert (done.returncode, done.stderr) == (0, "")
    assert "no issues" in done.stdout


def test_djangos_check_would_notice_an_unsafe_site(tmp_path: Path) -> None:
    assert check_deploy(tmp_path).returncode == 1
