"""Erin, who is signed in, and the two sources about meals that she may read."""

from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from rag.actions.people import grant
from tests import factories
from tests.web.answers.asked import EXCEPTION, OTHER, RULE


@pytest.fixture(autouse=True)
def hashing(settings: Settings) -> None:
    settings.EVIDENCE_PROFILE = "hashing"


@pytest.fixture
def erin(client: Client, tmp_path: Path) -> User:
    """A member who is signed in and may read two sources about meals."""
    person = factories.user("erin", groups=["member"])
    about: dict[str, Any] = {"version": "2026-2", "owner": "Finance"}
    text = f"# Expenses\n\n## Meals\n\n{RULE} {EXCEPTION} The rest is not."
    factories.import_text(tmp_path, "a", text, title="Expenses policy", **about)
    factories.import_text(tmp_path, "b", OTHER, title="Travel abroad", scope="travel")
    factories.rebuild()
    for scope in ("public", "travel"):
        grant(scope, user="erin")
    client.force_login(person)
    return person
