"""People in front of the review site, and revisions to review."""

import re
from html import unescape
from pathlib import Path
from typing import Any, Final

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from rag.actions.people import grant
from rag.models import Revision
from tests import factories

BACKEND: Final = "django.contrib.auth.backends.ModelBackend"
RULE: Final = "Meals on business trips are reimbursed up to EUR 45 per day."
NEW: Final = "Meals on business trips are reimbursed up to EUR 52 per day."


def person(name: str, *groups: str, scopes: tuple[str, ...] = ("public",)) -> User:
    """Somebody in these groups with grants on these scopes."""
    user = factories.user(name, groups=groups)
    for scope in scopes:
        grant(scope, user=name, create_scope=True)
    return user


def signed_in(name: str, *groups: str, scopes: tuple[str, ...] = ("public",)) -> Client:
    """A browser in which such a person has signed in."""
    client = Client(raise_request_exception=False)
    client.force_login(person(name, *groups, scopes=scopes), BACKEND)
    return client


def draft(folder: Path, text: str = RULE, source: str = "meals", **front: Any) -> Revision:
    """A pending revision that is indexed."""
    revision = factories.import_text(folder, source, text, approve=False, **front)
    factories.rebuild()
    revision.refresh_from_db()
    return revision


def approved(folder: Path, text: str = RULE, source: str = "meals", **front: Any) -> Revision:
    """An approved revision."""
    revision = factories.import_text(folder, source, text, **front)
    factories.rebuild()
    revision.refresh_from_db()
    return revision


def address(revision: Revision | str, page: str = "change") -> str:
    """The address of a revision's page or action."""
    document = revision if isinstance(revision, str) else revision.document_id
    return reverse(f"admin:rag_revision_{page}", args=[document])


def shown(response: Any) -> tuple[int, dict[str, str], str]:
    """Status, headers and body, without what is drawn anew for every page."""
    headers = dict(response.headers.items())
    body = re.sub(r'(csrfmiddlewaretoken" value=)"\w+"', r"\1", response.content.decode())
    return response.status_code, headers, body


def main(response: Any) -> str:
    """The HTML of a page without its frame."""
    return str(response.content.decode().split('<main id="main"')[1].split("</main>")[0])


def words(response: Any) -> str:
    """The text of a page, as somebody reads it, with its white space collapsed."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", response.content.decode())).split())
