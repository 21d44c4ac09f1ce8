"""Every page and state of a site that is well: ``checks.py`` says what holds for each."""

from pathlib import Path
from typing import Final

import pytest

from tests.browser.checks import faults_of
from tests.browser.conftest import Open
from tests.browser.serving import Running
from tests.browser.states import STATES
from tests.browser.steps import bring_in

NORA: Final = """
from django.contrib.auth.models import Group, User
User.objects.create_user("nora").groups.add(Group.objects.get(name="member"))
"""


@pytest.fixture(scope="module", autouse=True)
def more_states(site: Running, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Somebody without a grant, and a changed text of an approved source."""
    site.run("shell", "--command", NORA)
    folder = tmp_path_factory.mktemp("texts")
    changed = Path("examples/corpus/public/expenses-2026.md").read_text(encoding="utf-8")
    changed = changed.replace('version: "2026"', 'version: "2027"').replace("EUR 25", "EUR 40")
    bring_in(site, folder, "expenses-2027.md", changed)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("name", STATES)
def test_state_is_accessible_quiet_and_fits(open_page: Open, name: str, dark: bool) -> None:
    assert faults_of(open_page, name, STATES[name], dark) == []
