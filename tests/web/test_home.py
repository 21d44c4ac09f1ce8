"""Where the site's first address leads: to what is open to somebody, or to a page that says so."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from rag.actions.people import grant
from rag.actions.roles import create_group
from rag.core.roles import Permission
from tests import factories

PASSWORD = "a calm reading room"
TOKEN = re.compile(rb'value="\w{64}"')
pytestmark = pytest.mark.django_db


@pytest.fixture
def roland() -> User:
    """Somebody without a role, such as a first single sign-on whose claims map to no group."""
    person = factories.user("roland")
    person.set_password(PASSWORD)
    person.save()
    return person


def client_of(person: User) -> Client:
    client = Client()
    client.force_login(person, "django.contrib.auth.backends.ModelBackend")
    return client


def main_of(page: Any) -> str:
    """What stands between the frame's top and bottom."""
    found = re.search("<main.*</main>", page.content.decode(), re.DOTALL)
    assert found
    return found[0]


@pytest.mark.parametrize("role", ["member", "reviewer", "approver", "admin"])
def test_home_of_every_role_is_search(role: str) -> None:
    response = client_of(factories.user("erin", groups=[role])).get(reverse("home"))
    assert (response.status_code, response.headers["Location"]) == (302, reverse("search"))


@pytest.mark.parametrize(
    ("permission", "view"),
    [
        (Permission.ASK, "ask"),
        (Permission.UPLOAD, "upload"),
        (Permission.REVIEW, "admin:index"),
        (Permission.OPERATE, "status"),
    ],
)
def test_home_is_the_first_page_that_is_open(permission: Permission, view: str) -> None:
    group = create_group("a team", [permission], actor="op")
    client = client_of(factories.user("erin", groups=[group.name]))
    assert client.get(reverse("home")).headers["Location"] == reverse(view)
    assert client.get(reverse("home"), follow=True).status_code == 200


@pytest.mark.parametrize("permission", [Permission.APPROVE, Permission.PEOPLE])
def test_a_role_that_opens_nothing_without_review_is_not_called_none(
    permission: Permission,
) -> None:
    group = create_group("a team", [permission], actor="op")
    page = client_of(factories.user("erin", groups=[group.name])).get(reverse("home"))
    assert (page.status_code, "no role" in page.content.decode().lower()) == (200, False)
    assert "the permission to review, too" in main_of(page)


def test_sign_in_without_a_role_ends_on_a_page_that_says_so(client: Client, roland: User) -> None:
    form = {"username": "roland", "password": PASSWORD}
    page = client.post(reverse("login"), form, follow=True)
    assert page.status_code == 200
    assert "no role yet" in main_of(page) and "admin of this site" in main_of(page)
    assert "Sign out" in page.content.decode()


def test_page_without_a_role_shows_nothing_of_the_site(roland: User) -> None:
    client = client_of(roland)
    before = TOKEN.sub(b"", client.get(reverse("home")).content)
    grant("secret-scope", user="roland", create_scope=True)
    factories.user("adam", groups=["admin"])
    assert TOKEN.sub(b"", client.get(reverse("home")).content) == before


def test_htmx_gets_the_middle_of_the_page_without_a_role(roland: User) -> None:
    page = client_of(roland).get(reverse("home"), headers={"HX-Request": "true"})
    assert page.status_code == 200
    assert b"no role yet" in page.content and b"<html" not in page.content


def test_role_opens_the_site_on_the_next_request(roland: User) -> None:
    client = client_of(roland)
    assert client.get(reverse("home")).status_code == 200
    roland.groups.add(Group.objects.get(name="member"))
    assert client.get(reverse("home")).headers["Location"] == reverse("search")


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_home_is_only_read(roland: User, method: str) -> None:
    assert getattr(client_of(roland), method)(reverse("home")).status_code == 405


@pytest.mark.parametrize(
    ("groups", "label"), [([], "Start page"), (["member"], "Search"), (["a team"], "Status")]
)
@pytest.mark.parametrize("path", ["/nowhere/", "/accounts/password_change/done/"])
def test_button_of_a_page_that_ends_leads_to_a_page(
    groups: list[str], label: str, path: str
) -> None:
    create_group("a team", [Permission.OPERATE], actor="op")
    client = client_of(factories.user("erin", groups=groups))
    found = re.search(r'<a class="button" href="([^"]+)">([^<]+)</a>', main_of(client.get(path)))
    assert found and found[2] == label
    assert client.get(found[1], follow=True).status_code == 200
