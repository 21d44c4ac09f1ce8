"""Whether htmx asks for a part of a page."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails


class HtmxRequest(HttpRequest):
    """A request as the htmx middleware leaves it."""

    htmx: HtmxDetails


def details_of(request: HttpRequest) -> HtmxDetails | None:
    """What htmx says of its request; None for an ordinary one.

    A page that Back restores is asked for by htmx, too, but wanted whole. A request that failed
    before the middleware saw it has no details.
    """
    htmx: HtmxDetails | None = getattr(request, "htmx", None)
    return htmx if htmx and not htmx.history_restore_request else None


def is_fragment(request: HttpRequest) -> bool:
    """Whether the answer replaces a part of the page that is open."""
    return details_of(request) is not None
