"""Pages of a site as somebody sees them, through Django's test client, for ``driver.py``.

``page USER METHOD PATH [key=value…]`` is one page, ``crawl USER LIMIT PATH…`` these and every
page that they lead to, as a JSON object from address to page.
"""

import json
import re
from collections.abc import Callable, Sequence
from functools import cache
from html import unescape
from typing import Any, Final

from django.contrib.auth.models import User
from django.http import HttpResponseBase
from django.test import Client

HTMX: Final = "htmx"
# A token is drawn for every page, and an answer has a random id; nothing else may vary.
_VARYING: Final = (
    (re.compile(r'name="csrfmiddlewaretoken" value="\w+"'), 'name="csrfmiddlewaretoken" value="…"'),
    (re.compile(r"/answers/[0-9a-f]{8}-[0-9a-f-]{27}"), "/answers/…"),
    (re.compile(r"(?m)^(Expires|Set-Cookie): .*$"), r"\1: …"),
)
_LINK: Final = re.compile(r'(?:href|action|hx-get)="(/[^"]*)"')


def page(arguments: Sequence[str]) -> str:
    """Status, headers and body of one page; redirects are followed."""
    name, method, path, *pairs = arguments
    return shown(fetch(name, method, path, dict(pair.split("=", 1) for pair in pairs)))


def crawl(arguments: Sequence[str]) -> str:
    """The pages that these addresses lead to, each once, in the order in which they are found.

    Each is shown as a page and, under its address with ``HTMX`` behind, as the fragment.
    """
    name, limit, *waiting = arguments
    pages: dict[str, str] = {}
    while waiting and len(pages) < 2 * int(limit):
        path = waiting.pop(0)
        if path not in pages:
            text = shown(fetch(name, "get", path, {}))
            pages[path] = text
            pages[f"{path} {HTMX}"] = shown(fetch(name, "get", path, {HTMX: "1"}))
            links = (unescape(link).partition("#")[0] for link in _LINK.findall(text))
            waiting += [link for link in links if is_page(link)]
    return json.dumps(pages)


def is_page(path: str) -> bool:
    """Whether a crawl follows the link: not files, and not what ends the session."""
    return bool(path) and "…" not in path and not path.startswith(("/static/", "/accounts/"))


def fetch(name: str, method: str, path: str, form: dict[str, str]) -> HttpResponseBase:
    """One request as that person (``-``: nobody); the pseudo field ``htmx`` makes it a fragment."""
    headers = {"HX-Request": "true"} if form.pop(HTMX, "") else {}
    send: Callable[..., Any] = getattr(client_of(name), method.lower())
    response: HttpResponseBase = send(path, form or None, headers=headers, follow=True)
    return response


@cache
def client_of(name: str) -> Client:
    """A browser in which that person has signed in."""
    client = Client(raise_request_exception=False, SERVER_NAME="localhost")
    if name != "-":
        client.force_login(
            User.objects.get(username=name), "django.contrib.auth.backends.ModelBackend"
        )
    return client


def shown(response: Any) -> str:
    """Everything that the person gets, without what is random."""
    headers = "".join(f"{key}: {_in_order(value)}\n" for key, value in response.headers.items())
    body = b"".join(response) if response.streaming else response.content
    text = f"{response.status_code}\n{headers}\n{body.decode()}"
    for pattern, constant in _VARYING:
        text = pattern.sub(constant, text)
    return text


def _in_order(value: str) -> str:
    """A header's parts in one order: that of the policy's directives differs between processes."""
    return "; ".join(sorted(value.split("; ")))
