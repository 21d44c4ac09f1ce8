"""People whom an OpenID Connect provider vouches for, and the groups that its claims give them."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from rag.actions.audit import SINGLE_SIGN_ON, record
from rag.actions.people import Account, create_user
from rag.actions.roles import group_named, somebody_governs
from rag.core.errors import NotAllowed
from rag.models import Identity

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Vouched:
    """What a provider says of somebody. ``subject`` is its own key; ``groups`` its claim."""

    issuer: str
    subject: str
    name: str
    email: str
    groups: frozenset[str]


@transaction.atomic
def person_vouched_for(vouched: Vouched, mapping: Mapping[str, str]) -> User:
    """The person of that subject, made at the first sign-in, in the groups of the claims.

    ``mapping`` goes from claim to group. Only groups that it names are given or taken, so that
    others stay as the site has set them; so does one without which nobody could govern any more.
    Raises ``NotAllowed`` if a local account has the name: a provider must not take over what it
    did not make; ``NotFound`` if a mapped group is missing.
    """
    known = Identity.objects.filter(issuer=vouched.issuer, subject=vouched.subject)
    identity = known.select_related("user").first() or _first_sign_in(vouched)
    _set_groups(identity.user, vouched, mapping)
    return identity.user


def _first_sign_in(vouched: Vouched) -> Identity:
    try:
        user = create_user(vouched.name, Account(vouched.email), actor=SINGLE_SIGN_ON)
    except NotAllowed as error:
        raise NotAllowed(
            f"Your provider calls you {vouched.name!r}, and that cannot be your name here. {error} "
            "Ask an admin of this site, or have your name changed at the provider."
        ) from error
    return Identity.objects.create(user=user, issuer=vouched.issuer, subject=vouched.subject)


def _set_groups(user: User, vouched: Vouched, mapping: Mapping[str, str]) -> None:
    wanted = {group for claim, group in mapping.items() if claim in vouched.groups}
    held = set(user.groups.filter(name__in=mapping.values()).values_list("name", flat=True))
    if wanted == held:
        return
    added = sorted(wanted - held)
    user.groups.add(*map(group_named, added))
    kept = [name for name in sorted(held - wanted) if not _taken(user, name)]
    removed = sorted(held - wanted - set(kept))
    if added or removed:
        changes = {"added": added, "removed": removed} | ({"kept": kept} if kept else {})
        record(SINGLE_SIGN_ON, "set_groups", user.username, **changes)


def _taken(user: User, name: str) -> bool:
    """Take one group away; False if it had to stay.

    A claim that is lost at the provider must not leave the site without anybody to repair it.
    """
    try:
        with transaction.atomic(), somebody_governs():
            user.groups.remove(group_named(name))
    except NotAllowed:
        logger.warning("%r keeps the group %r: nobody else governs", user.username, name)
        return False
    return True
