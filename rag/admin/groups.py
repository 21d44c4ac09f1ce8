"""Groups: the four roles, and those that a site makes to carry its grants."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from django.contrib import messages
from django.contrib.auth.models import Group
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from rag.actions import roles
from rag.admin.acting import acted, posted
from rag.admin.forms import NewGroupForm, PermissionsForm
from rag.admin.pages import GovernedAdmin, Page
from rag.core.errors import NotAllowed
from rag.core.roles import ROLES, Permission
from rag.models import Grant
from rag.web.access import person_of

_MAY: Final = MappingProxyType(
    {
        Permission.SEARCH: "search",
        Permission.ASK: "ask",
        Permission.UPLOAD: "upload",
        Permission.REVIEW: "review",
        Permission.APPROVE: "approve",
        Permission.OPERATE: "rebuild the index",
        Permission.PEOPLE: "give out accounts",
    }
)


@dataclass(frozen=True)
class Row:
    """A group in the list."""

    name: str
    url: str
    role: bool
    people: int
    may: str
    reads: str


class GroupAdmin(GovernedAdmin):
    """What the people of a group may do and read; who is in it is said on each person's page."""

    permission = Permission.PEOPLE
    title = "Groups"
    search_fields = ("name",)
    ordering = ("name",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Group]:
        return Group.objects.annotate(people=Count("user")).order_by("name")

    def context_of(self, request: HttpRequest, rows: Sequence[Any]) -> dict[str, Any]:
        return {"rows": [_row(group) for group in rows]}

    def pages(self) -> tuple[Page, ...]:
        return (
            Page("add", "add/", self.add, self.permission),
            Page("change", "<int:key>/change/", self.change, self.permission),
            Page(
                "remove", "<int:key>/remove/", self.remove, self.permission, ("POST",), "../change/"
            ),
        )

    def add(self, request: HttpRequest) -> HttpResponse:
        form = NewGroupForm(posted(request))

        def act(actor: str) -> str:
            data = form.cleaned_data
            group = roles.create_group(data["name"], data["permissions"], actor=actor)
            return f"The group {group.name} is added."

        context = {"title": "Add a group", "verb": "Add"}
        return acted(self, request, form, act, context, "admin:auth_group_changelist")

    def change(self, request: HttpRequest, key: int) -> HttpResponse:
        group = _group(key)
        initial = {"permissions": [each.value for each in roles.permissions_of(group)]}
        form = PermissionsForm(posted(request), initial=initial)

        def act(actor: str) -> str:
            roles.set_permissions(group.name, form.cleaned_data["permissions"], actor=actor)
            return f"The group {group.name} is changed."

        return acted(
            self, request, form, act, _about(group), "admin:auth_group_changelist",
            "admin/group_change.html",
        )  # fmt: skip

    def remove(self, request: HttpRequest, key: int) -> HttpResponse:
        group = _group(key)
        try:
            roles.delete_group(group.name, actor=person_of(request).username)
            messages.success(request, f"The group {group.name} is removed.")
        except NotAllowed as refusal:
            messages.error(request, str(refusal))
            return redirect("admin:auth_group_change", key)
        return redirect("admin:auth_group_changelist")


def _about(group: Group) -> dict[str, Any]:
    members = list(group.user_set.order_by("username").values_list("username", flat=True))
    scopes = _scopes(group)
    return {
        "title": group.name,
        "verb": "Save",
        "group": group,
        "members": members,
        "scopes": scopes,
        "removable": group.name not in ROLES and not members and not scopes,
    }


def _row(group: Any) -> Row:
    held = roles.permissions_of(group)
    return Row(
        name=group.name,
        url=reverse("admin:auth_group_change", args=[group.pk]),
        role=group.name in ROLES,
        people=group.people,
        may=", ".join(words for permission, words in _MAY.items() if permission in held),
        reads=", ".join(_scopes(group)),
    )


def _scopes(group: Group) -> list[str]:
    return sorted(Grant.objects.filter(group=group).values_list("scope__name", flat=True))


def _group(key: int) -> Group:
    group = Group.objects.filter(pk=key).first()
    if group is None:
        raise Http404
    return group
