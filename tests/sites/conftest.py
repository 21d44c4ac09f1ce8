"""The sites are built once in a run; a test that changes one takes a copy."""

from dataclasses import dataclass

import pytest

from tests.sites.corpus import ALWAYS_HIDDEN, HIDDEN_TODAY, build
from tests.sites.site import Site


@dataclass(frozen=True)
class Twins:
    """Three sites that show sam the same, and one of them nothing but that.

    ``today`` hides papers of every kind, so it equals ``plain`` on DAY; ``always`` only those that
    no day and no option shows, so it equals ``plain`` in the archive view, too.
    """

    plain: Site
    always: Site
    today: Site


@pytest.fixture(scope="session")
def empty_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Tables and people, nothing else. Copy it."""
    site = Site(tmp_path_factory.mktemp("sites") / "empty")
    site.create()
    return site


@pytest.fixture(scope="session")
def twins(empty_site: Site, tmp_path_factory: pytest.TempPathFactory) -> Twins:
    """The twin sites, built by commands."""
    folder = tmp_path_factory.mktemp("twins")
    made = Twins(*(empty_site.copy(folder / name) for name in ("plain", "always", "today")))
    build(made.plain)
    build(made.always, ALWAYS_HIDDEN)
    build(made.today, HIDDEN_TODAY)
    return made
