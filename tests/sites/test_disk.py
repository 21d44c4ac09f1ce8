"""A full disk and a read-only site: a sentence, exit code 1, and nothing lost."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from tests.sites.store import OPERATOR, Done, Store, changed_site, paid, sha256, write_documents

FULL: Final = "The database refused: database or disk is full. The disk is full. Free some space"
READ_ONLY: Final = "The file or its folder is read-only for this user. Change its permissions."
AS_OTHERS: Final = ["setpriv", "--bounding-set=-dac_override,-dac_read_search,-fowner"]
REASON: Final = ("--actor", "op", "--reason", "outdated")
# Free kilobytes: not enough to begin, to embed, to publish.
TOO_SMALL: Final = (40, 300, 700)


@dataclass
class Disk:
    """A small file system of its own with a copy of the changed site."""

    store: Store

    def grow(self) -> None:
        options = ["mount", "-o", "remount,size=64m", str(self.store.home)]
        subprocess.run(options, check=True)


def mounted(folder: Path, spare: int) -> Disk:
    """A tmpfs with the changed site on it and ``spare`` KB free."""
    files = list(changed_site().home.iterdir())
    size = sum(-(-file.stat().st_size // 4096) * 4 for file in files) + spare
    options = ["mount", "-t", "tmpfs", "-o", f"size={size}k", "tmpfs", str(folder)]
    if subprocess.run(options, capture_output=True, check=False).returncode:
        pytest.skip("mounting a tmpfs is not permitted here")
    for file in files:
        shutil.copy(file, folder / file.name)
    return Disk(Store(folder))


@pytest.fixture
def disk(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Disk]:
    try:
        yield mounted(tmp_path, request.param)
    finally:
        subprocess.run(["umount", str(tmp_path)], capture_output=True, check=False)


def refused_with_a_sentence(done: Done) -> str:
    """The one sentence with which a command failed, after its progress."""
    assert (done.returncode, done.stdout) == (1, ""), done
    assert "Traceback" not in done.stderr, done.stderr
    return done.stderr.splitlines()[-1]


@cache
def old_searches() -> list[Any]:
    return changed_site().searches()


@cache
def needed() -> set[str]:
    """SHA-256 of the texts that an undisturbed rebuild of the changed site embeds."""
    store = changed_site().copy(changed_site().home.parent / "disk-undisturbed")
    try:
        file = store.home / "paid"
        done = store.child("crash_rebuild", "plain", env={"PAID_FILE": str(file)})
        assert done.returncode == 0, done.stderr
        return set(paid(file))
    finally:
        shutil.rmtree(store.home)


@pytest.mark.parametrize("disk", TOO_SMALL, indirect=True)
def test_on_a_full_disk_the_old_index_answers_and_nothing_is_paid_twice(
    disk: Disk, tmp_path_factory: pytest.TempPathFactory
) -> None:
    store, file = disk.store, tmp_path_factory.mktemp("paid") / "paid"
    assert refused_with_a_sentence(store.manage("rebuild", "--json")).startswith(FULL)
    assert store.searches() == old_searches()
    disk.grow()
    assert store.governed() == changed_site().governed()
    assert store.sql("PRAGMA integrity_check") == [("ok",)]
    missing = needed() - {sha256(text) for text in store.passages()}
    store.steps(("rebuild",), ("rebuild", "--check"), PAID_FILE=str(file))
    assert set(paid(file)) == missing
    assert not {"running", "cancelled"} & set(store.outcomes())


def test_a_disk_that_is_full_after_the_commit_does_not_deny_the_new_index(tmp_path: Path) -> None:
    store = changed_site().copy(tmp_path / "site")
    done = store.child("crash_rebuild", "untidy")
    assert store.searches() != old_searches()
    assert done.returncode == 0 or "index" in done.stderr.splitlines()[-1]
    assert store.outcomes() == ["done", "done"]


@pytest.mark.parametrize("disk", [0], indirect=True)
def test_without_one_free_byte_the_sentence_names_the_full_disk(disk: Disk) -> None:
    sentence = refused_with_a_sentence(disk.store.manage("rebuild"))
    assert sentence.startswith("The database refused: ")
    assert "The disk is full" in sentence


def test_a_database_at_its_limit_keeps_the_old_index(tmp_path: Path) -> None:
    store = changed_site().copy(tmp_path / "site")
    limit = store.sql("PRAGMA page_count")[0][0] + 60
    failed = store.child("crash_rebuild", "pages", str(limit))
    assert refused_with_a_sentence(failed).startswith(FULL)
    assert store.searches() == old_searches()
    missing = needed() - {sha256(text) for text in store.passages()}
    assert store.rebuild()["embedded"] == len(missing)
    assert store.outcomes() == ["done", "failed", "done"]


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Store]:
    """The changed site with files that nobody may write in a folder that nobody may write."""
    store = changed_site().copy(tmp_path / "site")
    for file in store.home.iterdir():
        file.chmod(0o444)
    store.home.chmod(0o555)
    yield store
    store.home.chmod(0o755)


def without_privilege() -> list[str]:
    """What to put before a command so that permissions bind it: root is not bound by them."""
    if os.geteuid() != 0:
        return []
    if shutil.which("setpriv") is None:
        pytest.skip("root may write everywhere, and setpriv is not installed")
    return AS_OTHERS


def test_a_read_only_site_refuses_every_write_and_loses_nothing(
    read_only: Store, tmp_path: Path
) -> None:
    files = write_documents(tmp_path / "files", [301])
    commands = (
        ("import_sources", str(files), *OPERATOR),
        ("withdraw", "manual/001", *REASON),
        ("erase", "manual/001", *REASON),
        ("ask", "How is the valve inspected?", "--scopes", "public"),
        ("grant", "public", "--user", "op"),
    )
    for command, step in zip(
        commands, read_only.tries(*commands, prefix=without_privilege()), strict=True
    ):
        assert (step.code, step.out) == (1, ""), command
        assert step.err.endswith(f"{READ_ONLY}\n"), command
    assert read_only.governed() == changed_site().governed()
    assert read_only.sql("SELECT count(*) FROM rag_answer") == [(0,)]


def test_a_read_only_site_refuses_a_rebuild_with_a_sentence(read_only: Store) -> None:
    command = [*without_privilege(), sys.executable, "manage.py", "rebuild"]
    sentence = refused_with_a_sentence(read_only.run(command))
    assert sentence.startswith(f"{read_only.home}/rebuild.lock cannot be written")
    assert read_only.passages() == changed_site().passages()
    assert read_only.outcomes() == ["done"]
