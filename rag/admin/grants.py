"""Scopes, and who may read them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from rag.actions import people
from rag.admin.acting import acted, posted
from rag.admin.forms import GrantForm, NewScopeForm
from rag.admin.pages import GovernedAdmin, Page
from rag.core.roles import Permission
from rag.models import Grant, Scope
from rag.web.access import person_of


@dataclass(frozen=True)
class Row:
    """A grant in the list."""

    scope: str
    kind: str
    holder: str
    active: bool
    revoke: str


class ScopeAdmin(GovernedAdmin):
    """The areas of access. How many sources are in them is not told here."""

    permission = Permission.PEOPLE
    title = "Scopes"
    search_fields = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Scope]:
        return Scope.objects.prefetch_related("grants__user", "grants__group").order_by("name")

    def context_of(self, request: HttpRequest, rows: Sequence[Scope]) -> dict[str, Any]:
        return {"rows": [(scope.name, ", ".join(sorted(_holders(scope)))) for scope in rows]}

    def pages(self) -> tuple[Page, ...]:
        return (Page("add", "add/", self.add, self.permission),)

    def add(self, request: HttpRequest) -> HttpResponse:
        form = NewScopeForm(posted(request))

        def act(actor: str) -> str:
            scope = people.create_scope(form.cleaned_data["name"], actor=actor)
            return f"The scope {scope.name} is added. It is granted to nobody yet."

        context = {"title": "Add a scope", "verb": "Add"}
        return acted(self, request, form, act, context, "admin:rag_scope_changelist")


class GrantAdmin(GovernedAdmin):
    """Which scope is granted to whom. A change holds from the next request on."""

    permission = Permission.PEOPLE
    title = "Grants"
    search_fields = ("scope__name", "user__username", "group__name")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Grant]:
        rows = Grant.objects.select_related("scope", "user", "group")
        return rows.order_by("scope__name", "group__name", "user__username")

    def context_of(self, request: HttpRequest, rows: Sequence[Grant]) -> dict[str, Any]:
        return {"rows": [_row(grant) for grant in rows]}

    def pages(self) -> tuple[Page, ...]:
        return (
            Page("add", "add/", self.add, self.permission),
            Page("revoke", "<int:key>/revoke/", self.revoke, self.permission, ("POST",), "../../"),
        )

    def add(self, request: HttpRequest) -> HttpResponse:
        chosen = {name: request.GET.get(name, "") for name in ("scope", "holder")}
        form = GrantForm(posted(request), initial=chosen)

        def act(actor: str) -> str:
            scope, holder = form.cleaned_data["scope"], form.chosen()
            new = people.grant(
                scope, user=holder.get("user"), group=holder.get("group"), actor=actor
            )
            [name] = holder.values()
            return f"{name} may read {scope}." if new else f"{name} could read {scope} already."

        context = {"title": "Grant a scope", "verb": "Grant"}
        return acted(self, request, form, act, context, "admin:rag_grant_changelist")

    def revoke(self, request: HttpRequest, key: int) -> HttpResponse:
        grant = Grant.objects.select_related("scope", "user", "group").filter(pk=key).first()
        if grant is None:
            raise Http404
        kind, name = _holder(grant)
        people.revoke(grant.scope.name, **{kind: name}, actor=person_of(request).username)
        messages.success(request, f"{name} may no longer read {grant.scope.name} by this grant.")
        return redirect("admin:rag_grant_changelist")


def _row(grant: Grant) -> Row:
    kind, name = _holder(grant)
    revoke = reverse("admin:rag_grant_revoke", args=[grant.pk])
    words = "person" if kind == "user" else kind
    return Row(grant.scope.name, words, name, not grant.user or grant.user.is_active, revoke)


def _holders(scope: Scope) -> list[str]:
    return [_holder(grant)[1] for grant in scope.grants.all()]


def _holder(grant: Grant) -> tuple[str, str]:
    if grant.user:
        return "user", grant.user.username
    return "group", grant.group.name if grant.group else ""
