"""People of a provider: their groups follow its claims, but never to where nobody governs."""

import logging
from typing import Any, Final

import pytest
from django.contrib.auth.models import User

from rag.actions.identities import Vouched, person_vouched_for
from rag.actions.roles import create_group
from rag.core.roles import Permission
from rag.models import AuditEvent
from tests import factories

MAPPING: Final = {"staff": "member", "bosses": "admin", "owners": "owners"}
pytestmark = pytest.mark.django_db


def sign_in(*claims: str) -> User:
    vouched = Vouched("https://id.example", "1", "ada", "ada@example.org", frozenset(claims))
    return person_vouched_for(vouched, MAPPING)


def groups_of(person: User) -> set[str]:
    return set(person.groups.values_list("name", flat=True))


def details() -> Any:
    return AuditEvent.objects.filter(action="set_groups").latest("pk").details


def test_lost_claim_takes_the_admins_role_where_another_governs() -> None:
    factories.user("adam", groups=["admin"])
    sign_in("staff", "bosses")
    assert groups_of(sign_in("staff")) == {"member"}
    assert details() == {"added": [], "removed": ["admin"]}


def test_last_admin_keeps_the_role_and_the_rest_follows_the_claims(
    caplog: pytest.LogCaptureFixture,
) -> None:
    create_group("owners", [], actor="op")
    sign_in("owners", "bosses")
    assert groups_of(sign_in("staff")) == {"admin", "member"}
    assert details() == {"added": ["member"], "removed": ["owners"], "kept": ["admin"]}
    assert "'ada' keeps the group 'admin'" in caplog.text


def test_kept_role_is_in_the_log_alone_where_nothing_changes(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sign_in("bosses")
    events = AuditEvent.objects.count()
    assert groups_of(sign_in()) == {"admin"}
    assert AuditEvent.objects.count() == events
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_role_goes_at_the_sign_in_after_another_governs() -> None:
    sign_in("bosses")
    sign_in("staff")
    factories.user("adam", groups=["admin"])
    assert groups_of(sign_in("staff")) == {"member"}


def test_last_admin_by_two_groups_keeps_one() -> None:
    create_group("owners", [Permission.PEOPLE, Permission.REVIEW], actor="op")
    sign_in("bosses", "owners")
    assert groups_of(sign_in()) == {"owners"}


def test_inactive_admin_does_not_govern_and_keeps_nothing() -> None:
    factories.user("adam", groups=["admin"])
    person = sign_in("bosses")
    User.objects.filter(pk=person.pk).update(is_active=False)
    assert groups_of(sign_in()) == set()
