"""Wrong requests: each ends with its exit code and a sentence, and changes nothing."""

from collections.abc import Sequence
from typing import Final

import pytest

from tests.commands.bad_files import Imported
from tests.commands.command_line import IMPORT
from tests.sites.site import Result

# What is typed, how it ends, and what the last line of standard error says.
WRONG: Final[dict[str, tuple[Sequence[str], int, str]]] = {
    "unknown user": (["search", "x", "--user", "nemo"], 1, "There is no user 'nemo'."),
    "empty user": (["ask", "x", "--user", ""], 1, "There is no user ''."),
    "unknown scope": (["search", "x", "--scopes", "moon"], 1, "There is no scope 'moon'."),
    "grant to nobody": (["grant", "hr", "--user", "nemo"], 1, "There is no user 'nemo'."),
    "grant to no group": (["grant", "hr", "--group", "g"], 1, "There is no group 'g'."),
    "grant of no scope": (["grant", "moon", "--user", "sam"], 1, "There is no scope 'moon'."),
    "import into no scope": (
        ["import_sources", ".", "--scope", "moon", "--actor", "ada"], 1, "There is no scope 'moon'."
    ),
    "import by nobody": (
        ["import_sources", ".", "--scope", "hr", "--actor", "nemo"], 1, "There is no user 'nemo'."
    ),
    "import of nothing": (
        ["import_sources", "/no/such.md", *IMPORT], 1, "/no/such.md: it does not exist"
    ),
    "import of a pdf by name": (
        ["import_sources", "pyproject.lock", "LICENSE", *IMPORT], 1, "it does not exist"
    ),
    "unknown encoding": (
        ["import_sources", "CHANGELOG.md", *IMPORT, "--encoding", "klingon"],
        1,
        "There is no encoding 'klingon'; give --encoding",
    ),
    "withdraw what is not there": (
        ["withdraw", "X", "--actor", "ada", "--reason", "r"], 1, "There is no source 'X'."
    ),
    "withdraw by nobody": (
        ["withdraw", "HOUSE", "--actor", "nemo", "--reason", "r"], 1, "There is no user 'nemo'."
    ),
    "withdraw without a reason": (
        ["withdraw", "HOUSE", "--actor", "ada", "--reason", " "], 1, "A reason is needed"
    ),
    "erase what is not there": (
        ["erase", "X", "--actor", "ada", "--reason", "r"], 1, "There is no source 'X'."
    ),
    "no hits wanted": (
        ["search", "x", "--scopes", "hr", "--k", "0"], 1, "k 0 is not usable: it must lie between"
    ),
    "too many hits wanted": (["ask", "x", "--scopes", "hr", "--k", "1001"], 1, "k 1001 is not"),
    "no number as threshold": (
        ["search", "x", "--scopes", "hr", "--min-cosine", "nan"], 1, "min_cosine nan is not usable"
    ),
    "threshold out of range": (
        ["search", "x", "--scopes", "hr", "--min-cosine", "1.5"], 1, "between -1 and 1"
    ),
    "no question": (["search", "--scopes", "hr"], 2, "required: question"),
    "no asker": (["ask", "x"], 2, "one of the arguments --user --scopes is required"),
    "two askers": (["ask", "x", "--user", "sam", "--scopes", "hr"], 2, "not allowed with"),
    "unknown mode": (["search", "x", "--scopes", "hr", "--mode", "magic"], 2, "'lexical', 'dense'"),
    "unknown policy": (["ask", "x", "--scopes", "hr", "--policy", "p"], 2, "'rrf-60-v1'"),
    "unknown status": (
        ["search", "x", "--scopes", "hr", "--statuses", "old"], 2, "current, superseded, historical"
    ),
    "no such day": (
        ["search", "x", "--scopes", "hr", "--as-of", "2026-02-30"], 2, "no day such as 2026-01-31"
    ),
    "no key=value": (["search", "x", "--scopes", "hr", "--filter", "a"], 2, "must be key=value"),
    "k is no number": (["search", "x", "--scopes", "hr", "--k", "x"], 2, "invalid int value"),
    "unknown profile": (["rebuild", "--profile", "gold"], 2, "'embedded', 'hashing'"),
    "no path": (["import_sources", *IMPORT], 2, "required: paths"),
    "empty path": (["import_sources", "", *IMPORT], 2, "argument paths: the path is empty"),
    "no actor": (["import_sources", "x.md", "--scope", "hr"], 2, "required: --actor"),
    "unknown import status": (["import_sources", "x", *IMPORT, "--status", "s"], 2, "'historical'"),
    "nobody to grant to": (["grant", "hr"], 2, "--user --group is required"),
    "no reason": (["erase", "HOUSE", "--actor", "ada"], 2, "required: --reason"),
    "unknown option": (["ask", "x", "--scopes", "hr", "--loud"], 2, "unrecognized arguments"),
}  # fmt: skip


@pytest.fixture(scope="module")
def wrong(imported: Imported) -> dict[str, Result]:
    commands = [argv for argv, _, _ in WRONG.values()]
    return dict(zip(WRONG, imported.site.run_all(commands), strict=True))


@pytest.mark.parametrize("name", WRONG)
def test_wrong_request_ends_with_its_code_and_a_sentence(
    wrong: dict[str, Result], name: str
) -> None:
    _, code, sentence = WRONG[name]
    last = wrong[name].stderr.decode().strip().splitlines()[-1]
    assert (wrong[name].returncode, sentence in last) == (code, True), last
    assert b"Traceback" not in wrong[name].stderr


def test_wrong_requests_change_nothing(imported: Imported, wrong: dict[str, Result]) -> None:
    search = imported.site.json("search", "smoking", "--user", "sam")
    assert [hit["source_id"] for hit in search["hits"]] == ["HOUSE"]
    assert imported.site.run("rebuild", "--check").returncode == 0
