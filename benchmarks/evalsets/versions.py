"""Rules in several versions: today's text for today, an earlier one for a day in its window."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

from benchmarks.evalsets.base import Batch, Entry, EvalSet, files_below, json_lines, source_of, span

SCOPE = "rules"
DATES = ("2017-08-07", "2018-08-13", "2021-07-31", "2026-03-23")
REV3 = "2017-06-22"
LONG_AGO = "2000-01-01"


def load(folder: Path) -> EvalSet:
    entries = json_lines((folder / "questions_dev.jsonl").read_text(encoding="utf-8"))
    earlier = [entry for entry in entries if _in_window(entry)]
    cases = {
        "versions-today": [_case(entry, "gold_current") for entry in entries],
        "versions-earlier": [
            _case(entry, "gold_superseded", _version(entry["gold_superseded"][0]["path"]))
            for entry in earlier
        ],
        # What must not be among today's hits: here every figure should be 0.
        "versions-forbidden": [
            _case(entry, "gold_superseded") for entry in entries if entry["gold_superseded"]
        ],
    }
    return EvalSet(tuple(_batches(folder)), cases)


def _batches(folder: Path) -> Iterator[Batch]:
    since = {"prefix": "nist", "version": "rev3", "valid_from": REV3}
    yield Batch(files_below(folder / "nist" / "rev3"), SCOPE, since)
    draft = {"prefix": "nist", "version": "rev4-ipd"}
    yield Batch(files_below(folder / "nist" / "rev4-ipd"), SCOPE, draft, approve=False)
    for day, following in zip(DATES, (*DATES[1:], None), strict=True):
        yield from _policies(folder / "github_policy", day, following)
    yield from _proposals(folder)


def _policies(folder: Path, day: str, following: str | None) -> Iterator[Batch]:
    """The policies of one day; those that the next one no longer has end on the day before."""
    files = files_below(folder / day)
    since = {"prefix": "github_policy", "version": day, "valid_from": day}
    kept = files if following is None else files_below(folder / following)
    yield Batch({path: text for path, text in files.items() if path in kept}, SCOPE, since)
    if following is not None:
        last = date.fromisoformat(following) - timedelta(days=1)
        gone = {path: text for path, text in files.items() if path not in kept}
        yield Batch(gone, SCOPE, since | {"valid_until": last.isoformat()})


def _proposals(folder: Path) -> Iterator[Batch]:
    """Python's proposals: those superseded are for the archive, a rejected one waits."""
    manifest = json_lines((folder / "manifest.jsonl").read_text(encoding="utf-8"))
    states = {entry["path"].rpartition("/")[2]: entry["status"] for entry in manifest}
    texts = files_below(folder / "peps", (".rst",))
    for state in ("Final", "Active", "Superseded", "Rejected"):
        files = {
            path.replace(".rst", ".txt"): text
            for path, text in texts.items()
            if states[path.rpartition("/")[2]] == state
        }
        status = "superseded" if state == "Superseded" else "current"
        options = {"prefix": "peps", "status": status, "valid_from": LONG_AGO}
        yield Batch(files, SCOPE, options, approve=state != "Rejected")


def _in_window(entry: Entry) -> bool:
    golds = entry["gold_superseded"]
    return bool(golds) and golds[0]["path"].startswith("github_policy/")


def _version(path: str) -> str:
    return path.split("/")[1]


def _case(entry: Entry, golds: str, as_of: str | None = None) -> Entry:
    case: Entry = {
        "case_id": entry["id"],
        "question": entry["question"],
        "scopes": [SCOPE],
        "relevant": [_span(gold) for gold in entry[golds]],
    }
    return case | ({"as_of": as_of} if as_of else {})


def _span(gold: Entry) -> Entry:
    series, version, rest = gold["path"].split("/", 2)
    source = f"{series}/{source_of(rest)}"
    return span(source, gold["start"], gold["end"], version=version)
