"""The demo site on disk and gunicorn in front of it, each a process of its own."""

import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from urllib.error import URLError
from urllib.request import urlopen

from tests.sites.site import ROOT, Site

PASSWORD: Final = "correct horse battery"
_PASSWORDS: Final = f"""
from django.contrib.auth.models import User
for person in User.objects.all():
    person.set_password({PASSWORD!r})
    person.save()
"""
_SESSIONS: Final = """
from importlib import import_module
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import User
for person in User.objects.all():
    session = import_module(settings.SESSION_ENGINE).SessionStore()
    session[SESSION_KEY] = str(person.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = person.get_session_auth_hash()
    session.save()
    print("session", person.username, session.session_key)
"""


def demo_site(home: Path, profile: str = "hashing") -> Path:
    """A new demo site whose people all have ``PASSWORD``, its static files collected."""
    site = Site(home, profile)
    for command in (
        ["demo", "--no-server"],
        ["shell", "--command", _PASSWORDS],
        ["collectstatic", "--no-input", "--verbosity", "0"],
    ):
        result = site.run(*command)
        assert result.returncode == 0, result
    return home


@dataclass(frozen=True)
class Running:
    """A site that is being served at ``address``; ``pid`` is gunicorn's own."""

    site: Site
    address: str
    pid: int

    def run(self, *arguments: str) -> str:
        """``manage.py`` beside the server; it must succeed."""
        result = self.site.run(*arguments)
        assert result.returncode == 0, result
        return result.stdout.decode()

    def session_of(self, name: str) -> Any:
        """The cookie of somebody who has signed in. The sign-in form has tests of its own."""
        return {"name": "sessionid", "value": self._sessions[name], "url": self.address}

    @cached_property
    def _sessions(self) -> dict[str, str]:
        output = self.run("shell", "--command", _SESSIONS)
        return dict(re.findall(r"^session (\w+) (\w+)$", output, re.MULTILINE))


@contextmanager
def serve(home: Path, profile: str = "hashing", **settings: str) -> Iterator[Running]:
    """Serve the site until the block ends."""
    port = _free_port()
    site = Site(home, profile, tuple(settings.items()))
    with (home / "gunicorn.log").open("w") as log:
        process = subprocess.Popen(
            [
                *(sys.executable, "-m", "gunicorn", "evidencesite.wsgi", "--no-control-socket"),
                *("--bind", f"127.0.0.1:{port}", "--workers", "1", "--threads", "4"),
            ],
            cwd=ROOT,
            env=site.environment(),
            stdout=subprocess.DEVNULL,
            stderr=log,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, process, home / "gunicorn.log")
        yield Running(site, address, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=60)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(address: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urlopen(f"{address}/accounts/login/", timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"gunicorn does not answer: {log.read_text()}")
