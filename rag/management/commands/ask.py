"""manage.py ask"""

from argparse import ArgumentParser
from typing import Any

from rag.actions.asking import Asked, ask
from rag.actions.profiles import configured
from rag.core.text import visible
from rag.management.base import FAILED, EvidenceCommand
from rag.management.printing import asked_json
from rag.management.requests import (
    access_of,
    add_answer_mode,
    add_request,
    answer_mode_of,
    options_of,
    selection_of,
)


class Command(EvidenceCommand):
    help = "Answer with exact quotations, or refuse (exit code 1). Recorded either way."

    def arguments(self, parser: ArgumentParser) -> None:
        add_request(parser)
        add_answer_mode(parser)

    def run(self, options: dict[str, Any]) -> int:
        access, how = access_of(options), options_of(options)
        selection, mode = selection_of(options), answer_mode_of(options)
        asked = ask(options["question"], access, selection, how, configured(), mode)
        self.print_json(asked_json(asked)) if options["json"] else self._print(asked)
        return 0 if asked.verdict.accepted else FAILED

    def _print(self, asked: Asked) -> None:
        self.notice(asked.found.notice)
        self.stdout.write(visible(asked.verdict.text))
        for fact, warnings in zip(asked.verdict.facts, asked.fact_warnings, strict=True):
            for warning in warnings:
                self.stdout.write(visible(f"  {fact.source_id}: {warning}"))
        for quotation, warnings in zip(asked.verdict.quotations, asked.warnings, strict=True):
            for warning in warnings:
                self.stdout.write(f"  {quotation.supplied.label}: {warning}")
