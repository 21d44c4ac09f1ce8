"""Pages of a site that is not well or is busy: held to what holds for every other page."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.browser.checks import faults_of
from tests.browser.conditions import CONDITIONS, Condition
from tests.browser.conftest import Open
from tests.browser.serving import Running, serve

CASES: Final = [(name, state) for name, condition in CONDITIONS.items() for state in condition.states]  # fmt: skip  # noqa: E501


@pytest.fixture(scope="module")
def condition(request: pytest.FixtureRequest) -> Condition:
    return CONDITIONS[request.param]


@pytest.fixture(scope="module")
def site(
    chromium: str, demo: Path, condition: Condition, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Running]:
    """A copy of the demo site for each condition, in the place of the one that is well."""
    home = tmp_path_factory.mktemp("site") / "home"
    shutil.copytree(demo, home)
    with serve(home, **condition.settings) as running, condition.prepare(running):
        yield running


@pytest.mark.parametrize(("condition", "name"), CASES, indirect=["condition"], scope="module")
def test_state_of_trouble_is_accessible_quiet_and_fits(
    open_page: Open, condition: Condition, name: str
) -> None:
    assert faults_of(open_page, name, condition.states[name]) == []
