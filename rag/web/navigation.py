"""The links at the top of every page: those that lead somewhere for this person."""

from dataclasses import dataclass
from typing import Any, Final

from django.contrib.auth.models import AnonymousUser, User
from django.http import HttpRequest
from django.urls import reverse

from rag.core.roles import Permission


@dataclass(frozen=True)
class Entry:
    """A link, the permission that it needs, and the beginnings of addresses that belong to it."""

    name: str
    view: str
    permission: Permission
    below: tuple[str, ...]


ENTRIES: Final = (
    Entry("Search", "search", Permission.SEARCH, ("/search/",)),
    Entry("Ask", "ask", Permission.ASK, ("/ask/", "/answers/")),
    Entry("Sources", "sources", Permission.SEARCH, ("/sources/",)),
    Entry("Upload", "upload", Permission.UPLOAD, ("/upload/",)),
    Entry("Review", "admin:index", Permission.REVIEW, ("/review/",)),
    Entry("Status", "status", Permission.OPERATE, ("/status/",)),
)


def navigation(request: HttpRequest) -> dict[str, Any]:
    """The context of the page frame."""
    return frame(request, request.path)


def frame(request: HttpRequest, path: str = "") -> dict[str, Any]:
    """The same for an error page, on which no link is current: an address that leads nowhere
    shows the same wherever it begins. There may be no session yet."""
    user: User | AnonymousUser = getattr(request, "user", AnonymousUser())
    return {"navigation": [_link(entry, path) for entry in _open(user)], "person": user}


def first_open(user: User | AnonymousUser) -> Entry | None:
    """Where somebody begins: the first link that leads somewhere; None without a role."""
    return next(iter(_open(user)), None)


def _open(user: User | AnonymousUser) -> list[Entry]:
    return [entry for entry in ENTRIES if user.has_perm(entry.permission)]


def _link(entry: Entry, path: str) -> dict[str, object]:
    return {
        "name": entry.name,
        "url": reverse(entry.view),
        "current": path.startswith(entry.below),
    }
