"""A fake: the addresses of the site, and /fails/, whose view has a fault that nobody foresaw."""

from django.http import HttpRequest, HttpResponse
from django.urls import include, path

# The pages of errors that Django looks for in the address file.
from evidencesite.urls import handler400, handler403, handler404, handler500

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


def fails(request: HttpRequest) -> HttpResponse:
    """No error of the engine or the database: the site knows nothing of it."""
    raise ZeroDivisionError


urlpatterns = [path("fails/", fails), path("", include("evidencesite.urls"))]
