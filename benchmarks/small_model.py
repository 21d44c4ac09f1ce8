"""Puts handbook questions to a real chat model in each answer mode: the plumbing, not the quality.

    .venv/bin/python -m benchmarks.small_model --home FOLDER [--serve FOLDER [--bound]]
        [--questions 20] [--modes baseline,tool,provider] [--shared ../shared] [--each FILE]

FOLDER of --home is a site that ``benchmarks.evaluation --sets handbooks`` built. The model is that
of the site's own settings (EVIDENCE_CHAT_*), by default an OpenAI-style server on loopback:
``small_model.mjs``, which --serve starts in a folder with node-llama-cpp and one GGUF file, and
ends afterwards (--bound is told there). Without --serve nothing is started. Each question goes
through ``manage.py ask`` and is recorded in that site. Prints JSON: for each mode how many were
accepted, why the others were not, how often which calls were counted, and the seconds; --each
adds a JSON line for each question, with the model's words, to a file.
"""

import argparse
import io
import json
import os
import shutil
import statistics
import subprocess
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from benchmarks.handbooks import Case, cases
from benchmarks.serving import ready

SERVER: Final = Path(__file__).with_suffix(".mjs")
PORT: Final = "8089"
MODES: Final = ("baseline", "tool", "provider")
SETTINGS: Final = {
    "EVIDENCE_ANSWER_MODES": ",".join(MODES),
    "EVIDENCE_CHAT_PROVIDER": "openai",
    "EVIDENCE_CHAT_ENDPOINT": f"http://127.0.0.1:{PORT}",
    "EVIDENCE_CHAT_MODEL": "SmolLM2-135M-Instruct",
}


@contextmanager
def serving(folder: Path, bound: bool) -> Iterator[None]:
    """The server, from when it says its address until the end."""
    [model] = folder.rglob("*.gguf")
    shutil.copy(SERVER, folder)  # node looks for packages beside the file
    command = [
        "node",
        SERVER.name,
        str(model.relative_to(folder)),
        PORT,
        *(["bound"] if bound else []),
    ]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            if not server.stdout.readline():
                raise SystemExit("the server did not start")
            yield
        finally:
            server.kill()


@contextmanager
def overheard() -> Iterator[list[tuple[str, str]]]:
    """Each reply with what was wrong with it, which the record of an answer does not keep."""
    from rag.core import dialogue

    said: list[tuple[str, str]] = []
    inner = dialogue._turn

    def turn(*given: Any) -> Any:
        read = inner(*given)
        refused = read.proposal is not None and not read.proposal.can_answer
        said.append((read.text, "It says that it cannot answer." if refused else read.fault))
        return read

    with patch.object(dialogue, "_turn", turn):
        yield said


def asked(case: Case, mode: str) -> dict[str, Any]:
    """One question, as the command answers it; ``why`` it was not accepted."""
    from django.core.management import call_command

    out, err, started = io.StringIO(), io.StringIO(), time.perf_counter()
    named = ("--scopes", case.scope, "--answer-mode", mode, "--json")
    with overheard() as said, suppress(SystemExit):  # by which a refusal ends
        call_command("ask", case.question, *named, stdout=out, stderr=err)
    row = {"case_id": case.case_id, "mode": mode, "seconds": time.perf_counter() - started}
    row["said"] = said
    if not out.getvalue():
        return row | {"status": "failed", "why": err.getvalue().strip()}
    entry = json.loads(out.getvalue())
    kept = ("status", "reason_code", "retrieval_calls", "chat_calls", "quotes")
    return row | {key: entry[key] for key in kept} | {"why": why(entry, said)}


def why(entry: dict[str, Any], said: Sequence[tuple[str, str]]) -> str:
    """The reason code with the fault of the last reply, or with why there is none."""
    unasked = "It does not call the tool." if entry["chat_calls"] else entry["reason"]
    return f"{entry['reason_code']}: {said[-1][1] if said else unasked}"


def figures(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """One mode: what came of its questions, and what it took."""
    others = [row for row in rows if row["status"] != "accepted"]
    reasons = Counter(row["why"] for row in others)
    calls = Counter(f"{row.get('retrieval_calls')}, {row.get('chat_calls')}" for row in rows)
    return {
        "questions": len(rows),
        "accepted": len(rows) - len(others),
        "why not": dict(reasons.most_common()),
        "retrieval and chat calls": dict(sorted(calls.items())),
        "seconds, median": round(statistics.median(row["seconds"] for row in rows), 1),
        "seconds, all": round(sum(row["seconds"] for row in rows), 1),
    }


def measured(questions: Sequence[Case], modes: Sequence[str], each: Path | None) -> dict[str, Any]:
    found = {}
    for mode in modes:
        rows = []
        for case in questions:
            rows.append(asked(case, mode))
            if each:
                with each.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(rows[-1], ensure_ascii=False) + "\n")
        found[mode] = figures(rows)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--serve", type=Path)
    parser.add_argument("--bound", action="store_true")
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--modes", default=",".join(MODES))
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--each", type=Path)
    options = parser.parse_args()
    for name, value in SETTINGS.items():
        os.environ.setdefault(name, value)
    questions = cases(options.shared / "eval" / "handbooks")[: options.questions]
    ready(options.home)
    with serving(options.serve, options.bound) if options.serve else nullcontext():
        found = measured(questions, options.modes.split(","), options.each)
    print(json.dumps(found, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
