"""What the record of grants says about the past."""

from collections.abc import Iterable
from datetime import datetime

from rag.core.sources import Access
from rag.models import AuditEvent


def held_since(access: Access, at: datetime, scopes: Iterable[str]) -> bool:
    """Whether the person had one of these scopes, which are of ``access``, at that moment already.

    Only if the record leaves no doubt: since then nobody was granted the scope, and the person
    came into no other groups.
    """
    later = AuditEvent.objects.filter(at__gte=at)
    if later.filter(action="set_groups", subject=access.user).exists():
        return False
    wanted = access.scopes & frozenset(scopes)
    granted = later.filter(action="grant", subject__in=wanted).values_list("subject", flat=True)
    return bool(wanted - set(granted))
