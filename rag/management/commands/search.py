"""manage.py search"""

from argparse import ArgumentParser
from typing import Any

from rag.actions.profiles import configured
from rag.actions.searching import resolved, search
from rag.management.base import EvidenceCommand
from rag.management.printing import found_json, hit_lines
from rag.management.requests import access_of, add_request, options_of, selection_of


class Command(EvidenceCommand):
    help = "Ranked hits among what the asker may read."

    def arguments(self, parser: ArgumentParser) -> None:
        add_request(parser)

    def run(self, options: dict[str, Any]) -> int:
        access, how, parts = access_of(options), options_of(options), configured()
        found = search(options["question"], access, selection_of(options), how, parts)
        how = resolved(how, parts) if parts.retriever else how
        if options["json"]:
            self.print_json(
                {"query": options["question"], "mode": how.mode.value, "policy": how.policy.name}
                | found_json(access, found)
            )
        else:
            self.notice(found.notice)
            self.stdout.write("\n".join(hit_lines(found)))
        return 0
