"""Sites for the commands: one on disk that is copied, and the test's database with people."""

import shutil
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from rag.models import Scope
from tests.commands.bad_files import Imported, import_folder
from tests.commands.command_line import IMPORT, front, run, write
from tests.sites.site import Site


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Tables, people, and the scopes public (the sellers) and hr (the people-team)."""
    site = Site(tmp_path_factory.mktemp("commands") / "template")
    site.create()
    grants = (("public", "sellers"), ("hr", "people-team"))
    site.do([["grant", scope, "--group", team, "--create-scope"] for scope, team in grants])
    return site


@pytest.fixture(scope="session")
def imported(template: Site, tmp_path_factory: pytest.TempPathFactory) -> Imported:
    """A copy into which a folder of bad files was imported; tests share it and do not change it."""
    parent = tmp_path_factory.mktemp("imported")
    return import_folder(template.copy(parent / "home"), parent)


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


@pytest.fixture
def indexed(people: None, tmp_path: Path) -> None:
    """In the test's database: one rule in the scope public, approved and indexed."""
    file = write(tmp_path / "rule.md", front(id="RULE"))
    assert run("import_sources", file, *IMPORT, "--approve").code == 0
    assert run("rebuild").code == 0
