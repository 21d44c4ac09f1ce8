"""The roles as Django groups with their permissions, and groups that a site makes besides."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.contrib.auth.models import Group, User
from django.contrib.auth.models import Permission as Row
from django.db import transaction
from django.db.models import QuerySet

from rag.actions.audit import record
from rag.core.errors import NotAllowed, NotFound
from rag.core.roles import ROLES, Permission
from rag.core.text import is_printable
from rag.models import Grant

MAX_NAME: Final = 150
_BACKEND: Final = "django.contrib.auth.backends.ModelBackend"


def make_roles(**_signal: Any) -> None:
    """Make the groups that are missing; called after every migrate.

    A group that is there is left as its site has changed it.
    """
    with transaction.atomic():
        for role, permissions in ROLES.items():
            group, created = Group.objects.get_or_create(name=role)
            if created:
                group.permissions.set(_rows(permissions))


@transaction.atomic
def create_group(name: str, permissions: Iterable[Permission], *, actor: str) -> Group:
    """A new group, with nobody in it."""
    if name != name.strip() or not (is_printable(name) and 0 < len(name) <= MAX_NAME):
        raise NotAllowed(f"A group's name has 1 to {MAX_NAME} printable characters, no blank ends.")
    if Group.objects.filter(name=name).exists():
        raise NotAllowed(f"There is a group {name!r} already.")
    group = Group.objects.create(name=name)
    group.permissions.set(_rows(permissions))
    record(actor, "create_group", name, permissions=_named(permissions))
    return group


@transaction.atomic
def set_permissions(name: str, permissions: Iterable[Permission], *, actor: str) -> Group:
    """Let a group's people do exactly this; permissions of other applications stay."""
    group, wanted = group_named(name), frozenset(permissions)
    held = permissions_of(group)
    if wanted != held:
        with somebody_governs():
            group.permissions.add(*_rows(wanted - held))
            group.permissions.remove(*_rows(held - wanted))
        changes = {"added": _named(wanted - held), "removed": _named(held - wanted)}
        record(actor, "set_permissions", name, **changes)
    return group


@transaction.atomic
def delete_group(name: str, *, actor: str) -> None:
    """Remove a group that no longer does anything: nobody in it, nothing granted to it."""
    group = group_named(name)
    if name in ROLES:
        raise NotAllowed(f"{name!r} is one of the site's roles: it would come back by itself.")
    if group.user_set.exists() or Grant.objects.filter(group=group).exists():
        raise NotAllowed(f"{name!r} still has people or grants. Take them away first.")
    group.delete()
    record(actor, "delete_group", name)


def permissions_of(group: Group) -> frozenset[Permission]:
    """What the group's people may do on this site."""
    names = set(group.permissions.filter(content_type__app_label="rag").values_list("codename"))
    return frozenset(permission for permission in Permission if (permission.codename,) in names)


def group_named(name: str) -> Group:
    """The group of that name; an unknown one is refused."""
    group = Group.objects.filter(name=name).first()
    if group is None:
        raise NotFound("group", name)
    return group


@contextmanager
def somebody_governs() -> Iterator[None]:
    """Refuse a change after which nobody could enter the review site and change people."""
    before = _governing().exists()
    yield
    if before and not _governing().exists():
        raise NotAllowed("After this change nobody could give out roles and grants any more.")


def _governing() -> QuerySet[User]:
    def having(permission: Permission) -> QuerySet[User]:
        return User.objects.with_perm(permission.value, backend=_BACKEND)

    return having(Permission.PEOPLE).filter(pk__in=having(Permission.REVIEW).values("pk"))


def _rows(permissions: Iterable[Permission]) -> QuerySet[Row]:
    names = [permission.codename for permission in permissions]
    return Row.objects.filter(content_type__app_label="rag", codename__in=names)


def _named(permissions: Iterable[Permission]) -> list[str]:
    return sorted(permission.codename for permission in permissions)
