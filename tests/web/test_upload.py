"""The upload page: its form, its report, its limits, and for whom it is."""

from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from rag.actions.governing import approve
from rag.actions.importing import UNAVAILABLE
from rag.actions.people import grant
from rag.adapters.files import MAX_BYTES
from rag.models import AuditEvent, Revision
from rag.web.forms.upload import MAX_FILES, MAX_REQUEST
from rag.web.views.upload import TOO_LARGE
from tests import factories

RULE: Final = "Meals on business trips are reimbursed up to EUR 52 per day."
BACKEND: Final = "django.contrib.auth.backends.ModelBackend"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def rita(client: Client, settings: Settings) -> User:
    """Rita reviews, may read the scope public, and has signed in. There is a scope hr as well."""
    settings.EVIDENCE_PROFILE = "hashing"
    person = factories.user("rita", groups=["reviewer"])
    factories.scope("hr")
    grant("public", user="rita", create_scope=True)
    client.force_login(person, BACKEND)
    return person


def file(name: str = "leave.md", content: str | bytes = RULE) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def send(
    client: Client, files: Sequence[SimpleUploadedFile], scope: str = "public", **fields: Any
) -> Any:
    data = {"file": files, "scope": scope, **fields}
    return client.post(reverse("upload"), data)


def text(response: Any) -> str:
    return " ".join(response.content.decode().split())


def test_the_form_offers_the_scopes_that_one_may_read(client: Client) -> None:
    shown = text(client.get(reverse("upload")))
    assert '<option value="public">public</option>' in shown
    assert "hr" not in shown.partition("<select")[2].partition("</select>")[0]
    assert 'enctype="multipart/form-data"' in shown


def test_of_several_scopes_none_is_chosen_beforehand(client: Client) -> None:
    grant("hr", user="rita")
    shown = text(client.get(reverse("upload")))
    assert '<option value="" selected>Choose…</option>' in shown


def test_without_a_grant_there_is_nothing_to_fill_in(client: Client) -> None:
    client.force_login(factories.user("nora", groups=["reviewer"]), BACKEND)
    shown = text(client.get(reverse("upload")))
    assert "There is no scope that you could upload into." in shown
    assert "<select" not in shown


def test_a_report_says_what_became_of_each_file(client: Client) -> None:
    send(client, [file("old.md", f"{RULE} Old.")])
    response = send(
        client, [file("old.md", f"{RULE} Old."), file(), file("x.exe"), file("e.md", b" ")]
    )
    shown = text(response)
    assert response.status_code == 200
    assert [shown.count(f">{word}</span>") for word in ("pending", "unchanged", "refused")] == [
        1,
        1,
        2,
    ]
    for name in ("old.md", "leave.md", "x.exe", "e.md"):
        assert f"<bdi>{name}</bdi>" in shown
    assert "Only .md and .txt files are uploaded." in shown
    assert "There is no text in it." in shown
    revision = Revision.objects.get(source__source_id="leave")
    assert f'href="{reverse("source", args=[revision.document_id])}"' in shown


def test_what_is_uploaded_waits_under_the_name_of_who_sent_it(client: Client) -> None:
    send(client, [file()])
    revision = Revision.objects.get()
    assert (revision.state, revision.imported_by, revision.source.scope.name) == (
        "pending",
        "rita",
        "public",
    )
    assert AuditEvent.objects.latest("pk").actor == "rita"


def test_the_fields_count_for_every_file(client: Client) -> None:
    fields = {"folder": "/policies/", "version": "2027", "product": "GX",
              "valid_from": "2027-01-01", "valid_until": "2027-12-31"}  # fmt: skip
    send(client, [file("a.md"), file("b.md")], **fields)
    rows = Revision.objects.order_by("source__source_id")
    assert [row.source.source_id for row in rows] == ["policies/a", "policies/b"]
    assert {(row.version, row.product) for row in rows} == {("2027", "GX")}
    window = {(row.valid_from, row.valid_until) for row in rows}
    assert window == {(date(2027, 1, 1), date(2027, 12, 31))}


WRONG: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "no file": ({"file": []}, "Choose at least one file."),
    "no scope": ({"scope": ""}, "Choose the scope."),
    "window": (
        {"valid_from": "2026-02-01", "valid_until": "2026-01-01"},
        "The last day lies before the first one.",
    ),
    "day": ({"valid_from": "soon"}, "Give a day such as 2026-11-30."),
    "version": ({"version": "x" * 201}, "at most 200 characters"),
    "many": (
        {"file": [SimpleUploadedFile(f"{n}.md", b"x") for n in range(MAX_FILES + 1)]},
        f"Choose at most {MAX_FILES} files at once.",
    ),
}


