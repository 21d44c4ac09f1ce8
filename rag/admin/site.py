"""The review site: for who may review, in the look of the other pages."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import update_wrapper
from typing import Any, Final

from django.contrib.admin import AdminSite
from django.contrib.auth.models import Group, User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, include, path, re_path, reverse

from rag.admin.events import AuditEventAdmin
from rag.admin.grants import GrantAdmin, ScopeAdmin
from rag.admin.groups import GroupAdmin
from rag.admin.pages import GovernedAdmin
from rag.admin.revisions import RevisionAdmin
from rag.admin.users import UserAdmin
from rag.core.roles import Permission
from rag.models import AuditEvent, Grant, Revision, Scope

PLACES: Final[dict[Any, type[GovernedAdmin]]] = {
    Revision: RevisionAdmin,
    User: UserAdmin,
    Group: GroupAdmin,
    Scope: ScopeAdmin,
    Grant: GrantAdmin,
    AuditEvent: AuditEventAdmin,
}


@dataclass(frozen=True)
class Place:
    """A list of the review site in its navigation."""

    name: str
    url: str
    current: bool


class EvidenceAdminSite(AdminSite):
    """Open to reviewers, approvers and admins by their permissions; ``is_staff`` says nothing.

    Whatever is not for somebody answers like an address that does not exist.
    """

    site_title = site_header = "Review"
    site_url = None
    enable_nav_sidebar = False

    def __init__(self, name: str = "admin") -> None:
        super().__init__(name)
        for model, pages in PLACES.items():
            super().register(model, pages)

    def register(self, *models: Any, **options: Any) -> None:
        """Nothing besides ``PLACES``: the admin that another application brings for its tables
        knows neither scopes nor the record, and would change users past both."""

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        return user.is_active and user.has_perm(Permission.REVIEW)

    def admin_view(self, view: Callable[..., Any], cacheable: bool = False) -> Any:
        """The view for who may review; for others there is nothing, not even a sign-in."""

        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            if not self.has_permission(request):
                raise Http404
            return view(request, *args, **kwargs)

        return update_wrapper(checked, view)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """The lists with their pages. Signing in, passwords and the rest are the site's own.

        The last address is every other one, so that it is checked like those that exist.
        """
        lists = [
            path(f"{model._meta.app_label}/{model._meta.model_name}/", include(pages.urls))
            for model, pages in self._registry.items()
        ]
        return [
            path("", self.admin_view(self.index), name="index"),
            *lists,
            re_path(r"", self.admin_view(self.nothing), name="nothing"),
        ]

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """The queue is the first page of review."""
        return redirect("admin:rag_revision_changelist")

    def nothing(self, request: HttpRequest) -> HttpResponse:
        raise Http404

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """What every page of the review site shows: the lists that this person may open."""
        places = [
            _place(pages, request.path)
            for pages in self._registry.values()
            if isinstance(pages, GovernedAdmin) and pages.has_view_permission(request)
        ]
        return {"places": places}


def _place(pages: GovernedAdmin, path: str) -> Place:
    url = reverse(f"admin:{pages.opts.app_label}_{pages.opts.model_name}_changelist")
    return Place(pages.title, url, path.startswith(url))
