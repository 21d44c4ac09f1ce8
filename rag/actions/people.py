"""Granting and revoking scopes."""

from typing import Any

from django.contrib.auth.models import Group, User
from django.db import transaction

from rag.actions.audit import OPERATOR, record
from rag.core.errors import NotFound
from rag.core.sources import checked_scope
from rag.models import Grant, Scope


@transaction.atomic
def grant(
    scope: str,
    *,
    user: str | None = None,
    group: str | None = None,
    create_scope: bool = False,
    actor: str = OPERATOR,
) -> bool:
    """Grant a scope to a user or a group; False if it was granted before."""
    holder = _holder(user, group)
    row, created = Grant.objects.get_or_create(scope=scope_named(scope, create_scope), **holder)
    if created:
        record(actor, "grant", scope, **_named(row))
    return created


@transaction.atomic
def revoke(
    scope: str, *, user: str | None = None, group: str | None = None, actor: str = OPERATOR
) -> bool:
    """Take a grant back; False if there was none. It holds from the next request on."""
    row = Grant.objects.filter(scope=scope_named(scope), **_holder(user, group)).first()
    if row is None:
        return False
    record(actor, "revoke", scope, **_named(row))
    row.delete()
    return True


def scope_named(name: str, create: bool = False) -> Scope:
    """The scope of that name. An unknown one is refused unless it may be created."""
    scope = Scope.objects.filter(name=name).first()
    if scope is None and not create:
        raise NotFound("scope", name)
    return scope or _create_scope(name)


def actor_named(username: str) -> str:
    """The name of an existing, active user, for the record."""
    if not User.objects.filter(username=username, is_active=True).exists():
        raise NotFound("user", username)
    return username


def _create_scope(name: str) -> Scope:
    scope = Scope.objects.create(name=checked_scope(name))
    record(OPERATOR, "create_scope", name)
    return scope


def _holder(user: str | None, group: str | None) -> dict[str, Any]:
    if user is not None:
        found = User.objects.filter(username=user).first()
        if found is None:
            raise NotFound("user", user)
        return {"user": found, "group": None}
    team = Group.objects.filter(name=group or "").first()
    if team is None:
        raise NotFound("group", group or "")
    return {"user": None, "group": team}


def _named(row: Grant) -> dict[str, str]:
    return (
        {"user": row.user.username} if row.user else {"group": row.group.name if row.group else ""}
    )
