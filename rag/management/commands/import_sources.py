"""manage.py import_sources"""

from argparse import ArgumentParser
from typing import Any

from rag.actions.importing import ImportReport, Request, import_sources
from rag.actions.profiles import configured
from rag.core.metadata import Overrides
from rag.core.sources import Status
from rag.management.base import FAILED, EvidenceCommand
from rag.management.requests import day, path


class Command(EvidenceCommand):
    help = "Import .md and .txt files and product facts as revisions that wait for approval."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=path)
        parser.add_argument("--scope", required=True)
        parser.add_argument("--create-scope", action="store_true")
        parser.add_argument("--prefix", help="instead of the folder's name, before each id")
        parser.add_argument("--version", dest="text_version", default="", help="of the texts")
        parser.add_argument("--status", choices=[status.value for status in Status])
        parser.add_argument("--valid-from", type=day)
        parser.add_argument("--valid-until", type=day)
        parser.add_argument("--product", default="")
        parser.add_argument("--encoding", help="of files that are neither UTF-8 nor marked UTF-16")
        parser.add_argument(
            "--approve", action="store_true", help="the next rebuild approves what is imported"
        )
        parser.add_argument("--actor", required=True, help="the user who answers for it")

    def run(self, options: dict[str, Any]) -> int:
        chunker = configured().chunker
        report = import_sources(options["paths"], _request(options), chunker)
        self.print_json(report.to_dict()) if options["json"] else self._print(report)
        return FAILED if report.refused else 0

    def _print(self, report: ImportReport) -> None:
        for refusal in report.refused:
            self.stderr.write(f"refused  {refusal['path']}: {refusal['reason']}")
        for note in report.notes:
            self.stderr.write(f"note     {note['path']}: {note['note']}")
        for skipped in report.skipped:
            self.stdout.write(f"skipped  {skipped}")
        counts = (len(report.imported), len(report.unchanged), len(report.skipped))
        self.stdout.write(
            "{} imported, {} unchanged, {} skipped, ".format(*counts)
            + f"{len(report.refused)} refused"
        )
        if report.imported:
            self.stdout.write("What was imported waits for a rebuild. Run: manage.py rebuild")


def _request(options: dict[str, Any]) -> Request:
    return Request(
        scope=options["scope"],
        actor=options["actor"],
        create_scope=options["create_scope"],
        prefix=options["prefix"],
        encoding=options["encoding"],
        approve=options["approve"],
        overrides=Overrides(
            version=options["text_version"],
            status=Status(options["status"]) if options["status"] else None,
            valid_from=options["valid_from"],
            valid_until=options["valid_until"],
            product=options["product"],
        ),
    )
