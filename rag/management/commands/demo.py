"""manage.py demo"""

import sys
from argparse import ArgumentParser
from typing import Any, Final

from django.conf import settings
from django.core.management.base import OutputWrapper

from rag.actions.asking import Asked, ask
from rag.actions.demo import EMPLOYEE, HR, Demo, prepare
from rag.actions.governing import today
from rag.actions.profiles import Parts, configured, default_policy
from rag.actions.rebuilding import rebuild
from rag.core.retrieval import Options
from rag.core.sources import Selection
from rag.core.text import visible
from rag.management.base import EvidenceCommand
from rag.management.printing import asked_json
from rag.management.progress import reporter
from rag.queries.eligibility import access_of_user

# One that is answered, one about a product that nobody wrote about, one that only HR may read.
QUESTIONS: Final = (
    (EMPLOYEE, "Where can I export CSV in Reporting?"),
    (EMPLOYEE, "How often must the GX-999 be calibrated?"),
    (EMPLOYEE, "When is the annual pay review?"),
    (HR, "When is the annual pay review?"),
)


class Command(EvidenceCommand):
    help = "Build the demo site and ask it a few questions. Again: nothing is reset."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--no-server", action="store_true", required=True, help="answer in the terminal"
        )

    def run(self, options: dict[str, Any]) -> int:
        parts = configured()
        made = prepare(settings.BASE_DIR / "examples" / "corpus", parts)
        # Before anything can fail: the passwords are shown only now.
        self._print(made, self.stderr if options["json"] else self.stdout)
        with reporter(sys.stderr) as report:
            built = rebuild(parts, cancelled=lambda: False, report=report)
        answers = [self._ask(user, question, parts) for user, question in QUESTIONS]
        if options["json"]:
            shown = [asked_json(asked) for asked in answers]
            self.print_json({"rebuild": built.to_dict(), "answers": shown})
            return 0
        self.stdout.write(f"{built.chunks} chunks indexed, {len(built.approved)} newly approved")
        for asked in answers:
            answer = asked.answer
            text = visible(asked.verdict.text)
            self.stdout.write(f"\n{answer.asker} asks: {answer.question}\n{text}")
        return 0

    def _print(self, made: Demo, out: OutputWrapper) -> None:
        out.write(f"Site: {settings.EVIDENCE_HOME}")
        for name, password in made.passwords.items():
            out.write(f"created {name}, password {password} (shown once)")
        for folder, report in made.imports.items():
            counts = f"{len(report.imported)} imported, {len(report.unchanged)} unchanged"
            out.write(f"{folder}: {counts}, {len(report.refused)} refused")

    def _ask(self, user: str, question: str, parts: Parts) -> Asked:
        options = Options(policy=default_policy())
        return ask(question, access_of_user(user, today()), Selection(), options, parts)
