"""``manage.py demo``: built, served, ended by Ctrl-C, and done again."""

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import pytest
from django.core.management import CommandError

from tests.commands.command_line import run
from tests.sites.site import ROOT, Site

PEOPLE: Final = {
    "admin": {"admin", "staff", "people-team"},
    "erin": {"member", "staff"},
    "hana": {"member", "staff", "people-team"},
    "rita": {"reviewer", "staff"},
    "paul": {"approver", "staff", "people-team"},
}
MEMBERS: Final = """
    SELECT u.username, g.name, u.password FROM auth_user u
    JOIN auth_user_groups m ON m.user_id = u.id JOIN auth_group g ON g.id = m.group_id
"""


# A page that was served then means that no worker is starting any more when Ctrl-C comes: one
# that is interrupted in its start ends with an error.
ONE_WORKER: Final = {"GUNICORN_CMD_ARGS": "--workers 1"}


@dataclass(frozen=True)
class Served:
    """What a demo printed, a page and a style sheet that it served, and how Ctrl-C ended it."""

    printed: str
    page: str
    styles: str
    code: int


@dataclass(frozen=True)
class Twice:
    """A demo, and the same again; what the database knew of people after each."""

    first: Served
    again: Served
    people: list[tuple[str, str, str]]
    people_again: list[tuple[str, str, str]]


@contextmanager
def taken_port() -> Iterator[int]:
    """A port that somebody listens on until the block ends."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield int(taken.getsockname()[1])


def opened(url: str) -> str:
    """A page of a server that may still be starting."""
    deadline = time.monotonic() + 60
    while True:
        try:
            with urlopen(url, timeout=10) as response:
                return str(response.read().decode())
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def serve(site: Site) -> Served:
    """The demo as in a terminal, whose Ctrl-C reaches the whole group of processes."""
    with taken_port() as port:
        pass
    log = site.home.with_suffix(".log")
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [sys.executable, "manage.py", "demo", "--port", str(port)],
            cwd=ROOT,
            env=site.environment() | ONE_WORKER,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        try:
            printed, address = up_to_address(process, log)
            page = opened(f"{address}accounts/login/")
            [styles] = re.findall(r'href="/(static/site/tokens\.[0-9a-f]+\.css)"', page)
            styles = opened(address + styles)
        finally:
            os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
    return Served(printed, page, styles, process.returncode)


def up_to_address(process: "subprocess.Popen[str]", log: Path) -> tuple[str, str]:
    """All lines until the address, and the address."""
    assert process.stdout
    lines = []
    for line in process.stdout:
        lines.append(line)
        if found := re.search(r"The site is at (http://127\.0\.0\.1:\d+/) ", line):
            return "".join(lines), found[1]
    raise AssertionError(f"the demo ended: {lines} {log.read_text()}")


def people(site: Site) -> list[tuple[str, str, str]]:
    with closing(sqlite3.connect(site.home / "evidence.sqlite3")) as database:
        return sorted(database.execute(MEMBERS).fetchall())


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> Twice:
    site = Site(tmp_path_factory.mktemp("demo") / "home", profile="hashing")
    first, known = serve(site), people(site)
    again = serve(site)
    return Twice(first, again, known, people(site))


def test_the_site_is_served_in_its_own_look(twice: Twice) -> None:
    for served in (twice.first, twice.again):
        assert "Sign in" in served.page
        assert "--paper" in served.styles


def test_ctrl_c_ends_it_cleanly(twice: Twice) -> None:
    assert (twice.first.code, twice.again.code) == (0, 0)


def test_each_password_is_printed_once_and_before_the_address(twice: Twice) -> None:
    printed = re.findall(r"created (\w+) \(\w+\), password ([0-9a-f]{16}) ", twice.first.printed)
    assert {name for name, _ in printed} == PEOPLE.keys()
    assert len({password for _, password in printed}) == len(PEOPLE)
    assert "created" not in twice.again.printed
    assert "manage.py changepassword" in twice.again.printed


def test_people_have_their_roles_and_teams(twice: Twice) -> None:
    found: dict[str, set[str]] = {}
    for name, group, _ in twice.people:
        found.setdefault(name, set()).add(group)
    assert found == PEOPLE


def test_the_second_time_resets_nobody(twice: Twice) -> None:
    assert twice.people_again == twice.people


def test_a_port_in_use_is_said_before_anything_is_made(tmp_path: Path) -> None:
    with taken_port() as port:
        result = Site(tmp_path / "home").run("demo", "--port", str(port))
    assert (result.returncode, result.stdout) == (1, b"")
    assert result.stderr.decode() == (
        f"port {port} is not usable: nothing can listen on 127.0.0.1 there "
        "(Address already in use); choose another --port.\n"
    )
    assert not (tmp_path / "home" / "evidence.sqlite3").exists()


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http", "80 80", ""])
def test_what_is_no_port_is_wrong_usage(port: str) -> None:
    with pytest.raises(CommandError, match="is no port from 1 to 65535"):
        run("demo", f"--port={port}")
