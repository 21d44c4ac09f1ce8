"""Measures retrieval and answers on four real handbooks, beside two baselines.

    .venv/bin/python benchmarks/handbooks.py [--shared ../shared] [--home FOLDER]

Builds a site of its own (in a temporary folder unless --home is given; an existing one is used
again), asks each question of questions_dev.jsonl within its scope, and prints one table.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from io import StringIO
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
SCOPES = ("18f", "gds_way", "github_policy", "gc_cloud_guardrails")
CHANGED = "18f/travel-and-leave/leave.md"


@dataclass(frozen=True)
class Case:
    """A question with the gold spans (source id, start, end) that lie in its scope."""

    case_id: str
    question: str
    scope: str
    gold: tuple[tuple[str, int, int], ...]

    def found_in(self, source_id: str, start: int, end: int, share: float) -> bool:
        """Whether a span covers at least that share of a gold span."""
        return any(
            source_id == source and min(end, last) - max(start, first) >= share * (last - first)
            for source, first, last in self.gold
        )


def cases(folder: Path) -> list[Case]:
    lines = (folder / "questions_dev.jsonl").read_text(encoding="utf-8").splitlines()
    return [_case(json.loads(line)) for line in lines]


def _case(entry: dict[str, Any]) -> Case:
    gold = tuple(
        (span["path"].rpartition(".")[0], span["start"], span["end"])
        for span in entry["gold"]
        if span["path"].startswith(entry["scope"] + "/")
    )
    return Case(entry["id"], entry["question"], entry["scope"], gold)


def build(folder: Path) -> dict[str, Any]:
    """Import the handbooks, each under its own scope, and rebuild; the rebuild's report."""
    from django.contrib.auth.models import User

    manage("migrate", verbosity=0)
    User.objects.get_or_create(username="operator")
    for scope in SCOPES:
        manage_json("import_sources", str(folder / scope), scope=scope, approve=True)
    return manage_json("rebuild")


