"""Builds the evaluation sets as sites, evaluates each, and prints one table.

    .venv/bin/python -m benchmarks.evaluation [--sets handbooks,chroma] [--homes FOLDER]
        [--shared ../shared] [--answers] [--mode all] [--json]

Each set has an EVIDENCE_HOME of its own below --homes, which is used again where it stands.
Everything goes through the site's own commands.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.evalsets import SETS
from benchmarks.evalsets.base import Batch, EvalSet

PROJECT = Path(__file__).resolve().parent.parent
FOLDERS = {
    "chroma": "chroma_chunking",
    "contracts": "legalbench_rag",
    "xquad": "multilingual_spans",
}
FIGURES = (
    "recall", "reciprocal_rank", "ndcg", "char_recall", "char_precision", "char_iou",
    "quote_recall", "citation_precision", "wrongly_answered", "wrongly_refused", "out_of_scope",
)  # fmt: skip

OPERATOR = (
    "from django.contrib.auth.models import User; User.objects.get_or_create(username='operator')"
)


def build(home: Path, evalset: EvalSet) -> None:
    """Import everything in one process, then rebuild."""
    with tempfile.TemporaryDirectory() as scratch:
        commands = [["migrate", "--verbosity", "0"], ["shell", "--command", OPERATOR]]
        for number, batch in enumerate(evalset.batches):
            commands.append(_import(Path(scratch) / str(number), batch))
        script = PROJECT / "benchmarks" / "commands.py"
        run([sys.executable, str(script)], home, "\n".join(map(json.dumps, commands)))
    manage(home, "rebuild")


def _import(folder: Path, batch: Batch) -> list[str]:
    for path, text in batch.files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
    folder.mkdir(parents=True, exist_ok=True)
    options = [
        part
        for name, value in batch.options.items()
        for part in (f"--{name.replace('_', '-')}", str(value))
    ]
    approve = ["--approve"] if batch.approve else []
    where = ["--scope", batch.scope, "--create-scope", "--actor", "operator"]
    return ["import_sources", str(folder), *where, *approve, *options]


def run(command: list[str], home: Path, fed: str = "") -> str:
    """The output of a command for a site; its errors pass through."""
    environment = os.environ | {"EVIDENCE_HOME": str(home)}
    done = subprocess.run(
        command, cwd=PROJECT, env=environment, input=fed, stdout=subprocess.PIPE, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}.")
    return done.stdout


def manage(home: Path, *arguments: str) -> str:
    return run([sys.executable, "manage.py", *arguments], home)


def evaluated(home: Path, evalset: EvalSet, options: argparse.Namespace) -> dict[str, Any]:
    """The figures of each file of cases, by its name and mode."""
    found = {}
    for name, entries in evalset.cases.items():
        file = home / f"{name}.jsonl"
        file.write_text("".join(json.dumps(entry) + "\n" for entry in entries), encoding="utf-8")
        how = ["--mode", options.mode, "--k", str(evalset.k)]
        how += ["--policy", options.policy] if options.policy else []
        how += ["--answers"] if options.answers else []
        output = json.loads(manage(home, "evaluate", str(file), *how, "--json"))
        found[name] = output["modes"]
    return found


def lines(found: dict[str, Any]) -> list[str]:
    """A table with a line for each set and mode."""
    head = " ".join(f"{name.replace('_', ' ')[:10]:>10}" for name in FIGURES)
    table = [f"{'':22} {'mode':8} {'cases':>5} {head}"]
    for name, modes in found.items():
        for mode, figures in modes.items():
            shown = " ".join(f"{_shown(figures[figure]):>10}" for figure in FIGURES)
            table.append(f"{name:22} {mode:8} {figures['cases']:>5} {shown}")
    return table


def _shown(value: float | int | None) -> str:
    return "-" if value is None else str(value) if isinstance(value, int) else f"{value:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, default=PROJECT.parent / "shared")
    parser.add_argument("--homes", type=Path, required=True, help="a folder for the sites")
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--mode", default="all")
    parser.add_argument("--policy")
    parser.add_argument("--answers", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found: dict[str, Any] = {}
    for name in options.sets.split(","):
        folder = options.shared / "eval" / FOLDERS.get(name, name)
        if not folder.is_dir():
            print(f"{name} is left out: there is no {folder}.", file=sys.stderr)
            continue
        evalset, home = SETS[name](folder), options.homes / name
        home.mkdir(parents=True, exist_ok=True)
        if not (home / "built").exists():
            build(home, evalset)
            (home / "built").touch()
        found |= evaluated(home, evalset, options)
    print(json.dumps(found, indent=1) if options.json else "\n".join(lines(found)))


if __name__ == "__main__":
    main()
