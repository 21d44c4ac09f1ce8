"""Eight people use one site for a minute while its index is rebuilt again and again.

    .venv/bin/python benchmarks/clients.py [--shared ../shared] [--clients 8] [--seconds 60]

Imports two real handbooks into a site of its own, serves it as `make run` does (gunicorn with
deploy/gunicorn.conf.py, real weights), and lets each client search (6 of 8 pages), read the source
of a hit and ask, one page after the other. Meanwhile a text changes and `manage.py rebuild` runs,
without a pause. Prints JSON: pages, errors, and per kind of page the median and p95 in ms, with
the rebuild running and, for half as long before it, without.
"""

import argparse
import json
import os
import random
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path
from typing import Any

import requests

PROJECT = Path(__file__).resolve().parent.parent
SCOPES = ("18f", "gds_way")
PASSWORD = "a reading room for eight"
PEOPLE = f"""
from django.contrib.auth.models import Group, User
from rag.actions.people import grant
for number in range(8):
    user = User.objects.create_user(f"client{{number}}", password={PASSWORD!r})
    user.groups.add(Group.objects.get(name="member"))
    for scope in {SCOPES!r}:
        grant(scope, user=user.username, create_scope=True)
User.objects.create_user("operator")
"""
Times = dict[str, list[float]]


class Site:
    """The site's folder and the commands beside its server."""

    def __init__(self, home: Path) -> None:
        self.environment = os.environ | {"EVIDENCE_HOME": str(home)}

    def manage(self, *arguments: str, check: bool = True) -> None:
        subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=PROJECT,
            env=self.environment,
            check=check,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL if not check else None,
        )

    @contextmanager
    def served(self) -> Iterator[str]:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        config = PROJECT / "deploy" / "gunicorn.conf.py"
        command = ["gunicorn", "evidencesite.wsgi", "--config", str(config)]
        server = subprocess.Popen(
            [sys.executable, "-m", *command, "--bind", f"127.0.0.1:{port}"],
            cwd=PROJECT,
            env=self.environment,
            stderr=subprocess.DEVNULL,
        )
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait()


class Client(threading.Thread):
    """One person at work until ``until`` (monotonic seconds)."""

    def __init__(self, address: str, number: int, questions: list[str], until: float) -> None:
        super().__init__()
        self.address, self.questions, self.until = address, questions, until
        self.dice = random.Random(number)
        self.times: Times = defaultdict(list)
        self.errors: list[str] = []
        self.browser = requests.Session()
        self.browser.trust_env = False
        self.sign_in(f"client{number}")

    def sign_in(self, name: str) -> None:
        form = {"username": name, "password": PASSWORD, **self.token("/accounts/login/")}
        self.browser.post(f"{self.address}/accounts/login/", form).raise_for_status()

    def token(self, path: str) -> dict[str, str]:
        page = self.browser.get(self.address + path).text
        found = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
        assert found, page
        return {"csrfmiddlewaretoken": found[1]}

    def run(self) -> None:
        while time.monotonic() < self.until:
            question = self.dice.choice(self.questions)
            page = self.timed("search", "get", "/search/", params={"q": question})
            links = re.findall(r'href="(/sources/[0-9a-f]{64}/\?[^"]*)"', page)
            kind = self.dice.random()
            if kind < 0.2 and links:
                self.timed("source", "get", unescape(self.dice.choice(links)))
            elif kind < 0.3:
                form = {"q": question, **self.token("/ask/")}
                self.timed("ask", "post", "/ask/", data=form)

    def timed(self, kind: str, method: str, path: str, **how: Any) -> str:
        start = time.perf_counter()
        try:
            response = self.browser.request(method, self.address + path, timeout=120, **how)
        except requests.RequestException as error:
            self.errors.append(f"{kind}: {error}")
            return ""
        self.times[kind].append((time.perf_counter() - start) * 1000)
        if response.status_code != 200:
            self.errors.append(f"{kind}: {response.status_code} {response.url}")
        return response.text


def rebuild_until(site: Site, folder: Path, stop: threading.Event, runs: list[float]) -> None:
    """Change a text, import it, rebuild: until told to stop."""
    while not stop.is_set():
        start = time.perf_counter()
        text = folder / "notice.md"
        text.write_text(f"# Notice\n\nThis is notice number {len(runs)} of the day.\n")
        how = ("--scope", SCOPES[0], "--approve", "--actor", "operator")
        site.manage("import_sources", str(text), *how)
        site.manage("rebuild")
        runs.append(time.perf_counter() - start)


def at_work(address: str, count: int, questions: list[str], seconds: float) -> dict[str, Any]:
    until = time.monotonic() + seconds
    clients = [Client(address, number, questions, until) for number in range(count)]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    times: Times = defaultdict(list)
    for client in clients:
        for kind, taken in client.times.items():
            times[kind] += taken
    errors = [error for client in clients for error in client.errors]
    return {
        "pages": sum(map(len, times.values())),
        "errors": errors,
        "ms": {kind: figures(taken) for kind, taken in sorted(times.items())},
    }


def figures(taken: list[float]) -> dict[str, float]:
    p95 = statistics.quantiles(taken, n=20)[-1] if len(taken) > 1 else taken[0]
    return {"pages": len(taken), "median": round(statistics.median(taken)), "p95": round(p95)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=60)
    options = parser.parse_args()
    handbooks = options.shared / "eval" / "handbooks"
    lines = (handbooks / "questions_dev.jsonl").read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line) for line in lines]
    questions = [entry["question"] for entry in asked if entry["scope"] in SCOPES]
    with tempfile.TemporaryDirectory(prefix="evidencesite-clients-") as folder:
        site = Site(Path(folder) / "home")
        site.manage("migrate", "--verbosity", "0")
        site.manage("shell", "--command", PEOPLE)
        for scope in SCOPES:
            how = ("--scope", scope, "--approve", "--actor", "operator")
            site.manage("import_sources", str(handbooks / scope), *how, check=False)
        site.manage("rebuild")
        site.manage("collectstatic", "--no-input", "--verbosity", "0")
        with site.served() as address:
            wait_for(address)
            quiet = at_work(address, options.clients, questions, options.seconds / 2)
            stop, runs = threading.Event(), list[float]()
            args = (site, Path(folder), stop, runs)
            rebuilding = threading.Thread(target=rebuild_until, args=args)
            rebuilding.start()
            busy = at_work(address, options.clients, questions, options.seconds)
            stop.set()
            rebuilding.join()
    result = {"quiet": quiet, "rebuilding": busy, "rebuilds": len(runs)}
    print(json.dumps(result, indent=1))
    sys.exit(1 if quiet["errors"] or busy["errors"] else 0)


def wait_for(address: str) -> None:
    for _ in range(600):
        try:
            requests.get(f"{address}/accounts/login/", timeout=10)
            return
        except requests.ConnectionError:
            time.sleep(0.1)
    raise SystemExit("gunicorn does not answer")


if __name__ == "__main__":
    main()
