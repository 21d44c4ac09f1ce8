"""What holds for every page: nothing is kept, errors get pages, sessions end cleanly."""

import logging
from collections.abc import Callable

from django.conf import settings
from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils.cache import patch_vary_headers
from django.utils.http import urlencode
from django_htmx.middleware import HtmxDetails

from rag.core.errors import IndexDamaged, RagError
from rag.web.errors import page_of, status_of, storage_page
from rag.web.fragments import details_of

logger = logging.getLogger("rag.web")
Next = Callable[[HttpRequest], HttpResponse]


class PersonalPagesMiddleware:
    """Pages show what one person may read now: no cache keeps them.

    A session that has ended answers an htmx request with a redirect of the whole page: else the
    sign-in page would appear inside the page that asked.
    """

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        htmx = details_of(request)
        if htmx is not None and _to_sign_in(response):
            response = _whole_page_to_sign_in(htmx)
        response["Cache-Control"] = "no-store"
        patch_vary_headers(response, ("Cookie", "HX-Request"))
        return response


class ErrorsMiddleware:
    """Gives the errors of the engine their status and page."""

    def __init__(self, get_response: Next) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """The page of an error that has a sentence; others go on to the 500 page."""
        if isinstance(error, RagError):
            if status_of(error) >= 500:
                detail = error.detail if isinstance(error, IndexDamaged) else str(error)
                logger.error("%s %s", error.code, detail)
            return page_of(request, error)
        if isinstance(error, DatabaseError):
            logger.error("database %s", error, exc_info=error)
            return storage_page(request)
        return None


def _to_sign_in(response: HttpResponse) -> bool:
    sign_in = resolve_url(settings.LOGIN_URL)
    return response.status_code == 302 and response["Location"].partition("?")[0] == sign_in


def _whole_page_to_sign_in(htmx: HtmxDetails) -> HttpResponse:
    back = urlencode({"next": htmx.current_url_abs_path or "/"})
    location = f"{resolve_url(settings.LOGIN_URL)}?{back}"
    return HttpResponse(status=204, headers={"HX-Redirect": location})
