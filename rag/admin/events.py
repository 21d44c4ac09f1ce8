"""The record: what was changed, when and by whom."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from rag.admin.filters import ListFilter
from rag.admin.pages import GovernedAdmin
from rag.core.roles import Permission
from rag.models import AuditEvent
from rag.web.presenters.standings import day_words


@dataclass(frozen=True)
class Row:
    """One event. ``details`` are its ids, hashes and dates."""

    at: str
    actor: str
    action: str
    subject: str
    details: tuple[tuple[str, str], ...]
    sha256: str


class ActionFilter(ListFilter):
    """What was done."""

    title = "Action"
    parameter_name = "action"

    def values(self, request: HttpRequest) -> Iterable[str]:
        names = AuditEvent.objects.order_by("action").values_list("action", flat=True)
        return names.distinct()

    def words(self, value: str) -> str:
        return _words(value)

    def narrowed(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        return rows.filter(action=value)


class AuditEventAdmin(GovernedAdmin):
    """Every event, for operators: events name sources of every scope."""

    permission = Permission.OPERATE
    title = "Record"
    search_fields = ("actor", "subject")
    list_filter = (ActionFilter,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[AuditEvent]:
        return AuditEvent.objects.order_by("-pk")

    def context_of(self, request: HttpRequest, rows: Sequence[AuditEvent]) -> dict[str, Any]:
        return {"rows": [_row(event) for event in rows]}


def _row(event: AuditEvent) -> Row:
    at = timezone.localtime(event.at)
    return Row(
        at=f"{day_words(at.date())}, {at:%H:%M}",
        actor=event.actor,
        action=_words(event.action),
        subject=event.subject,
        details=tuple((_words(key), _value(value)) for key, value in event.details.items()),
        sha256=event.sha256,
    )


def _words(name: str) -> str:
    return name.replace("_", " ")


def _value(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
