"""Who gets into the review site, and that for everybody else it is not there."""

from pathlib import Path
from typing import Final

import pytest
from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from rag.actions.governing import erase
from rag.actions.people import revoke
from rag.admin.pages import GovernedAdmin
from rag.models import Revision
from tests import factories
from tests.admin.site import address, draft, person, shown, signed_in

pytestmark = pytest.mark.django_db

NOWHERE: Final = "/review/no/such/address/"
# What Django's own admin has, and this site does not.
GONE: Final = (
    *("login/", "logout/", "password_change/", "password_change/done/", "jsi18n/"),
    *("autocomplete/", "rag/", "auth/", "admin/logentry/", "r/1/1/", "rag/revision/add/"),
    *("rag/revision/1/delete/", "rag/revision/1/history/", "rag/revision/1/"),
    *("auth/user/1/delete/", "auth/user/1/history/", "auth/group/1/delete/", "rag/source/"),
)
LISTS: Final = ("auth_user", "auth_group", "rag_scope", "rag_grant", "rag_auditevent")


@pytest.mark.parametrize("group", [(), ("member",)], ids=["no role", "member"])
@pytest.mark.parametrize("method", ["get", "post", "head", "options"])
def test_without_the_permission_the_site_is_not_there(
    tmp_path: Path, group: tuple[str, ...], method: str
) -> None:
    client, revision = signed_in("erin", *group), draft(tmp_path)
    nothing = shown(getattr(client, method)("/no/such/address/"))
    paths = [reverse(f"admin:{name}_changelist") for name in (*LISTS, "rag_revision")]
    paths += ["/review/", NOWHERE, address(revision), address(revision, "approve")]
    for path in (*paths, *(f"/review/{gone}" for gone in GONE)):
        assert shown(getattr(client, method)(path)) == nothing, path


@pytest.mark.parametrize("path", ["/review/", NOWHERE, "/review/login/", "/review/rag/revision/"])
def test_who_has_not_signed_in_is_asked_to(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 302
    assert response.headers["Location"] == f"/accounts/login/?next={path}"


@pytest.mark.parametrize("gone", GONE)
def test_addresses_of_django_s_own_admin_are_gone(gone: str) -> None:
    client = signed_in("root", "admin")
    User.objects.filter(username="root").update(is_superuser=True, is_staff=True)
    for method in (client.get, client.post):
        assert shown(method(f"/review/{gone}")) == shown(method(NOWHERE))


@pytest.mark.parametrize("role", ["reviewer", "approver"])
@pytest.mark.parametrize("name", LISTS)
def test_people_and_the_record_are_not_there_for_who_reviews(role: str, name: str) -> None:
    client = signed_in("rita", role)
    nothing = shown(client.get(NOWHERE))
    url = reverse(f"admin:{name}_changelist")
    pages = (url, f"{url}add/", f"{url}1/change/", f"{url}1/password/", f"{url}1/revoke/")
    for path in pages:
        assert shown(client.get(path)) == nothing, path
        assert shown(client.post(path)) == shown(client.post(NOWHERE)), path


def test_a_reviewer_is_led_to_the_queue_and_sees_no_other_list() -> None:
    client = signed_in("rita", "reviewer")
    assert client.get("/review/").headers["Location"] == reverse("admin:rag_revision_changelist")
    page = client.get("/review/", follow=True).content.decode()
    for name in LISTS:
        assert reverse(f"admin:{name}_changelist") not in page


def test_an_admin_finds_every_list() -> None:
    page = signed_in("ada", "admin").get("/review/", follow=True).content.decode()
    for name in LISTS:
        assert f'href="{reverse(f"admin:{name}_changelist")}"' in page


@pytest.mark.parametrize("role", ["reviewer", "approver", "admin"])
def test_a_revision_that_may_not_be_read_is_missing(tmp_path: Path, role: str) -> None:
    person("hana", scopes=("hr",))
    factories.import_text(tmp_path, "salary", "The pay review is in May.", scope="hr")
    factories.import_text(tmp_path, "gone", "Old words.", scope="public")
    factories.rebuild()
    erase("gone", actor="hana", reason="request")
    client = signed_in("rita", role)
    hidden = [address(r) for r in Revision.objects.all()]
    assert len(hidden) == 2
    for path in (*hidden, address("0" * 64), address("x"), address("1")):
        assert shown(client.get(path)) == shown(client.get(NOWHERE)), path


@pytest.mark.parametrize("action", ["approve", "request_approval", "reject", "withdraw"])
def test_a_decision_about_what_may_not_be_read_is_missing(tmp_path: Path, action: str) -> None:
    revision = factories.import_text(tmp_path, "salary", "In May.", scope="hr", approve=False)
    factories.rebuild()
    client = signed_in("paul", "approver")
    form = {"shown_sha256": revision.text_sha256, "reason": "because"}
    nothing = shown(client.post(NOWHERE, form))
    assert shown(client.post(address(revision, action), form)) == nothing
    assert shown(client.post(address("0" * 64, action), form)) == nothing
    assert Revision.objects.get().state == "pending"


def test_a_superuser_reads_granted_scopes_only(tmp_path: Path) -> None:
    User.objects.create_superuser("root")
    client = Client()
    client.force_login(
        User.objects.get(username="root"), "django.contrib.auth.backends.ModelBackend"
    )
    revision = draft(tmp_path)
    assert client.get(address(revision)).status_code == 404
    assert revision.title not in client.get("/review/", follow=True).content.decode()


def test_a_revoked_grant_counts_from_the_next_request_on(tmp_path: Path) -> None:
    client, revision = signed_in("rita", "reviewer"), draft(tmp_path)
    assert client.get(address(revision)).status_code == 200
    revoke("public", user="rita")
    assert client.get(address(revision)).status_code == 404


def test_no_other_application_brings_its_own_forms() -> None:
    admin.site.register(LogEntry)
    admin.site.register(User, UserAdmin)
    pages = admin.site._registry
    assert LogEntry not in pages
    assert {User, Group} <= set(pages)
    assert all(isinstance(each, GovernedAdmin) for each in pages.values())
