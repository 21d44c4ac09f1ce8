"""Who may read what: live per request, from the tables, never from a copy."""

from dataclasses import replace
from datetime import date

from django.contrib.auth.models import User
from django.db.models import Q, QuerySet

from rag.core.errors import NotFound
from rag.core.sources import Access, Governed, Selection, State, Status
from rag.models import Grant, Revision, Scope


def access_of_user(username: str, as_of: date) -> Access:
    """What that user may read through own and group grants. Unknown or inactive: ``NotFound``."""
    user = User.objects.filter(username=username, is_active=True).first()
    if user is None:
        raise NotFound("user", username)
    return access_of_person(user, as_of)


def access_of_person(user: User, as_of: date) -> Access:
    """The same for somebody who was read in this request and is active."""
    grants = Grant.objects.filter(Q(user=user) | Q(group__in=user.groups.all()))
    scopes = frozenset(grants.values_list("scope__name", flat=True))
    return Access(user.username, scopes, as_of, live=True)


def access_now(access: Access) -> Access:
    """The same access less what was revoked since; nothing for who is no longer active.

    Scopes are only taken away, so an access that was narrowed on purpose stays narrow.
    """
    if not access.live:
        return access
    try:
        granted = access_of_user(access.user, access.as_of).scopes
    except NotFound:
        granted = frozenset()
    return replace(access, scopes=access.scopes & granted)


def access_of_scopes(scopes: frozenset[str], as_of: date) -> Access:
    """An operator's access to the named scopes. An unknown one is refused: ``NotFound``."""
    known = set(Scope.objects.filter(name__in=scopes).values_list("name", flat=True))
    for missing in sorted(scopes - known):
        raise NotFound("scope", missing)
    return Access(f"scopes:{','.join(sorted(scopes))}", scopes, as_of)


def eligible_revisions(access: Access, selection: Selection) -> QuerySet[Revision]:
    """The one query that decides what a request may be computed from.

    It is ``core.sources.is_eligible`` in SQL; a property test holds the two together.
    """
    rows = Revision.objects.filter(
        source__scope__name__in=access.scopes, state=State.APPROVED.value
    )
    if selection.archive:
        rows = rows.filter(status__in=[status.value for status in selection.statuses])
    else:
        rows = rows.filter(_in_force(access.as_of))
    if selection.canonical_only:
        rows = rows.filter(canonical=True)
    if selection.product:
        rows = rows.filter(product=selection.product)
    for key, value in sorted(selection.filters):
        rows = rows.filter(attributes__key=key, attributes__value=value)
    return rows


def _in_force(day: date) -> Q:
    current = Q(status=Status.CURRENT.value)
    ended = Q(status=Status.SUPERSEDED.value, valid_until__isnull=False)
    open_end = Q(valid_until__isnull=True)
    return (current | ended) & Q(valid_from__lte=day) & (open_end | Q(valid_until__gte=day))


def readable_revisions(access: Access, reviews: bool) -> QuerySet[Revision]:
    """The revisions whose text may be opened: ``core.sources.is_readable`` in SQL."""
    states = [State.APPROVED]
    if reviews:
        states += [State.PENDING, State.REJECTED, State.WITHDRAWN]
    return Revision.objects.filter(
        source__scope__name__in=access.scopes, state__in=[state.value for state in states]
    )


def place(revision: Revision) -> Governed:
    """What the standing of a revision depends on. It asks no further query."""
    return Governed(
        scope=revision.source.scope.name,
        state=State(revision.state),
        status=Status(revision.status),
        valid_from=revision.valid_from,
        valid_until=revision.valid_until,
        canonical=revision.canonical,
        product=revision.product,
    )


def governed(revision: Revision) -> Governed:
    """All that the eligibility of a revision depends on."""
    pairs = revision.attributes.values_list("key", "value")
    return replace(place(revision), attributes=frozenset(pairs))


def behind(access: Access) -> bool:
    """Whether imported revisions of the asker's own scopes wait for a rebuild."""
    return Revision.objects.filter(
        source__scope__name__in=access.scopes, state=State.PENDING.value, indexed=False
    ).exists()
