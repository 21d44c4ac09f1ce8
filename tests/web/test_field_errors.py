"""What is wrong with a field is tied to the field: no description points at nothing."""

import re
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from rag.actions.people import grant
from tests import factories

pytestmark = pytest.mark.django_db
# Name of the address → fields that make no sense there.
WRONG: Final[dict[str, dict[str, Any]]] = {
    "ask": {"q": "\0" + "x" * 1001, "as_of": "x"},  # two mistakes in one field
    "upload": {"scope": "nope", "valid_from": "x"},
    "password_change": {"old_password": "no", "new_password1": "", "new_password2": "x"},
    "password_reset": {"email": "x"},
    "admin:auth_user_add": {"name": "", "email": "x", "groups": ["nope"], "password": "x"},
    "admin:auth_user_change": {"email": "x", "groups": ["nope"]},
    "admin:auth_user_password": {"password": "12345678", "repeated": "12345678", "removed": "on"},
    "admin:auth_group_add": {"name": "", "permissions": ["nope"]},
    "admin:rag_scope_add": {"name": ""},
    "admin:rag_grant_add": {"scope": "nope", "holder": "nope"},
    "admin:rag_revision_reject": {"reason": " "},
}


@pytest.fixture
def paul(client: Client) -> User:
    """Somebody who may do everything, signed in."""
    person = factories.user("paul", groups=["approver", "admin"])
    grant("public", user="paul", create_scope=True)
    client.force_login(person, "django.contrib.auth.backends.ModelBackend")
    return person


def address(name: str, folder: Path) -> str:
    if name.startswith("admin:rag_revision"):
        revision = factories.import_text(folder, "rule", "Ask first.", approve=False)
        return reverse(name, args=[revision.document_id])
    of_somebody = name in ("admin:auth_user_change", "admin:auth_user_password")
    return reverse(name, args=[factories.user("erin").pk] if of_somebody else [])


def described(html: str) -> list[str]:
    """The ids that descriptions point at."""
    return " ".join(re.findall(r'aria-describedby="([^"]*)"', html)).split()


@pytest.mark.parametrize("name", WRONG)
def test_every_description_of_a_field_is_there_once(
    client: Client, paul: User, tmp_path: Path, name: str
) -> None:
    html = client.post(address(name, tmp_path), WRONG[name]).content.decode()
    assert any(each.endswith("_error") for each in described(html))
    for each in described(html):
        assert html.count(f' id="{each}"') == 1, each


def test_the_error_of_a_tick_box_is_shown_beside_it(
    client: Client, paul: User, tmp_path: Path
) -> None:
    name = "admin:auth_user_password"
    form = {"password": "x" * 20, "repeated": "x" * 20, "removed": "on"}
    html = client.post(address(name, tmp_path), form).content.decode()
    box = html.partition('type="checkbox" name="removed"')[2].partition("</form")[0]
    assert 'id="id_removed_error"' in box and "Either type a password or take it away" in box
