"""manage.py withdraw"""

from argparse import ArgumentParser
from typing import Any

from rag.actions.governing import left_closed, withdraw
from rag.management.base import EvidenceCommand


class Command(EvidenceCommand):
    help = "Withdraw a source: it is gone on the next request and stays on record."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("id", help="a source id, or one revision's document id")
        parser.add_argument("--actor", required=True)
        parser.add_argument("--reason", required=True)

    def run(self, options: dict[str, Any]) -> int:
        changed = withdraw(options["id"], actor=options["actor"], reason=options["reason"])
        for old in left_closed(changed):
            self.stderr.write(
                f"note: {old} still ends on {old.valid_until}; "
                "import it under a new version to bring it back"
            )
        named = [str(revision) for revision in changed]
        if options["json"]:
            self.print_json({"withdrawn": named})
        else:
            self.stdout.write("\n".join(f"withdrawn: {name}" for name in named))
        return 0
