"""From errors to HTTP statuses and pages. No page says what it was asked for: one of a failure
only leads there again."""

from dataclasses import dataclass
from typing import Final

from django.contrib.auth.models import AnonymousUser
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string

from rag.core.errors import (
    Busy,
    InvalidVector,
    NotAllowed,
    NotFound,
    ProviderError,
    RagError,
    StorageError,
    Unusable,
)
from rag.core.roles import Permission
from rag.web.fragments import is_fragment
from rag.web.navigation import frame

DATABASE_SILENT: Final = "The database did not answer. Try again in a moment."
# Pages with a field whose words stay while their results come and go, and where those stand.
_RESULTS: Final = {"search": "#results", "sources": "#list"}
_UNAVAILABLE: Final = (Busy, Unusable, ProviderError, InvalidVector, StorageError)
_TITLES: Final = {
    400: "This cannot be asked like that",
    403: "This is not allowed",
    404: "There is nothing here",
    409: "This cannot be done now",
    429: "Too many attempts",
    500: "Something went wrong",
    503: "Not available at the moment",
}
_SENTENCES: Final = {
    403: "The form was too old or came from elsewhere. Go back, reload the page and try again.",
    404: "The address is wrong, or it leads to something that you may not read.",
    500: "The fault is ours and stands in the log. Look whether it was done before you try again.",
    503: DATABASE_SILENT,
}


@dataclass(frozen=True)
class Told:
    """What somebody is told of an error; ``repairs``: they can do something about the index."""

    sentence: str
    repairs: bool = False


def told(request: HttpRequest, error: RagError) -> Told:
    """The error's sentence for whoever asked: commands, settings and the cause of a provider's
    failure are for who may rebuild."""
    if not isinstance(error, Unusable | ProviderError):
        return Told(str(error))
    user = getattr(request, "user", AnonymousUser())
    if not user.has_perm(Permission.OPERATE):
        return Told(error.for_readers)
    return Told(f"{str(error).removesuffix('.')}.", repairs=isinstance(error, Unusable))


def status_of(error: RagError) -> int:
    """The HTTP status of a refusal or failure."""
    if isinstance(error, NotFound):
        return 404
    if isinstance(error, _UNAVAILABLE):
        return 503
    return 409 if isinstance(error, NotAllowed) else 400


def error_page(
    request: HttpRequest, status: int, sentence: str = "", repairs: bool = False
) -> HttpResponse:
    """The page of an error; for htmx its middle, which replaces the page's."""
    sentence = sentence or _SENTENCES.get(status, "")
    context = {**_shown(request, status, sentence), "repairs": repairs, **frame(request)}
    return _placed(request, render(request, _template(request), context, status=status))


def _template(request: HttpRequest) -> str:
    return "_error.html" if is_fragment(request) else "error.html"


def _placed(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """For htmx, with where on the page it goes."""
    if is_fragment(request):
        place = _place(request, response.status_code) or "#main"
        response["HX-Retarget"], response["HX-Reswap"] = place, "innerHTML"
        response["HX-Push-Url"] = "false"
    return response


def _place(request: HttpRequest, status: int) -> str:
    """Where a failure of the site stands among what somebody is typing; empty: nowhere."""
    match = request.resolver_match
    typing = match is not None and status >= 500 and is_fragment(request)
    return _RESULTS.get(match.view_name, "") if match and typing else ""


def _shown(request: HttpRequest, status: int, sentence: str) -> dict[str, object]:
    """What the template of an error shows. What did not answer may be asked for once more."""
    return {
        "title": _TITLES[status],
        "sentence": sentence,
        "in_results": bool(_place(request, status)),
        "unavailable": status == 503,
        "address": request.get_full_path() if request.method in ("GET", "HEAD") else "",
    }


def page_of(request: HttpRequest, error: RagError) -> HttpResponse:
    """The page of an error that has its own sentence; a missing thing is never named."""
    status, said = status_of(error), told(request, error)
    return error_page(request, status, "" if status == 404 else said.sentence, said.repairs)


def storage_page(request: HttpRequest) -> HttpResponse:
    """The page of a database that did not answer."""
    return error_page(request, 503)


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, 400, "The request was malformed.")


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Forbidden answers exactly like missing."""
    return error_page(request, 404)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return error_page(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """The page of a fault; of the database, where not even who asks can be read from it."""
    try:
        return error_page(request, 500)
    except DatabaseError:
        # Without the request no template looks for a person or for messages in the session.
        context = _shown(request, 503, DATABASE_SILENT)
        content = render_to_string(_template(request), context)
        return _placed(request, HttpResponse(content, status=503))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return error_page(request, 403)
