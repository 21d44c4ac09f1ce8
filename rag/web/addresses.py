"""The network address that a request comes from."""

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The address that counts for lock-outs.

    Behind the proxy it is the last entry of X-Forwarded-For, the one that the proxy wrote;
    earlier ones may have been sent by anybody. Without the proxy the header is not looked at.
    """
    if settings.BEHIND_TLS_PROXY:
        last = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
        if last:
            return last
    return str(request.META.get("REMOTE_ADDR", ""))
