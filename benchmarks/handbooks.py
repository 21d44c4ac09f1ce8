"""Measures retrieval and answers on four real handbooks, beside two baselines.

    .venv/bin/python benchmarks/handbooks.py [--shared ../shared] [--home FOLDER] [--every 1]
        [--gates]

Builds a site of its own (in a temporary folder unless --home is given; an existing one is used
again), asks each question of questions_dev.jsonl within its scope, and prints JSON. With --every N,
of the documents that answer nothing only every Nth is there: quicker, and easier to search.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
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


def build(folder: Path, every: int) -> dict[str, Any]:
    """Import the handbooks, each under its own scope, and rebuild; the rebuild's report."""
    from django.contrib.auth.models import User

    manage("migrate", verbosity=0)
    User.objects.get_or_create(username="operator")
    with tempfile.TemporaryDirectory() as scratch:
        chosen = folder if every == 1 else thinned(folder, Path(scratch), every)
        for scope in SCOPES:
            manage_json("import_sources", str(chosen / scope), scope=scope, approve=True)
    return manage_json("rebuild")


def thinned(folder: Path, copy: Path, every: int) -> Path:
    """A copy with every document that answers something and every Nth of the others."""
    answering = {source for case in cases(folder) for source, _, _ in case.gold}
    files = sorted(path for scope in SCOPES for path in (folder / scope).rglob("*.md"))
    for number, path in enumerate(files):
        name = path.relative_to(folder)
        if number % every == 0 or name.as_posix().rpartition(".")[0] in answering:
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            (copy / name).write_bytes(path.read_bytes())
    return copy


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


def retrieval(questions: Sequence[Case], mode: str, policy_name: str) -> dict[str, Any]:
    """In how many questions the whole gold quote lies in the first 1, 3 and 5 hits."""
    from rag.actions.profiles import configured
    from rag.actions.searching import search
    from rag.core.policies import policy
    from rag.core.retrieval import Mode, Options
    from rag.core.sources import Selection

    options = Options(mode=Mode(mode), policy=policy(policy_name), k=5)
    ranks, outside, longest = [], 0, 0
    for case in questions:
        hits = search(case.question, access(case), Selection(), options, configured()).hits
        outside += sum(hit.scope != case.scope for hit in hits)
        longest = max([longest, *(len(hit.text) for hit in hits)])
        covers = [case.found_in(h.source_id, h.start_char, h.end_char, 1.0) for h in hits]
        if case.gold:
            ranks.append(covers.index(True) + 1 if True in covers else len(covers) + 1)
    top = {f"top_{k}": sum(rank <= k for rank in ranks) for k in (1, 3, 5)}
    name = {"policy": policy_name, "mode": mode}
    return name | top | {"questions": len(ranks), "out_of_scope": outside, "longest": longest}


def access(case: Case) -> Any:
    from rag.actions.governing import today
    from rag.queries.eligibility import access_of_scopes

    return access_of_scopes(frozenset({case.scope}), today())


def answers(questions: Sequence[Case], parts: Any) -> dict[str, Any]:
    """Accepted answers that cover half of a gold quote, those that do not, and refusals."""
    from rag.actions.asking import ask
    from rag.core.retrieval import Options
    from rag.core.sources import Selection

    tally = {"correct": 0, "wrong": 0, "refused": 0, "quotes": 0}
    outcomes = {}
    for case in questions:
        asked = ask(case.question, access(case), Selection(), Options(), parts)
        pieces = asked.verdict.quotations
        right = any(
            case.found_in(p.supplied.source_id, p.start_char, p.end_char, 0.5) for p in pieces
        )
        outcomes[case.case_id] = "refused" if not pieces else "correct" if right else "wrong"
        tally[outcomes[case.case_id]] += 1
        tally["quotes"] += len(pieces)
    return tally | {"score": tally["correct"] - tally["wrong"], "outcomes": outcomes}


def altered_quotations() -> int:
    """Recorded quotations that are not the slice of their source; must be 0."""
    from rag.models import Citation

    cited = Citation.objects.select_related("revision")
    return sum(c.revision.text[c.start_char : c.end_char] != c.quote for c in cited)


def never_refusing(parts: Any) -> Any:
    """The same judge without its gate: always the top sentence."""
    from rag.core.answerability import OPEN

    made = replace(parts, gate=OPEN)
    scorer = replace(made.scorer, minimum=float("-inf"), margin=0.0)
    made.__dict__["proposer"] = replace(made.proposer, scorer=scorer, pieces=1)
    return made


def gates(questions: Sequence[Case], parts: Any) -> dict[str, Any]:
    """The answers with each named gate in place of the site's."""
    from rag.core.answerability import GATES

    return {name: answers(questions, replace(parts, gate=gate)) for name, gate in GATES.items()}


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
    report["file_chunks"] = latest.filter(revision=latest[0].revision).count()
    return report


def thresholds(questions: Sequence[Case]) -> dict[str, Any]:
    """How many gold passages and unanswerable questions each least cosine would leave a hit."""
    from rag.actions.profiles import configured
    from rag.actions.searching import probe_cosines
    from rag.core.sources import Selection

    gold, unanswerable, every = [], [], []
    for case in questions:
        hits = probe_cosines(case.question, access(case), Selection(), configured()).hits
        cosines = [hit.cosine or 0.0 for hit in hits]
        covers = [case.found_in(h.source_id, h.start_char, h.end_char, 1.0) for h in hits]
        every += cosines
        if case.gold:
            gold.append(max(c for c, right in zip(cosines, covers, strict=True) if right))
        else:
            unanswerable.append(cosines[0])
    return {
        f"{least:.2f}": {
            "gold": sum(value >= least for value in gold),
            "unanswerable": sum(value >= least for value in unanswerable),
            "rows": round(sum(value >= least for value in every) / len(every), 3),
        }
        for least in (0.5, 0.55, 0.6, 0.65, 0.7)
    }


def measure(folder: Path, every: int, every_gate: bool) -> dict[str, Any]:
    """Build, ask, change one file; every figure."""
    from rag.actions.profiles import configured

    built = build(folder, every)
    questions = cases(folder)
    policies = ("weighted-65-35-around-3-v1", "rrf-60-v1")
    modes = ("hybrid", "dense", "lexical")
    return {
        "rebuild": shown(built),
        "retrieval": [retrieval(questions, mode, name) for name in policies for mode in modes],
        "site": answers(questions, configured()),
        "always the top sentence": answers(questions, never_refusing(configured())),
        "gates": gates(questions, configured()) if every_gate else {},
        "refuse all": {"correct": 0, "wrong": 0, "refused": len(questions), "score": 0},
        "min_cosine": thresholds(questions),
        "altered quotations": altered_quotations(),
        "one file changed": shown(change_one_file(folder)),
    }


def shown(report: dict[str, Any]) -> dict[str, Any]:
    """The figures of a rebuild."""
    kept = ("chunks", "embedded", "reused", "removed", "seconds", "peak_rss_mb", "file_chunks")
    return {key: report[key] for key in kept if key in report}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--home", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--gates", action="store_true", help="answers with every named gate, too")
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
        print(json.dumps(measure(folder, options.every, options.gates), indent=1))


if __name__ == "__main__":
    main()
