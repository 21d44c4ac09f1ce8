"""People: their accounts, groups and passwords."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.models import User
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from rag.actions import people
from rag.admin.acting import acted, posted
from rag.admin.forms import AccountForm, ChangedPasswordForm, NewUserForm
from rag.admin.pages import GovernedAdmin, Page
from rag.core.roles import Permission
from rag.models import Grant
from rag.web.access import person_of
from rag.web.presenters.results import local_day
from rag.web.presenters.standings import Chip, day_words


@dataclass(frozen=True)
class Row:
    """Somebody in the list."""

    name: str
    url: str
    chips: tuple[Chip, ...]
    groups: str
    email: str
    seen: str


class UserAdmin(GovernedAdmin):
    """Everybody who may sign in. Nobody is deleted or renamed: the record names them."""

    permission = Permission.PEOPLE
    title = "People"
    search_fields = ("username", "email", "groups__name")
    ordering = ("username",)

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        return User.objects.prefetch_related("groups").order_by("username").distinct()

    def context_of(self, request: HttpRequest, rows: Sequence[User]) -> dict[str, Any]:
        return {"rows": [_row(user) for user in rows]}

    def pages(self) -> tuple[Page, ...]:
        return (
            Page("add", "add/", self.add, self.permission),
            Page("change", "<int:key>/change/", self.change, self.permission),
            Page("password", "<int:key>/password/", self.password, self.permission),
        )

    def add(self, request: HttpRequest) -> HttpResponse:
        """Somebody new; then the page that says what they may read."""
        form = NewUserForm(posted(request), initial={"active": True})

        def act(actor: str) -> str:
            data = form.cleaned_data
            user = people.create_user(
                data["name"], form.account(), password=form.secret(), actor=actor
            )
            return f"{user.username} is added."

        context = {"form": form, "title": "Add a person", "verb": "Add"}
        return acted(self, request, form, act, context, "admin:auth_user_changelist")

    def change(self, request: HttpRequest, key: int) -> HttpResponse:
        user = _user(key)
        form = AccountForm(posted(request), initial=_initial(user))

        def act(actor: str) -> str:
            people.change_user(user.username, form.account(), actor=actor)
            return f"{user.username} is changed."

        context = {
            "form": form,
            "title": user.username,
            "verb": "Save",
            "person_shown": user,
            "grants": _grants(user),
            "locked": user.is_superuser and not person_of(request).is_superuser,
        }
        template = "admin/user_change.html"
        return acted(self, request, form, act, context, "admin:auth_user_changelist", template)

    def password(self, request: HttpRequest, key: int) -> HttpResponse:
        """A new password for somebody else, or none; one's own takes the old one, too."""
        user = _user(key)
        if user == person_of(request):
            return redirect("password_change")
        form = ChangedPasswordForm(posted(request), user=user)

        def act(actor: str) -> str:
            name, secret = user.username, form.secret()
            people.set_password(name, secret, actor=actor)
            ended = "Every session of theirs has ended."
            if secret is None:
                return f"{name} has no password any more. {ended}"
            return f"The password of {name} is set. {ended}"

        context = {"form": form, "title": f"Password of {user.username}", "verb": "Save"}
        return acted(self, request, form, act, context, "admin:auth_user_changelist")


def _row(user: User) -> Row:
    chips = [
        *([] if user.is_active else [Chip("cannot sign in", "still")]),
        *([Chip("superuser", "warning")] if user.is_superuser else []),
    ]
    return Row(
        name=user.username,
        url=reverse("admin:auth_user_change", args=[user.pk]),
        chips=tuple(chips),
        groups=", ".join(sorted(group.name for group in user.groups.all())),
        email=user.email,
        seen=day_words(local_day(user.last_login)) if user.last_login else "",
    )


def _initial(user: User) -> dict[str, Any]:
    groups = [group.name for group in user.groups.all()]
    return {"email": user.email, "active": user.is_active, "groups": groups}


def _grants(user: User) -> list[tuple[str, str]]:
    """Scopes with how they came: own grant, or the group."""
    own = Grant.objects.filter(user=user).values_list("scope__name", flat=True)
    through = Grant.objects.filter(group__in=user.groups.all())
    groups = through.values_list("scope__name", "group__name")
    return sorted([*((scope, "own grant") for scope in own), *groups])


def _user(key: int) -> User:
    user = User.objects.prefetch_related("groups").filter(pk=key).first()
    if user is None:
        raise Http404
    return user
