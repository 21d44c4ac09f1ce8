"""Who can read a source: through which grant, with which role, shown to approvers alone."""

import re
from pathlib import Path
from typing import Final

import pytest
from django.contrib.auth.models import Permission as Row
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from rag.actions.governing import withdraw
from rag.actions.people import grant, revoke
from rag.models import Revision
from tests import factories

BACKEND: Final = "django.contrib.auth.backends.ModelBackend"
TOKEN: Final = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def paul(client: Client) -> User:
    """Paul approves, may read the scope public, and has signed in."""
    person = factories.user("paul", groups=["approver"])
    grant("public", user="paul", create_scope=True)
    client.force_login(person, BACKEND)
    return person


@pytest.fixture
def rule(tmp_path: Path) -> Revision:
    """An approved text of the scope public."""
    revision = factories.import_text(tmp_path, "rule", "Every journey is agreed beforehand.")
    factories.rebuild()
    return revision


def page(client: Client, revision: Revision) -> str:
    response = client.get(reverse("readers", args=[revision.document_id]))
    assert response.status_code == 200
    return response.content.decode()


def rows(html: str) -> dict[str, list[str]]:
    """Name → chip, roles and grants, as the table shows them."""
    table = re.findall(r'<th scope="row">([^<]+)</th>(.*?)</tr>', html, re.DOTALL)
    return {name: re.findall(r"<td>(?:<span[^>]*>)?([^<]*)", cells) for name, cells in table}


def test_grants_of_people_and_groups_are_named(client: Client, rule: Revision) -> None:
    factories.user("mia", groups=["staff", "member"])
    grant("public", group="staff")
    assert rows(page(client, rule)) == {
        "mia": ["reads", "member", "staff"],
        "paul": ["reads", "approver", "own grant"],
    }


def test_who_has_no_role_is_named_apart(client: Client, rule: Revision) -> None:
    factories.user("noel", groups=["staff"])
    grant("public", group="staff")
    html = page(client, rule)
    assert rows(html)["noel"] == ["no role", "–", "staff"]
    assert list(rows(html)) == ["paul", "noel"]
    assert "1 person can read this today." in html
    assert html.count('class="unable"') == 1


def test_who_is_inactive_does_not_read(client: Client, rule: Revision) -> None:
    factories.user("gone", active=False, groups=["member"])
    grant("public", user="gone")
    assert rows(page(client, rule))["gone"] == ["inactive", "member", "own grant"]


def test_a_permission_of_ones_own_is_as_good_as_a_role(client: Client, rule: Revision) -> None:
    person = factories.user("rita")
    person.user_permissions.add(Row.objects.get(codename="search_revision"))
    grant("public", user="rita")
    assert rows(page(client, rule))["rita"] == ["reads", "–", "own grant"]


def test_a_superuser_reads_with_a_grant_only(client: Client, rule: Revision) -> None:
    User.objects.create(username="root", is_superuser=True)
    assert "root" not in rows(page(client, rule))
    grant("public", user="root")
    assert rows(page(client, rule))["root"] == ["reads", "superuser", "own grant"]


def test_several_grants_make_one_row(client: Client, rule: Revision) -> None:
    factories.user("mia", groups=["member", "staff", "board"])
    for group in ("staff", "board"):
        grant("public", group=group)
    grant("public", user="mia")
    assert rows(page(client, rule))["mia"] == ["reads", "member", "own grant, board, staff"]


def test_nothing_of_other_scopes_is_shown(client: Client, rule: Revision) -> None:
    factories.user("hana", groups=["member", "people-team"])
    grant("hr", group="people-team", create_scope=True)
    grant("hr", user="paul")
    assert "hana" not in page(client, rule)
    grant("public", user="hana")
    html = page(client, rule)
    assert rows(html)["hana"] == ["reads", "member", "own grant"]
    assert "people-team" not in html


def test_a_group_without_members_is_named_all_the_same(client: Client, rule: Revision) -> None:
    factories.user("mia", groups=["interns"]).groups.clear()
    grant("public", group="interns")
    assert "<dt>Groups</dt><dd>interns</dd>" in page(client, rule)


def test_names_are_escaped(client: Client, rule: Revision) -> None:
    factories.user("<b>mia</b>", groups=["<i>staff</i>"])
    grant("public", group="<i>staff</i>")
    html = page(client, rule)
    assert "<b>mia" not in html
    assert "<i>staff" not in html
    assert "&lt;b&gt;mia" in html


def test_only_who_reviews_reads_what_is_not_served(client: Client, rule: Revision) -> None:
    factories.user("mia", groups=["member"])
    grant("public", user="mia")
    withdraw("rule", actor="paul", reason="r")
    html = page(client, rule)
    assert rows(html)["mia"] == ["does not review", "member", "own grant"]
    assert "It is withdrawn: only who reviews can open it." in html
    assert "1 person can read this today." in html


def test_a_revoked_grant_is_gone_on_the_next_request(client: Client, rule: Revision) -> None:
    factories.user("mia", groups=["member"])
    grant("public", user="mia")
    assert "mia" in rows(page(client, rule))
    revoke("public", user="mia")
    assert "mia" not in rows(page(client, rule))


@pytest.mark.parametrize("role", ["member", "reviewer"])
def test_who_does_not_approve_finds_no_such_page(
    client: Client, paul: User, rule: Revision, role: str
) -> None:
    paul.groups.clear()
    factories.user("paul", groups=[role])
    url = reverse("readers", args=[rule.document_id])
    assert client.get(url).status_code == 404
    source = client.get(reverse("source", args=[rule.document_id])).content.decode()
    assert url not in source


def test_approvers_are_led_to_the_page(client: Client, rule: Revision) -> None:
    source = client.get(reverse("source", args=[rule.document_id])).content.decode()
    assert reverse("readers", args=[rule.document_id]) in source


def test_a_source_of_another_scope_is_like_a_missing_one(client: Client, tmp_path: Path) -> None:
    hidden = factories.import_text(tmp_path, "pay", "The pay review is in April.", scope="hr")
    factories.rebuild()
    answers = []
    for document in (hidden.document_id, "0" * 64):
        response = client.get(reverse("readers", args=[document]))
        body = TOKEN.sub("", response.content.decode())
        answers.append((response.status_code, sorted(response.headers.items()), body))
    assert answers[0] == answers[1]
    assert answers[0][0] == 404


def test_many_people_take_no_more_queries(
    client: Client, rule: Revision, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(30):
        factories.user(f"p{number}", groups=["staff", "member"])
    grant("public", group="staff")
    with django_assert_max_num_queries(16):
        assert len(rows(page(client, rule))) == 31
