"""Sites for the commands: one on disk that is copied, and the test's database with people."""

import shutil
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from rag.models import Scope
from tests.sites.site import Site


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Tables, people, and the scopes public (the sellers) and hr (the people-team)."""
    site = Site(tmp_path_factory.mktemp("commands") / "template")
    site.create()
    grants = (("public", "sellers"), ("hr", "people-team"))
    site.do([["grant", scope, "--group", team, "--create-scope"] for scope, team in grants])
    return site


@pytest.fixture(scope="module")
def module_site(template: Site, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """A copy that the tests of one module share and do not change."""
    return template.copy(tmp_path_factory.mktemp("module") / "home")


@pytest.fixture
def site(template: Site, tmp_path: Path) -> Site:
    """A copy of the test's own."""
    shutil.rmtree(tmp_path / "home", ignore_errors=True)
    return template.copy(tmp_path / "home")


@pytest.fixture
def people(db: None, settings: Settings) -> None:
    """In the test's database: ada, who imports, and the scopes public and hr."""
    settings.EVIDENCE_PROFILE = "hashing"
    User.objects.create(username="ada")
    Scope.objects.bulk_create(Scope(name=name) for name in ("public", "hr"))
