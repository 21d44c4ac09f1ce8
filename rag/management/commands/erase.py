"""manage.py erase"""

from argparse import ArgumentParser
from typing import Any

from rag.actions.governing import erase
from rag.management.base import EvidenceCommand


class Command(EvidenceCommand):
    help = "Erase a source: text, passages and vectors are deleted, hashes stay."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("id", help="a source id, or one revision's document id")
        parser.add_argument("--actor", required=True)
        parser.add_argument("--reason", required=True)

    def run(self, options: dict[str, Any]) -> int:
        changed = erase(options["id"], actor=options["actor"], reason=options["reason"])
        named = [str(revision) for revision in changed]
        if options["json"]:
            self.print_json({"erased": named})
        else:
            self.stdout.write("\n".join(f"erased: {name}" for name in named))
        return 0
