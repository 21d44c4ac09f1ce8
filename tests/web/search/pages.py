"""Sources to be found, and the search page as a person or htmx gets it."""

import re
from pathlib import Path
from typing import Any, Final

from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from rag.models import Revision
from tests import factories

TEXT: Final = "# {0}\n\n## Exports\n\nChoose *Export* in {0}. The file holds every row."


def serve(folder: Path, name: str, text: str = TEXT, **about: Any) -> Revision:
    """An approved and indexed source whose title is its name."""
    revision = factories.import_text(folder, name, text.format(name), **about)
    factories.rebuild()
    revision.refresh_from_db()
    return revision


def page(client: Client, **query: Any) -> str:
    return shown(client.get(reverse("search"), query))


def fragment(client: Client, typing: bool = False, **query: Any) -> HttpResponse:
    headers = {"HX-Request": "true"} | ({"X-Typing": "1"} if typing else {})
    response = client.get(reverse("search"), query, headers=headers)
    assert isinstance(response, HttpResponse)
    return response


def shown(response: Any) -> str:
    """The page with single blanks, without what differs by chance: the sign-out form's token."""
    html = " ".join(response.content.decode().split())
    return re.sub(r'(name="csrfmiddlewaretoken" value=)"\w+"', r"\1", html)


def titles(html: str) -> list[str]:
    return re.findall(r"data-key-item>([^<]*)</a></h2>", html)
