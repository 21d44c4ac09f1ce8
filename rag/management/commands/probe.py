"""manage.py probe"""

from argparse import ArgumentParser
from typing import Any

from rag.actions.profiles import configured
from rag.actions.searching import probe_cosines
from rag.management.base import EvidenceCommand
from rag.management.printing import found_json, hit_lines
from rag.management.requests import access_of, add_request, options_of, selection_of


class Command(EvidenceCommand):
    help = "Cosines of all eligible rows, before any threshold and fusion."

    def arguments(self, parser: ArgumentParser) -> None:
        add_request(parser)

    def run(self, options: dict[str, Any]) -> int:
        access = access_of(options)
        options_of(options)  # what search refuses, probe refuses
        found = probe_cosines(options["question"], access, selection_of(options), configured())
        if options["json"]:
            self.print_json({"query": options["question"]} | found_json(access, found))
        else:
            self.notice(found.notice)
            self.stdout.write("\n".join(hit_lines(found)))
        return 0
