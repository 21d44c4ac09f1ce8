"""What the commands share: one way to run, to print, and to end with an exit code."""

import json
import sys
from abc import abstractmethod
from argparse import ArgumentParser
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandParser
from django.db import DatabaseError, OperationalError

from rag.core.errors import Busy, InvalidOption, RagError, StorageError

FAILED: Final = 1
BUSY: Final = 3


class EvidenceCommand(BaseCommand):
    """Parse, call one use case, print. Exit 0 done, 1 refused or failed, 2 usage, 3 busy."""

    requires_system_checks = ()

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        # A command's own option goes before Django's of the same name: --version of a text.
        return super().create_parser(prog_name, subcommand, conflict_handler="resolve", **kwargs)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON for machines")
        self.arguments(parser)

    def arguments(self, parser: ArgumentParser) -> None:
        """The command's own arguments."""

    @abstractmethod
    def run(self, options: dict[str, Any]) -> int:
        """Do it and print; the exit code."""

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            check_arguments(options)
            code = self.run(options)
        except RagError as error:
            self.stderr.write(str(error))
            code = BUSY if isinstance(error, Busy) else FAILED
        except DatabaseError as error:
            self.stderr.write(str(storage_error(error)))
            code = FAILED
        if code:
            sys.exit(code)

    def notice(self, sentence: str) -> None:
        """What an operator should know beside the result."""
        if sentence:
            self.stderr.write(f"{sentence} Run: manage.py rebuild")

    def print_json(self, value: object) -> None:
        self.stdout.write(json.dumps(value, ensure_ascii=False, indent=1))


def check_arguments(options: dict[str, Any]) -> None:
    """Refuse an argument that is not UTF-8: it could neither be stored nor shown."""
    for name, value in options.items():
        for item in value if isinstance(value, list | tuple | frozenset) else [value]:
            if any("\ud800" <= character <= "\udfff" for character in str(item)):
                raise InvalidOption(name, item, "it is not valid UTF-8")


def storage_error(error: DatabaseError) -> StorageError:
    """The database's fault as a sentence that says what to do."""
    cause = str(error)
    hints = {
        "no such table": "Its tables are missing or old. Run: manage.py migrate",
        "no such column": "Its tables are missing or old. Run: manage.py migrate",
        "disk I/O": "The disk is full or failing. Free some space and run the command again.",
        "full": "The disk is full. Free some space and run the command again.",
        "readonly": "The file or its folder is read-only for this user. Change its permissions.",
        "unable to open": "The file cannot be opened. Check EVIDENCE_HOME and its permissions.",
        "locked": "Another process holds it. Run the command again.",
    }
    hint = next((text for word, text in hints.items() if word in cause), "")
    kind = "database" if isinstance(error, OperationalError) else "database's rules"
    return StorageError(f"The {kind} refused: {cause}. {hint}".strip())
