"""manage.py demo"""

import os
import socket
import subprocess
import sys
from argparse import ArgumentParser, ArgumentTypeError
from typing import Any, Final

from django.conf import settings
from django.core.management.base import OutputWrapper
from django.db import connections

from rag.actions.asking import Asked, ask
from rag.actions.demo import ADMIN, EMPLOYEE, HR, PEOPLE, Demo, prepare
from rag.actions.governing import today
from rag.actions.profiles import Parts, configured, default_policy
from rag.actions.rebuilding import RebuildReport, rebuild
from rag.core.errors import InvalidOption, StorageError
from rag.core.retrieval import Options
from rag.core.sources import Selection
from rag.core.text import visible
from rag.management.base import FAILED, EvidenceCommand
from rag.management.printing import asked_json
from rag.management.progress import reporter
from rag.queries.eligibility import access_of_user

HOST: Final = "127.0.0.1"
# One that is answered, one about a product that nobody wrote about, one that only HR may read.
QUESTIONS: Final = (
    (EMPLOYEE, "Where can I export CSV in Reporting?"),
    (EMPLOYEE, "How often must the GX-999 be calibrated?"),
    (EMPLOYEE, "When is the annual pay review?"),
    (HR, "When is the annual pay review?"),
)


class Command(EvidenceCommand):
    help = "Build the demo site and serve it. Again: nothing is reset."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=port, default=8000, help=f"on {HOST} (default: 8000)")
        parser.add_argument(
            "--no-server", action="store_true", help="ask a few questions here instead of serving"
        )

    def run(self, options: dict[str, Any]) -> int:
        serving = not options["no_server"]
        if serving:
            check_free(options["port"])
        try:
            return self._serve(options) if serving else self._answer(options["json"])
        except KeyboardInterrupt:
            self.stderr.write("\nStopped. Run it again: it goes on from what is there.")
            return FAILED

    def _serve(self, options: dict[str, Any]) -> int:
        """Build, say where the site is, and become its server."""
        quiet: bool = options["json"]
        built = self._build(configured(), self.stderr if quiet else self.stdout)
        _collect_static_files()
        address = f"http://{HOST}:{options['port']}/"
        if quiet:
            self.print_json({"rebuild": built.to_dict(), "address": address})
        else:
            self.stdout.write(f"\nThe site is at {address}   (Ctrl-C ends it)")
        self.stdout.flush()
        connections.close_all()
        os.chdir(settings.BASE_DIR)
        os.execv(sys.executable, server(options["port"]))

    def _answer(self, as_json: bool) -> int:
        """Build, and ask a few questions in the terminal."""
        parts = configured()
        built = self._build(parts, self.stderr if as_json else self.stdout)
        answers = [_ask(user, question, parts) for user, question in QUESTIONS]
        if as_json:
            shown = [asked_json(asked) for asked in answers]
            self.print_json({"rebuild": built.to_dict(), "answers": shown})
            return 0
        for asked in answers:
            text = visible(asked.verdict.text)
            self.stdout.write(f"\n{asked.answer.asker} asks: {asked.answer.question}\n{text}")
        return 0

    def _build(self, parts: Parts, out: OutputWrapper) -> RebuildReport:
        made = prepare(settings.BASE_DIR / "examples" / "corpus", parts)
        # Before anything can fail: the passwords are shown only now.
        _print(made, out)
        with reporter(sys.stderr) as report:
            built = rebuild(parts, cancelled=lambda: False, report=report)
        out.write(f"{built.chunks} chunks indexed, {len(built.approved)} newly approved")
        return built


def server(number: int) -> list[str]:
    """The command that serves the site; models are loaded by each worker, after it was forked."""
    return [
        *(sys.executable, "-m", "gunicorn"),
        *("--config", str(settings.BASE_DIR / "deploy" / "gunicorn.conf.py")),
        *("--bind", f"{HOST}:{number}", "--log-level", "warning"),
        *("--graceful-timeout", "3", "evidencesite.wsgi"),  # Ctrl-C is not kept waiting
    ]


def port(text: str) -> int:
    """A port from the command line."""
    if not (text.isdecimal() and 1 <= int(text) <= 65535):
        raise ArgumentTypeError(f"{text!r} is no port from 1 to 65535")
    return int(text)


def check_free(number: int) -> None:
    """Raise ``InvalidOption`` before anything is built if nothing can listen there."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as gunicorn does
        try:
            probe.bind((HOST, number))
        except OSError as error:
            hint = f"nothing can listen on {HOST} there ({error.strerror}); choose another --port"
            raise InvalidOption("port", number, hint) from None


def _collect_static_files() -> None:
    """In a process of its own: which storage is used is decided as the settings are read."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "collectstatic"]
    if subprocess.run([*command, "--no-input", "--verbosity", "0"], check=False).returncode:
        raise StorageError(f"The static files could not be put into {settings.STATIC_ROOT}.")


def _print(made: Demo, out: OutputWrapper) -> None:
    out.write(f"Site: {settings.EVIDENCE_HOME}")
    for name, password in made.passwords.items():
        out.write(f"created {name} ({PEOPLE[name][0]}), password {password} (shown once)")
    if not made.passwords:
        out.write(f"The people are there. For a new password: manage.py changepassword {ADMIN}")
    for folder, report in made.imports.items():
        counts = f"{len(report.imported)} imported, {len(report.unchanged)} unchanged"
        out.write(f"{folder}: {counts}, {len(report.refused)} refused")


def _ask(user: str, question: str, parts: Parts) -> Asked:
    options = Options(policy=default_policy())
    return ask(question, access_of_user(user, today()), Selection(), options, parts)