def manage(*arguments: str, **options: Any) -> str:
    from django.core.management import call_command

    out = StringIO()
    call_command(*arguments, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


def manage_json(command: str, *arguments: str, **options: Any) -> dict[str, Any]:
    """A command's JSON; an import that refuses some file exits with 1 and reports all the same."""
    from django.core.management import call_command

    if command == "import_sources":
        options |= {"create_scope": True, "actor": "operator"}
    out = StringIO()
    try:
        call_command(command, *arguments, json=True, stdout=out, stderr=StringIO(), **options)
    except SystemExit:
        if not out.getvalue():
            raise
    result: dict[str, Any] = json.loads(out.getvalue())
    return result


def retrieval(questions: Sequence[Case], mode: str, policy_name: str) -> str:
    from rag.actions.profiles import configured
    from rag.actions.searching import search
    from rag.core.policies import policy
    from rag.core.retrieval import Mode, Options
    from rag.core.sources import Selection

    options = Options(mode=Mode(mode), policy=policy(policy_name), k=5)
    ranks, outside, largest = [], 0, 0
    for case in questions:
        hits = search(case.question, access(case), Selection(), options, configured()).hits
        outside += sum(hit.scope != case.scope for hit in hits)
        largest = max([largest, *(len(hit.text) for hit in hits)])
        covers = [case.found_in(h.source_id, h.start_char, h.end_char, 1.0) for h in hits]
        if case.gold:
            ranks.append(covers.index(True) + 1 if True in covers else 99)
    top = {k: sum(rank <= k for rank in ranks) for k in (1, 3, 5)}
    figures = "  ".join(f"top {k}: {count}/{len(ranks)}" for k, count in top.items())
    return f"{policy_name:18} {mode:8} {figures}  out of scope: {outside}  longest: {largest}"


def access(case: Case) -> Any:
    from rag.queries.eligibility import access_of_scopes

    return access_of_scopes(frozenset({case.scope}), date.today())


@dataclass
class Tally:
    """Accepted answers that cover half of a gold quote, those that do not, and refusals."""

    correct: int = 0
    wrong: int = 0
    refused: int = 0
    quotes: int = 0

    def line(self, name: str) -> str:
        return (
            f"{name:24} correct {self.correct:2}  wrong {self.wrong:2}  refused {self.refused:2}"
            f"  correct - wrong {self.correct - self.wrong:3}  quotes {self.quotes}"
        )


def answers(questions: Sequence[Case], parts: Any) -> tuple[Tally, list[str]]:
    from rag.actions.asking import ask
    from rag.core.retrieval import Options
    from rag.core.sources import Selection

    tally, lines = Tally(), []
    for case in questions:
        asked = ask(case.question, access(case), Selection(), Options(), parts)
        pieces = asked.verdict.quotations
        right = any(
            case.found_in(p.supplied.source_id, p.start_char, p.end_char, 0.5) for p in pieces
        )
        outcome = "refused" if not pieces else "correct" if right else "wrong"
        setattr(tally, outcome, getattr(tally, outcome) + 1)
        tally.quotes += len(pieces)
        lines.append(f"  {case.case_id} {outcome:8} {case.question[:80]}")
    return tally, lines


def never_refusing(parts: Any) -> Any:
    """The same judge without its gate: always the top sentence."""
    scorer = replace(parts.proposer.scorer, minimum=float("-inf"), margin=0.0)
    made = replace(parts)
    made.__dict__["proposer"] = replace(parts.proposer, scorer=scorer, pieces=1)
    return made


def change_one_file(folder: Path) -> dict[str, Any]:
    """Import one file with one sentence more, and rebuild; the report and that file's chunks."""
    from rag.models import Chunk

    text = (folder / CHANGED).read_text(encoding="utf-8") + "\nLeave is recorded in the system.\n"
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / Path(CHANGED).name
        file.write_text(text, encoding="utf-8")
        prefix = str(Path(CHANGED).parent)
        manage_json("import_sources", str(file), scope="18f", prefix=prefix, approve=True)
    report = manage_json("rebuild")
    source = CHANGED.rpartition(".")[0]
    latest = Chunk.objects.filter(revision__source__source_id=source).order_by("-revision_id")
    report["chunks of the file"] = latest.filter(revision=latest[0].revision).count()
    return report


def gold_cosines(questions: Sequence[Case]) -> Iterator[str]:
    """How many gold passages and how many other top passages a threshold would admit."""
    from rag.actions.profiles import configured
    from rag.actions.searching import probe_cosines
    from rag.core.sources import Selection

    gold, best_of_none, everything = [], [], []
    for case in questions:
        hits = probe_cosines(case.question, access(case), Selection(), configured()).hits
        everything += [hit.cosine or 0.0 for hit in hits]
        if not case.gold:
            best_of_none.append(hits[0].cosine or 0.0)
            continue
        gold.append(
            max(
                h.cosine or 0.0
                for h in hits
                if case.found_in(h.source_id, h.start_char, h.end_char, 1.0)
            )
        )
    for threshold in (0.5, 0.55, 0.6, 0.62, 0.64, 0.66, 0.68, 0.7, 0.72):
        kept = sum(value >= threshold for value in gold)
        noise = sum(value >= threshold for value in best_of_none)
        share = sum(value >= threshold for value in everything) / len(everything)
        yield (
            f"  {threshold:.2f}  gold kept {kept}/{len(gold)}  unanswerable with a hit "
            f"{noise}/{len(best_of_none)}  rows kept {share:.3f}"
        )


def report(folder: Path) -> None:
    from rag.actions.profiles import configured

    built = build(folder)
    shown = ("chunks", "embedded", "reused", "seconds", "peak_rss_mb")
    print("rebuild", {key: built[key] for key in shown})
    questions = cases(folder)
    for policy_name in ("weighted-80-20-v1", "rrf-60-v1"):
        for mode in ("hybrid", "dense", "lexical"):
            print(retrieval(questions, mode, policy_name))
    tally, lines = answers(questions, configured())
    print("\n".join(lines))
    print(tally.line("site"))
    print(Tally(refused=len(questions)).line("refuse all"))
    print(answers(questions, never_refusing(configured()))[0].line("always the top sentence"))
    print("min_cosine", *gold_cosines(questions), sep="\n")
    changed = change_one_file(folder)
    print("one file changed", {key: changed[key] for key in (*shown, "chunks of the file")})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--home", type=Path)
    options = parser.parse_args()
    folder = options.shared / "eval" / "handbooks"
    if not folder.is_dir():
        sys.exit(f"There are no handbooks in {folder}.")
    with tempfile.TemporaryDirectory() as scratch:
        os.environ["EVIDENCE_HOME"] = str(options.home or scratch)
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "evidencesite.settings")
        sys.path.insert(0, str(PROJECT))
        import evidencesite  # noqa: F401, I001  the process's SQLite, before Django
        import django

        django.setup()
        report(folder)


if __name__ == "__main__":
    main()
