"""What another process takes back is gone from a running one on its next request, figures too."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.sites.commands import POLICIES, QUESTIONS, SAM
from tests.sites.conftest import Twins
from tests.sites.corpus import BRIEF, DAY, HR, add
from tests.sites.site import ACTOR, Result, Site

ASKED = ["--as-of", DAY, *SAM]
COMMANDS = [
    *(["search", question, "--json", *ASKED] for question in QUESTIONS[:8]),
    *(["search", question, "--json", *ASKED, "--mode", "lexical"] for question in QUESTIONS[:4]),
    *(["search", question, *ASKED, "--policy", POLICIES[1]] for question in QUESTIONS[:2]),
    *(["ask", question, "--json", *ASKED] for question in QUESTIONS[:3]),
    ["probe", QUESTIONS[0], "--json", *ASKED],
    ["search", QUESTIONS[0], "--json", *ASKED, "--product", "GX-100"],
]
WHY = ["--actor", ACTOR, "--reason", "test"]
REBUILD = ["rebuild"]
WITHDRAW = [["withdraw", f"sales/{paper.name}", *WHY] for paper in BRIEF]
ERASE = [["erase", f"sales/{paper.name}", *WHY] for paper in BRIEF]
HOLDERS = {"user": ["--user", "sam"], "group": ["--group", "sellers"]}
LEAVE = """
from django.contrib.auth.models import Group, User
Group.objects.get(name="sellers").user_set.remove(User.objects.get(username="sam"))
"""
DEACTIVATE = """
from django.contrib.auth.models import User
User.objects.filter(username="sam").update(is_active=False)
"""


@pytest.fixture(scope="module")
def plain(twins: Twins) -> list[Any]:
    """What sam is shown where nothing more was ever imported or granted."""
    return shown(twins.plain.run_all(COMMANDS))


@pytest.fixture
def briefed(twins: Twins, tmp_path: Path) -> Site:
    """The plain site with further papers of sam's scope."""
    site = twins.plain.copy(tmp_path / "briefed")
    add(site, BRIEF)
    return site


@pytest.fixture(scope="module")
def with_hr(twins: Twins, tmp_path_factory: pytest.TempPathFactory) -> Site:
    """The plain site with papers of a scope that nobody was granted. Copy it."""
    site = twins.plain.copy(tmp_path_factory.mktemp("revocation") / "hr")
    add(site, HR)
    return site


def shown(results: Sequence[Result]) -> list[Any]:
    return [result.shown() for result in results]


def figures(results: Sequence[Result]) -> dict[tuple[int, str], float | None]:
    """The lexical figure of each chunk that a command found, by the command's number."""
    return {
        (number, hit["chunk_id"]): hit["lexical"]
        for number, result in enumerate(results)
        if result.stdout.startswith(b"{")
        for hit in result.json["hits"]
    }


def do(site: Site, *commands: Sequence[str]) -> None:
    """Each command in a process of its own."""
    for command in commands:
        assert site.run(*command).returncode == 0, command


@pytest.mark.parametrize(
    "commands",
    [WITHDRAW, ERASE, [WITHDRAW[0], REBUILD, ERASE[1]]],
    ids=["withdrawn", "erased", "withdrawn, rebuilt, erased"],
)
def test_source_is_gone_on_the_next_request_of_a_running_process(
    briefed: Site, plain: list[Any], commands: list[list[str]]
) -> None:
    with briefed.driver() as running:
        assert b"sales/brief" in running.run_all(COMMANDS)[0].stdout
        do(briefed, *commands)
        assert shown(running.run_all(COMMANDS)) == plain


def test_withdrawal_moves_the_figures_of_what_remains(twins: Twins, briefed: Site) -> None:
    never = figures(twins.plain.run_all(COMMANDS))
    with briefed.driver() as running:
        before = figures(running.run_all(COMMANDS))
        do(briefed, *WITHDRAW)
        after = figures(running.run_all(COMMANDS))
    moved = [key for key, figure in before.items() if never.get(key, figure) != figure]
    assert len(moved) > 10
    assert after == never


@pytest.mark.parametrize("holder", HOLDERS)
def test_revoked_grant_counts_on_the_next_request_of_a_running_process(
    with_hr: Site, plain: list[Any], tmp_path: Path, holder: str
) -> None:
    site = with_hr.copy(tmp_path / "site")
    grant = ["grant", "hr", *HOLDERS[holder]]
    do(site, grant)
    with site.driver() as running:
        assert b"hr/secret" in running.run_all(COMMANDS)[0].stdout
        do(site, [*grant, "--revoke"])
        assert shown(running.run_all(COMMANDS)) == plain


@pytest.mark.parametrize("holder", HOLDERS)
def test_new_grant_counts_on_the_next_request_of_a_running_process(
    with_hr: Site, plain: list[Any], tmp_path: Path, holder: str
) -> None:
    early, late = (with_hr.copy(tmp_path / name) for name in ("early", "late"))
    grant = ["grant", "hr", *HOLDERS[holder]]
    do(early, grant)
    with late.driver() as running:
        assert shown(running.run_all(COMMANDS)) == plain
        do(late, grant)
        assert shown(running.run_all(COMMANDS)) == shown(early.run_all(COMMANDS))


def test_person_who_left_the_group_finds_nothing_on_the_next_request(
    twins: Twins, plain: list[Any], tmp_path: Path
) -> None:
    site = twins.plain.copy(tmp_path / "site")
    with site.driver() as running:
        assert shown(running.run_all(COMMANDS)) == plain
        do(site, ["shell", "--command", LEAVE])
        assert figures(running.run_all(COMMANDS)) == {}


def test_person_who_was_deactivated_is_unknown_on_the_next_request(
    twins: Twins, tmp_path: Path
) -> None:
    site = twins.plain.copy(tmp_path / "site")
    with site.driver() as running:
        assert running.run(*COMMANDS[0]).returncode == 0
        do(site, ["shell", "--command", DEACTIVATE])
        gone = running.run(*COMMANDS[0])
    assert (gone.returncode, gone.stdout) == (1, b"")
    assert gone.stderr == b"There is no user 'sam'.\n"
