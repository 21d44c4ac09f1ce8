"""Who may open a page, and what it may be computed from."""

from collections.abc import Callable
from datetime import date
from functools import wraps

from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse

from rag.actions.governing import today
from rag.core.roles import Permission
from rag.core.sources import Access
from rag.queries.eligibility import access_of_person

View = Callable[..., HttpResponse]


def person_of(request: HttpRequest) -> User:
    """Who is signed in; every page but sign-in asks for that before its view runs."""
    if not isinstance(request.user, User):
        raise Http404
    return request.user


def access_of(request: HttpRequest, as_of: date | None = None) -> Access:
    """What the person may read now, asked for that day (default: today)."""
    return access_of_person(person_of(request), as_of or today())


def permitted(permission: Permission) -> Callable[[View], View]:
    """Let through who has the permission; for everybody else the page does not exist."""

    def decorate(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: object, **kwargs: object) -> HttpResponse:
            if not person_of(request).has_perm(permission):
                raise Http404
            return view(request, *args, **kwargs)

        return checked

    return decorate
