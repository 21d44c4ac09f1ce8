"""Accounts, groups, scopes and grants in the browser, and that nobody rises through them."""

from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from rag.core.roles import Permission
from rag.models import AuditEvent, Grant, Scope
from tests import factories
from tests.admin.site import BACKEND, main, person, signed_in, words

pytestmark = pytest.mark.django_db
SECRET = "correct horse battery"


@pytest.fixture
def ada(db: None) -> Client:
    """The site's only admin, signed in."""
    return signed_in("ada", "admin")


def user_page(name: str, page: str = "change") -> str:
    return reverse(f"admin:auth_user_{page}", args=[User.objects.get(username=name).pk])


def group_page(name: str, page: str = "change") -> str:
    return reverse(f"admin:auth_group_{page}", args=[Group.objects.get(name=name).pk])


def events(actor: str = "ada") -> list[tuple[str, str]]:
    rows = AuditEvent.objects.filter(actor=actor).order_by("pk")
    return [(event.action, event.subject) for event in rows]


# Accounts


def test_a_person_is_added_with_groups_and_a_password(ada: Client) -> None:
    form = {"name": "eve", "email": "e@example.org", "groups": ["member", "reviewer"],
            "active": "on", "password": SECRET, "repeated": SECRET}  # fmt: skip
    response = ada.post(reverse("admin:auth_user_add"), form)
    assert response.headers["Location"] == reverse("admin:auth_user_changelist")
    eve = User.objects.get(username="eve")
    assert eve.check_password(SECRET)
    assert set(eve.groups.values_list("name", flat=True)) == {"member", "reviewer"}
    assert (eve.is_active, eve.is_staff, eve.is_superuser) == (True, False, False)
    assert events() == [("create_user", "eve")]
    assert SECRET not in str(list(AuditEvent.objects.values()))


def test_a_person_for_single_sign_on_has_no_password(ada: Client) -> None:
    ada.post(reverse("admin:auth_user_add"), {"name": "eve", "active": "on"})
    assert not User.objects.get(username="eve").has_usable_password()


@pytest.mark.parametrize(
    ("form", "part"),
    [
        ({"name": "ADA"}, "The name 'ADA' is taken."),
        ({"name": "a b"}, "A name has letters"),
        ({"name": ""}, "Give a name."),
        ({"password": "12345678", "repeated": "12345678"}, "too common"),
        ({"password": "evelyn2026", "repeated": "evelyn2026"}, "too similar"),
        ({"password": SECRET, "repeated": SECRET + "!"}, "not the same"),
        ({"groups": ["nope"]}, "There is no group nope any more."),
        ({"email": "x"}, "Give an address such as"),
    ],
    ids=str,
)
def test_what_is_wrong_with_an_account_is_said_and_nothing_is_lost(
    ada: Client, form: dict[str, Any], part: str
) -> None:
    fields = {"name": "evelyn", "email": "kept@example.org"} | form
    response = ada.post(reverse("admin:auth_user_add"), fields)
    assert response.status_code in (400, 409)
    assert part in words(response)
    assert f'value="{fields["email"]}"' in response.content.decode()
    assert (User.objects.count(), events()) == (1, [])


def test_a_person_is_changed_and_put_out(ada: Client) -> None:
    eve = signed_in("eve", "member")
    assert eve.get("/search/").status_code == 200
    response = ada.post(user_page("eve"), {"email": "", "groups": ["reviewer"]})
    assert response.headers["Location"] == reverse("admin:auth_user_changelist")
    assert events() == [("set_groups", "eve"), ("deactivate", "eve")]
    assert eve.get("/search/").status_code == 302


def test_a_new_password_ends_the_sessions_of_its_person(ada: Client) -> None:
    eve = signed_in("eve", "member")
    ada.post(user_page("eve", "password"), {"password": SECRET, "repeated": SECRET})
    assert User.objects.get(username="eve").check_password(SECRET)
    assert events() == [("set_password", "eve")]
    assert eve.get("/search/").status_code == 302


def test_empty_fields_take_no_password_away(ada: Client) -> None:
    eve = signed_in("eve", "member")
    response = ada.post(user_page("eve", "password"), {"password": "", "repeated": ""})
    assert response.status_code == 400
    assert "Type a password, or tick the box" in words(response)
    assert events() == []
    assert eve.get("/search/").status_code == 200


