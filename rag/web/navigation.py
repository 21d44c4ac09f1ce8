"""The links at the top of every page: those that lead somewhere for this person."""

from dataclasses import dataclass
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.urls import reverse

from rag.core.roles import Permission


@dataclass(frozen=True)
class Entry:
    """A link and the permission that it needs; it is current below its own address."""

    name: str
    view: str
    permission: Permission


ENTRIES: Final = (
    Entry("Search", "search", Permission.SEARCH),
    Entry("Ask", "ask", Permission.ASK),
    Entry("Sources", "sources", Permission.SEARCH),
    Entry("Upload", "upload", Permission.UPLOAD),
    Entry("Review", "admin:index", Permission.REVIEW),
    Entry("Status", "status", Permission.OPERATE),
)


def navigation(request: HttpRequest) -> dict[str, Any]:
    """The context of the page frame. Error pages have it too, even before anybody signed in."""
    user: User | AnonymousUser = getattr(request, "user", AnonymousUser())
    entries = [entry for entry in ENTRIES if user.has_perm(entry.permission)]
    return {"navigation": [_link(entry, request.path) for entry in entries], "person": user}


def _link(entry: Entry, path: str) -> dict[str, object]:
    url = reverse(entry.view)
    return {"name": entry.name, "url": url, "current": path.startswith(url)}
