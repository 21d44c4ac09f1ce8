"""Accounts, groups, scopes and grants: what is refused, and what stands on record."""

import pytest
from django.contrib.auth.models import Group, User
from django.contrib.auth.models import Permission as Row

from rag.actions import roles
from rag.actions.people import (
    Account,
    change_user,
    create_scope,
    create_user,
    grant,
    set_password,
)
from rag.core.errors import InvalidText, NotAllowed, NotFound
from rag.core.roles import ROLES, Permission
from rag.models import AuditEvent, Scope
from tests import factories

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    """The only admin of the site."""
    return factories.user("ada", groups=["admin"])


def last() -> tuple[str, str, str, dict[str, object]]:
    """The newest event."""
    event = AuditEvent.objects.latest("pk")
    return event.actor, event.action, event.subject, event.details


# Accounts


def test_a_new_person_is_on_record_without_the_password(ada: User) -> None:
    account = Account("eve@example.org", groups=frozenset({"member"}))
    eve = create_user("eve", account, password="a long secret", actor="ada")
    assert eve.check_password("a long secret")
    assert [group.name for group in eve.groups.all()] == ["member"]
    details = {"password": True, "groups": ["member"], "active": True}
    assert last() == ("ada", "create_user", "eve", details)


def test_a_person_without_a_password_cannot_sign_in_with_one(ada: User) -> None:
    eve = create_user("eve", Account(), actor="ada")
    assert not eve.has_usable_password()
    assert last()[3]["password"] is False


@pytest.mark.parametrize("name", ["", "a b", "Ada", "ada", "operator", "Operator", "x" * 151, "ﬁn"])
def test_a_name_that_the_record_could_confuse_is_refused(ada: User, name: str) -> None:
    with pytest.raises(NotAllowed):
        create_user(name, Account(), actor="ada")
    assert User.objects.count() == 1


def test_a_person_in_an_unknown_group_is_not_made(ada: User) -> None:
    with pytest.raises(NotFound, match="no group 'nope'"):
        create_user("eve", Account(groups=frozenset({"nope"})), actor="ada")
    assert not User.objects.filter(username="eve").exists()


def test_each_change_of_an_account_is_an_event_of_its_own(ada: User) -> None:
    factories.user("eve", groups=["member"])
    change_user("eve", Account("e@example.org", False, frozenset({"reviewer"})), actor="ada")
    eve = User.objects.get(username="eve")
    assert (eve.email, eve.is_active) == ("e@example.org", False)
    events = AuditEvent.objects.order_by("pk").values_list("action", "subject", "details")
    assert list(events) == [
        ("set_groups", "eve", {"added": ["reviewer"], "removed": ["member"]}),
        ("deactivate", "eve", {}),
        ("set_email", "eve", {}),
    ]


def test_an_account_that_is_left_as_it_was_makes_no_event(ada: User) -> None:
    change_user("ada", Account(groups=frozenset({"admin"})), actor="ada")
    assert not AuditEvent.objects.exists()


def test_a_new_password_is_on_record_without_its_words(ada: User) -> None:
    factories.user("eve")
    set_password("eve", "a long secret", actor="ada")
    assert User.objects.get(username="eve").check_password("a long secret")
    assert last() == ("ada", "set_password", "eve", {"password": True})
    set_password("eve", None, actor="ada")
    assert not User.objects.get(username="eve").has_usable_password()


def test_only_a_superuser_changes_a_superuser(ada: User) -> None:
    User.objects.create_superuser("root", password="x")
    with pytest.raises(NotAllowed, match="Only a superuser"):
        set_password("root", "taken over", actor="ada")
    with pytest.raises(NotAllowed, match="Only a superuser"):
        change_user("root", Account("ada@example.org"), actor="ada")
    set_password("root", "changed", actor="root")
    change_user("root", Account("root@example.org"), actor="root")
    assert User.objects.get(username="root").check_password("changed")


# Nobody is locked out


@pytest.mark.parametrize(
    "account", [Account(active=False, groups=frozenset({"admin"})), Account()], ids=["off", "out"]
)
def test_the_last_admin_stays(ada: User, account: Account) -> None:
    with pytest.raises(NotAllowed, match="nobody could"):
        change_user("ada", account, actor="ada")
    ada.refresh_from_db()
    assert ada.is_active
    assert ada.groups.filter(name="admin").exists()
    assert not AuditEvent.objects.exists()


def test_an_admin_may_leave_when_another_stays(ada: User) -> None:
    factories.user("bea", groups=["admin"])
    change_user("ada", Account(active=False), actor="ada")
    assert not User.objects.get(username="ada").is_active


@pytest.mark.parametrize("lost", [Permission.PEOPLE, Permission.REVIEW])
def test_the_last_admin_role_keeps_what_it_takes(ada: User, lost: Permission) -> None:
    with pytest.raises(NotAllowed, match="nobody could"):
        roles.set_permissions("admin", set(Permission) - {lost}, actor="ada")
    assert roles.permissions_of(Group.objects.get(name="admin")) == set(Permission)


# Groups


def test_a_group_gets_permissions_of_this_site_and_keeps_others(ada: User) -> None:
    group = roles.create_group("legal", [Permission.REVIEW], actor="ada")
    assert last() == ("ada", "create_group", "legal", {"permissions": ["review_revision"]})
    other = Row.objects.get(codename="view_session")
    group.permissions.add(other)
    roles.set_permissions("legal", [Permission.SEARCH], actor="ada")
    assert roles.permissions_of(group) == {Permission.SEARCH}
    assert other in group.permissions.all()
    changes = {"added": ["search_revision"], "removed": ["review_revision"]}
    assert last() == ("ada", "set_permissions", "legal", changes)


def test_permissions_that_stay_make_no_event(ada: User) -> None:
    roles.set_permissions("member", ROLES["member"], actor="ada")
    assert not AuditEvent.objects.exists()


@pytest.mark.parametrize("name", ["", " legal", "le\ngal", "member", "x" * 151])
def test_a_group_without_a_plain_new_name_is_refused(ada: User, name: str) -> None:
    with pytest.raises(NotAllowed):
        roles.create_group(name, [], actor="ada")
    assert Group.objects.count() == len(ROLES)


def test_a_group_is_removed_when_nothing_hangs_on_it(ada: User) -> None:
    factories.user("eve", groups=["team"])
    roles.create_group("board", [], actor="ada")
    grant("public", group="board", create_scope=True)
    for name in ("team", "board", "member"):
        with pytest.raises(NotAllowed):
            roles.delete_group(name, actor="ada")
    User.objects.get(username="eve").groups.clear()
    roles.delete_group("team", actor="ada")
    assert not Group.objects.filter(name="team").exists()
    assert last() == ("ada", "delete_group", "team", {})


# Scopes


def test_a_new_scope_is_on_record_under_who_made_it(ada: User) -> None:
    create_scope("hr", actor="ada")
    assert last() == ("ada", "create_scope", "hr", {})
    grant("finance", user="ada", create_scope=True, actor="ada")
    made = AuditEvent.objects.get(action="create_scope", subject="finance")
    assert made.actor == "ada"


def test_a_scope_is_made_once_and_with_a_usable_name(ada: User) -> None:
    create_scope("hr", actor="ada")
    with pytest.raises(NotAllowed, match="already"):
        create_scope("hr", actor="ada")
    with pytest.raises(InvalidText):
        create_scope("a,b", actor="ada")
    assert Scope.objects.count() == 1
