"""Every page and state of a site that is well: ``checks.py`` says what holds for each."""

from typing import Final

import pytest

from tests.browser.checks import faults_of
from tests.browser.conftest import Open
from tests.browser.mistakes import MISTAKES
from tests.browser.past import PAST, bring_about
from tests.browser.serving import Running
from tests.browser.states import STATES

ALL: Final = {**STATES, **MISTAKES, **PAST}


@pytest.fixture(scope="module", autouse=True)
def history(site: Running, tmp_path_factory: pytest.TempPathFactory) -> None:
    bring_about(site, tmp_path_factory.mktemp("texts"))


@pytest.mark.parametrize("name", ALL)
def test_state_is_accessible_quiet_and_fits(open_page: Open, name: str) -> None:
    assert faults_of(open_page, name, ALL[name]) == []
