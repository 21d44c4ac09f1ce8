"""manage.py rebuild"""

import signal
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from rag.actions.checking import check
from rag.actions.profiles import PROFILES, configured
from rag.actions.rebuilding import rebuild
from rag.core.errors import IndexDamaged
from rag.management.base import FAILED, EvidenceCommand
from rag.management.progress import reporter


class Command(EvidenceCommand):
    help = "Index what was imported and carry out requested approvals, all or nothing."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--check", action="store_true", help="only say what a rebuild would change"
        )
        parser.add_argument("--profile", choices=PROFILES, help="instead of the configured one")

    def run(self, options: dict[str, Any]) -> int:
        parts = configured(options["profile"])
        if options["check"]:
            return self._check(check(parts), options["json"])
        with _signals() as cancelled, reporter(sys.stderr) as report:
            try:
                done = rebuild(parts, cancelled=lambda: bool(cancelled), report=report)
            except IndexDamaged as error:
                self.stderr.write(error.detail)
                return FAILED
        for sentence in done.refused:
            self.stderr.write(f"not approved: {sentence}")
        for sentence in done.warnings:
            self.stderr.write(sentence)
        if options["json"]:
            self.print_json(done.to_dict())
        else:
            self.stdout.write(
                f"{done.chunks} chunks: {done.embedded} embedded, {done.reused} reused, "
                f"{done.removed} removed; {len(done.approved)} approved; "
                f"{done.seconds:.1f} s, {done.peak_rss_mb:.0f} MB"
            )
        return 0

    def _check(self, differences: list[str], as_json: bool) -> int:
        if as_json:
            self.print_json({"differences": differences})
        else:
            self.stdout.write("\n".join(differences) or "The index is what a rebuild would make.")
        return FAILED if differences else 0


@contextmanager
def _signals() -> Iterator[list[int]]:
    """A list that SIGINT and SIGTERM fill, so that a rebuild ends between two steps."""
    received: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        received.append(number)

    kinds = (signal.SIGINT, signal.SIGTERM)
    before = {kind: signal.signal(kind, note) for kind in kinds}
    try:
        yield received
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)
