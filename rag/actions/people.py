"""Who may sign in, in which groups, and which scopes are granted to whom."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from axes.utils import reset
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import transaction

from rag.actions.audit import OPERATOR, RESERVED, record
from rag.actions.roles import MAX_NAME, group_named, somebody_governs
from rag.core.errors import NotAllowed, NotFound
from rag.core.sources import checked_scope
from rag.models import Grant, Scope


@dataclass(frozen=True)
class Account:
    """What an admin decides about somebody; the name stays what it was, for the record."""

    email: str = ""
    active: bool = True
    groups: frozenset[str] = frozenset()


@transaction.atomic
def create_user(name: str, account: Account, *, password: str | None = None, actor: str) -> User:
    """Somebody who may sign in. Without a password that takes single sign-on."""
    _check_name(name)
    user = User(username=name, email=account.email, is_active=account.active)
    user.set_password(password)  # None makes it unusable
    user.save()
    user.groups.set(map(group_named, account.groups))
    details = {"groups": sorted(account.groups), "active": account.active}
    record(actor, "create_user", name, password=password is not None, **details)
    return user


@transaction.atomic
def change_user(name: str, account: Account, *, actor: str) -> User:
    """Set address, groups and whether somebody may sign in; one event for each that changed."""
    user = _governed_user(name, actor)
    with somebody_governs():
        _set_groups(user, account.groups, actor)
        if user.is_active != account.active:
            user.is_active = account.active
            record(actor, "activate" if account.active else "deactivate", name)
        if user.email != account.email:
            user.email = account.email
            record(actor, "set_email", name)
        user.save(update_fields=["is_active", "email"])
    return user


@transaction.atomic
def set_password(name: str, password: str | None, *, actor: str) -> User:
    """Give somebody a password, or take it away (None); every session of theirs ends.

    A new one opens at once, from every address: whoever gives it out has decided that, and the
    failed sign-ins that locked the name were with the old one.
    """
    user = _governed_user(name, actor)
    user.set_password(password)
    user.save(update_fields=["password"])
    if password is not None:
        reset(username=name)
    record(actor, "set_password", name, password=password is not None)
    return user


@transaction.atomic
def create_scope(name: str, *, actor: str) -> Scope:
    """A new area of access, granted to nobody yet."""
    if Scope.objects.filter(name=name).exists():
        raise NotAllowed(f"There is a scope {name!r} already.")
    return _create_scope(name, actor)


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
    found = scope_named(scope, create_scope, actor)
    row, created = Grant.objects.get_or_create(scope=found, **holder)
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


def scope_named(name: str, create: bool = False, actor: str = OPERATOR) -> Scope:
    """The scope of that name. An unknown one is refused unless it may be created."""
    scope = Scope.objects.filter(name=name).first()
    if scope is None and not create:
        raise NotFound("scope", name)
    return scope or _create_scope(name, actor)


def actor_named(username: str) -> str:
    """The name of an existing, active user, for the record."""
    if not User.objects.filter(username=username, is_active=True).exists():
        raise NotFound("user", username)
    return username


def _check_name(name: str) -> None:
    """Refuse a name that the record could confuse with another's."""
    try:
        User.username_validator(name)
    except ValidationError:
        raise NotAllowed("A name has letters, digits and @ . + - _ only.") from None
    if len(name) > MAX_NAME or name != User.normalize_username(name):
        raise NotAllowed(f"A name has at most {MAX_NAME} characters, each in its plain form.")
    if name.lower() in RESERVED or User.objects.filter(username__iexact=name).exists():
        raise NotAllowed(f"The name {name!r} is taken.")


def _governed_user(name: str, actor: str) -> User:
    """The person of that name. Only a superuser changes a superuser's account, for whoever
    could set that password could do everything."""
    user = User.objects.filter(username=name).first()
    if user is None:
        raise NotFound("user", name)
    superusers = User.objects.filter(is_superuser=True, is_active=True)
    if user.is_superuser and not superusers.filter(username=actor).exists():
        raise NotAllowed("Only a superuser changes the account of a superuser.")
    return user


def _set_groups(user: User, wanted: Iterable[str], actor: str) -> None:
    wanted = frozenset(wanted)
    held = frozenset(user.groups.values_list("name", flat=True))
    if wanted == held:
        return
    user.groups.set(map(group_named, sorted(wanted)))
    changes = {"added": sorted(wanted - held), "removed": sorted(held - wanted)}
    record(actor, "set_groups", user.username, **changes)


def _create_scope(name: str, actor: str) -> Scope:
    scope = Scope.objects.create(name=checked_scope(name))
    record(actor, "create_scope", name)
    return scope


def _holder(user: str | None, group: str | None) -> dict[str, Any]:
    if user is not None:
        found = User.objects.filter(username=user).first()
        if found is None:
            raise NotFound("user", user)
        return {"user": found, "group": None}
    return {"user": None, "group": group_named(group or "")}


def _named(row: Grant) -> dict[str, str]:
    return (
        {"user": row.user.username} if row.user else {"group": row.group.name if row.group else ""}
    )
