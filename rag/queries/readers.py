"""Who can read a revision now: through which grant, and why somebody with a grant cannot."""

from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from rag.core.roles import ROLES, Permission
from rag.core.sources import State
from rag.models import Grant, Revision, Scope

_BACKEND: Final = "django.contrib.auth.backends.ModelBackend"


@dataclass(frozen=True)
class Grantee:
    """Somebody with a grant on the scope, own or through groups.

    ``through`` names the groups that have the grant; other groups are not told. ``searches``:
    active, with a role that reads at all. ``able``: with every permission that opening the
    revision takes.
    """

    name: str
    active: bool
    own_grant: bool
    through: tuple[str, ...]
    roles: tuple[str, ...]
    searches: bool
    able: bool


@dataclass(frozen=True)
class Granted:
    """The grants of a scope: groups and users by name, and everybody they reach, by name."""

    groups: tuple[str, ...]
    users: tuple[str, ...]
    grantees: tuple[Grantee, ...]


def needed(revision: Revision) -> tuple[Permission, ...]:
    """The permissions that opening the revision takes besides a grant on its scope."""
    if revision.state == State.APPROVED.value:
        return (Permission.SEARCH,)
    return (Permission.SEARCH, Permission.REVIEW)


def granted(revision: Revision) -> Granted:
    """Everybody with a grant on the revision's scope, and which of them can open it today."""
    scope = revision.source.scope
    grants = Grant.objects.filter(scope=scope).select_related("group", "user")
    groups = frozenset(grant.group.name for grant in grants if grant.group)
    users = frozenset(grant.user.username for grant in grants if grant.user)
    people = _people(scope)
    searching, able = _having(people, (Permission.SEARCH,)), _having(people, needed(revision))
    return Granted(
        tuple(sorted(groups)),
        tuple(sorted(users)),
        tuple(
            Grantee(
                name=person.username,
                active=person.is_active,
                own_grant=person.username in users,
                through=tuple(sorted({group.name for group in person.groups.all()} & groups)),
                roles=_roles(person),
                searches=person.pk in searching,
                able=person.pk in able,
            )
            for person in people.prefetch_related("groups").order_by("username")
        ),
    )


def _people(scope: Scope) -> QuerySet[User]:
    reached = Q(grant__scope=scope) | Q(groups__grant__scope=scope)
    return User.objects.filter(pk__in=User.objects.filter(reached).values("pk"))


def _having(people: QuerySet[User], permissions: tuple[Permission, ...]) -> set[int]:
    """Keys of the active people who have all the permissions."""
    for permission in permissions:
        having = User.objects.with_perm(permission.value, backend=_BACKEND)
        people = people.filter(pk__in=having.values("pk"))
    return set(people.values_list("pk", flat=True))


def _roles(person: User) -> tuple[str, ...]:
    names = {group.name for group in person.groups.all()}
    superuser = ["superuser"] if person.is_superuser else []
    return tuple([role for role in ROLES if role in names] + superuser)