def test_a_password_is_taken_away_by_a_box_of_its_own(ada: Client) -> None:
    user = factories.user("eve")
    user.set_password(SECRET)
    user.save()
    response = ada.post(user_page("eve", "password"), {"removed": "on"}, follow=True)
    assert "eve has no password any more" in words(response)
    assert "is set" not in words(response)
    assert not User.objects.get(username="eve").has_usable_password()
    assert events() == [("set_password", "eve")]


def test_a_password_is_not_given_and_taken_away_at_once(ada: Client) -> None:
    factories.user("eve")
    form = {"password": SECRET, "repeated": SECRET, "removed": "on"}
    response = ada.post(user_page("eve", "password"), form)
    assert response.status_code == 400
    assert "Either type a password or take it away" in words(response)
    assert events() == []


def test_one_s_own_password_is_changed_with_the_old_one(ada: Client) -> None:
    for method in (ada.get, ada.post):
        response = method(user_page("ada", "password"), {"password": SECRET, "repeated": SECRET})
        assert response.headers["Location"] == reverse("password_change")
    assert events() == []


def test_the_last_admin_cannot_lock_everybody_out(ada: Client) -> None:
    response = ada.post(user_page("ada"), {"groups": ["member"], "active": "on"})
    assert response.status_code == 409
    assert "nobody could give out roles" in words(response)
    assert Permission.PEOPLE in User.objects.get(username="ada").get_all_permissions()


def test_the_page_of_a_person_says_what_they_may_read(ada: Client) -> None:
    person("eve", "member", "staff", scopes=("hr",))
    factories.user("eve", groups=["staff"])
    ada.post(reverse("admin:rag_grant_add"), {"scope": "public", "holder": "group:staff"})
    page = words(ada.get(user_page("eve")))
    assert "May read hr own grant public staff" in page


# Nobody rises


def test_no_field_makes_a_superuser_or_staff(ada: Client) -> None:
    rise = {"is_staff": "on", "is_superuser": "on", "user_permissions": ["1", "2"],
            "username": "root", "active": "on", "groups": ["admin"]}  # fmt: skip
    ada.post(user_page("ada"), rise)
    ada.post(reverse("admin:auth_user_add"), rise | {"name": "eve"})
    assert not User.objects.filter(is_staff=True).exists()
    assert not User.objects.filter(is_superuser=True).exists()
    assert not User.objects.filter(user_permissions__isnull=False).exists()
    assert set(User.objects.values_list("username", flat=True)) == {"ada", "eve"}


def test_an_admin_does_not_take_over_a_superuser(ada: Client) -> None:
    root = User.objects.create_superuser("root", "root@example.org", SECRET)
    changed = {"email": "ada@example.org", "active": "on"}
    for page, form in (
        ("change", changed),
        ("password", {"password": "another " + SECRET, "repeated": "another " + SECRET}),
    ):
        response = ada.post(user_page("root", page), form)
        assert response.status_code == 409
        assert "Only a superuser changes" in words(response)
    root.refresh_from_db()
    assert root.check_password(SECRET)
    assert (root.email, root.is_active, events()) == ("root@example.org", True, [])
    assert '<fieldset class="stack" disabled>' in main(ada.get(user_page("root")))


def test_a_superuser_changes_a_superuser() -> None:
    User.objects.create_superuser("root")
    User.objects.create_superuser("other")
    client = Client()
    client.force_login(User.objects.get(username="root"), BACKEND)
    assert client.post(user_page("other"), {"email": "o@example.org"}).status_code == 302
    assert not User.objects.get(username="other").is_active


# Groups


def test_a_group_is_added_changed_and_removed(ada: Client) -> None:
    ada.post(reverse("admin:auth_group_add"), {"name": "legal", "permissions": [Permission.ASK]})
    ada.post(group_page("legal"), {"permissions": [Permission.SEARCH, Permission.ASK]})
    group = Group.objects.get(name="legal")
    names = set(group.permissions.values_list("codename", flat=True))
    assert names == {"ask_answer", "search_revision"}
    assert ada.post(group_page("legal", "remove")).status_code == 302
    assert not Group.objects.filter(name="legal").exists()
    assert [action for action, _ in events()] == ["create_group", "set_permissions", "delete_group"]


