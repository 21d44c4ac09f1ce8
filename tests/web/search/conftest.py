"""Erin, who is signed in and searches."""

from collections.abc import Iterator

import pytest
from django.test import Client
from pytest_django import Settings

from rag.actions.people import grant
from tests import factories


@pytest.fixture(autouse=True)
def hashing(settings: Settings) -> None:
    settings.EVIDENCE_PROFILE = "hashing"


@pytest.fixture
def client() -> Iterator[Client]:
    """Erin, a member who may read ``public``; ``hr`` exists."""
    person = factories.user("erin", groups=["member"])
    grant("public", user="erin", create_scope=True)
    factories.scope("hr")
    client = Client()
    client.force_login(person)
    yield client