@pytest.mark.parametrize(("fields", "sentence"), WRONG.values(), ids=WRONG)
def test_a_form_that_makes_no_sense_is_shown_again(
    client: Client, fields: dict[str, Any], sentence: str
) -> None:
    response = send(
        client, **({"files": [file()]} | {"files": fields.pop("file", [file()])}), **fields
    )
    assert response.status_code == 422
    assert sentence in text(response)
    assert not Revision.objects.exists()


def test_optional_fields_are_in_view_once_they_are_wrong(client: Client) -> None:
    assert "<details>" in text(client.get(reverse("upload")))
    assert "<details open>" in text(send(client, [file()], valid_from="soon"))


def test_a_forbidden_scope_is_answered_like_one_that_is_not_there(client: Client) -> None:
    forbidden, missing = (send(client, [file()], scope) for scope in ("hr", "zz"))
    assert forbidden.status_code == missing.status_code == 422
    assert len(forbidden.content) == len(missing.content)
    assert "Choose a scope from the list." in text(forbidden)
    assert not Revision.objects.exists()


def test_a_forbidden_id_is_not_available_and_that_is_all(client: Client, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "payroll", RULE, scope="hr")
    shown = text(send(client, [file("payroll.md", "Another text.")]))
    assert f"{UNAVAILABLE[0].upper()}{UNAVAILABLE[1:]}." in shown
    assert "hr" not in shown.partition("<main")[2].replace("href", "").split()


@pytest.mark.parametrize("name", ["<img src=x onerror=alert(1)>.md", "a&b'\"c.md", "‮txt.md"])
def test_a_name_is_data(client: Client, name: str) -> None:
    shown = text(send(client, [file(name)]))
    assert "<img" not in shown
    assert Revision.objects.count() == 1


def test_a_name_is_never_a_path(client: Client) -> None:
    send(client, [file("../../etc/leave.md")])
    assert Revision.objects.get().source.source_id == "leave"


# Limits


def test_one_file_that_is_too_large_does_not_stop_the_others(client: Client) -> None:
    shown = text(send(client, [file("big.md", b"x" * (MAX_BYTES + 1)), file()]))
    assert "It is larger than 2 MB." in shown
    assert Revision.objects.get().source.source_id == "leave"


def test_a_request_that_is_too_large_is_not_read(client: Client) -> None:
    response = client.post(reverse("upload"), {"file": file()}, CONTENT_LENGTH=str(MAX_REQUEST + 1))
    assert response.status_code == 413
    assert TOO_LARGE in text(response)
    assert not Revision.objects.exists()


@pytest.mark.parametrize(
    "limits",
    [
        {"DATA_UPLOAD_MAX_MEMORY_SIZE": 10},
        {"DATA_UPLOAD_MAX_NUMBER_FILES": 1},
        {"DATA_UPLOAD_MAX_NUMBER_FIELDS": 1},
    ],
    ids=str,
)
def test_limits_of_the_framework_end_in_a_sentence(
    client: Client, settings: Settings, limits: dict[str, int]
) -> None:
    for name, value in limits.items():
        setattr(settings, name, value)
    response = send(client, [file(), file("b.md")], version="a long version", product="x")
    assert response.status_code == 413
    assert TOO_LARGE in text(response)


# For whom


def test_the_form_needs_its_token(rita: User) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(rita, BACKEND)
    assert send(strict, [file()]).status_code == 403
    assert not Revision.objects.exists()
    page = strict.get(reverse("upload")).content.decode()
    token = page.partition('name="csrfmiddlewaretoken" value="')[2].partition('"')[0]
    assert send(strict, [file()], csrfmiddlewaretoken=token).status_code == 200


def test_for_a_member_there_is_no_such_page(client: Client) -> None:
    client.force_login(factories.user("erin", groups=["member"]), BACKEND)
    missing = client.get("/no/such/page/")
    for response in (client.get(reverse("upload")), send(client, [file()])):
        assert response.status_code == 404
        assert len(response.content) == len(missing.content)
    assert not Revision.objects.exists()


def test_who_has_not_signed_in_signs_in_first() -> None:
    response = send(Client(), [file()])
    assert (response.status_code, response["Location"]) == (302, "/accounts/login/?next=/upload/")


def test_an_upload_is_served_once_it_is_indexed_and_approved(client: Client) -> None:
    send(client, [file()], valid_from="2026-01-01")
    factories.rebuild()
    assert factories.search("meals").hits == ()
    revision = Revision.objects.get()
    approve(revision.document_id, actor="rita", shown_sha256=revision.text_sha256)
    assert factories.labels(factories.search("meals")) == ["leave#0"]