@pytest.mark.parametrize("permission", ["auth.change_user", "rag.delete_auditevent", "1"])
def test_a_group_gets_no_permission_beyond_the_site_s_own(ada: Client, permission: str) -> None:
    response = ada.post(group_page("member"), {"permissions": [permission]})
    assert response.status_code == 400
    assert Group.objects.get(name="member").permissions.count() == 2


def test_the_admin_role_cannot_lose_what_admins_need(ada: Client) -> None:
    response = ada.post(group_page("admin"), {"permissions": [Permission.SEARCH]})
    assert response.status_code == 409
    assert Group.objects.get(name="admin").permissions.count() == len(Permission)


def test_a_role_is_not_removed(ada: Client) -> None:
    response = ada.post(group_page("member", "remove"), follow=True)
    assert "one of the site's roles" in words(response)
    assert Group.objects.filter(name="member").exists()


def test_a_group_without_any_permission_can_be_kept(ada: Client) -> None:
    ada.post(group_page("member"), {})
    assert not Group.objects.get(name="member").permissions.exists()


# Scopes and grants


def test_a_scope_is_added_once(ada: Client) -> None:
    add = reverse("admin:rag_scope_add")
    assert ada.post(add, {"name": "finance"}).status_code == 302
    for name, part in (("finance", "already"), ("a,b", "no comma")):
        response = ada.post(add, {"name": name})
        assert response.status_code == 409
        assert part in words(response)
    assert Scope.objects.filter(name="finance").count() == 1
    assert events() == [("create_scope", "finance")]


@pytest.mark.parametrize("holder", ["user:eve", "group:member"])
def test_a_grant_is_given_and_taken_back(ada: Client, holder: str) -> None:
    factories.user("eve")
    form = {"scope": "public", "holder": holder}
    before = Grant.objects.count()
    assert ada.post(reverse("admin:rag_grant_add"), form).status_code == 302
    kind, _, name = holder.partition(":")
    event = AuditEvent.objects.get(actor="ada", action="grant")
    assert (event.subject, event.details) == ("public", {kind: name})
    revoke = reverse("admin:rag_grant_revoke", args=[Grant.objects.latest("pk").pk])
    assert ada.get(revoke, follow=True).request["PATH_INFO"] == "/review/rag/grant/"
    page = words(ada.post(revoke, follow=True))
    assert f"{name} may no longer read public by this grant." in page
    assert Grant.objects.count() == before
    assert events() == [("grant", "public"), ("revoke", "public")]


@pytest.mark.parametrize(
    "form",
    [{"scope": "nope", "holder": "user:ada"}, {"scope": "public", "holder": "user:nobody"},
     {"scope": "public"}, {"scope": "", "holder": "user:ada"}],
    ids=str,
)  # fmt: skip
def test_a_grant_of_nothing_or_to_nobody_is_refused(ada: Client, form: dict[str, str]) -> None:
    before = Grant.objects.count()
    assert ada.post(reverse("admin:rag_grant_add"), form).status_code == 400
    assert (Grant.objects.count(), events()) == (before, [])


@pytest.mark.parametrize("name", ["auth_user", "auth_group"])
@pytest.mark.parametrize("key", [0, 999_999, 10**30])
def test_a_person_or_group_that_is_not_there_is_missing(ada: Client, name: str, key: int) -> None:
    assert ada.get(reverse(f"admin:{name}_change", args=[key])).status_code == 404
    assert ada.post(reverse("admin:rag_grant_revoke", args=[key])).status_code == 404


@pytest.mark.parametrize("name", ["user", "group", "scope", "grant"])
def test_lists_are_searched_and_escaped(ada: Client, name: str) -> None:
    hostile = "<script>alert(1)</script>"
    Group.objects.create(name=hostile)
    Scope.objects.create(name=hostile)
    person("ann", hostile, scopes=(hostile,))
    label = f"{'auth' if name in ('user', 'group') else 'rag'}_{name}"
    page = ada.get(reverse(f"admin:{label}_changelist"), {"q": "SCRIPT"})
    assert page.status_code == 200
    assert "<script>alert" not in page.content.decode()
    assert "&lt;script&gt;" in main(page)
    assert "reviewer" not in main(page)
