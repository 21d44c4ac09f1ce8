"""Back up a site while it runs: ``deploy/backup.sh FOLDER [--settings FILE] [--keep N]``.

The database is copied by VACUUM INTO, in one read transaction: what the copy holds is one state of
the site, whatever writes meanwhile, and nothing that was erased before. Beside it stand the secret
key, whatever else the site keeps in EVIDENCE_HOME, the settings, and SHA256SUMS. A backup gets its
name only when it is complete and has passed SQLite's own checks.
"""

import argparse
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(PROJECT))

import pysqlite3 as sqlite3  # noqa: E402  the site's own, and never two in one process

import evidencesite  # noqa: E402, F401  refuses one that is too old
from evidencesite import env  # noqa: E402

DATABASE, SUMS, SETTINGS = "evidence.sqlite3", "SHA256SUMS", "SETTINGS"
# Made anew by a command, or of no use to another process.
LEFT_OUT = ("static", "uploads", "mail", "rebuild.lock", "rebuild.log")
# And the database itself with its log, half-written keys, and a test's database.
LEFT_OUT_BEGINNINGS = (DATABASE, "secret_key.", "test.sqlite3")
BUSY_SECONDS = 60


class Refused(Exception):
    """Why there is no backup, or nothing was restored."""


def home() -> Path:
    """The site's folder, named as it is named to the site."""
    return env.path("EVIDENCE_HOME", "home", PROJECT, help="")


def backup(site: Path, folder: Path, settings: Path | None, keep: int | None) -> Path:
    """A new backup of the site below the folder; only the ``keep`` newest stay."""
    if not (site / DATABASE).is_file():
        raise Refused(f"There is no site in {site}. EVIDENCE_HOME names its folder.")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=".unfinished-", dir=folder))
    try:
        _fill(draft, site, settings)
        final = folder / f"evidence-{datetime.now(UTC):%Y%m%dT%H%M%S.%fZ}"
        draft.rename(final)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    _sync(folder)
    made = sorted(path.parent for path in folder.glob(f"evidence-*/{SUMS}"))
    for old in made[: -keep if keep else 0]:
        shutil.rmtree(old)
    return final


def _fill(draft: Path, site: Path, settings: Path | None) -> None:
    source = sqlite3.connect(
        f"{(site / DATABASE).as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS
    )
    try:
        source.execute("VACUUM INTO ?", [str(draft / DATABASE)])
    finally:
        source.close()
    check_database(draft / DATABASE)
    for path in sorted(site.iterdir()):
        if path.name not in LEFT_OUT and not path.name.startswith(LEFT_OUT_BEGINNINGS):
            _copy(path, draft / path.name)
    if settings:
        _copy(settings, draft / SETTINGS)
    sums = [f"{sha256(path)}  {path.relative_to(draft)}\n" for path in files_below(draft)]
    (draft / SUMS).write_text("".join(sums))
    for path in files_below(draft):
        path.chmod(0o600)
        _sync(path)
    _sync(draft)


def _copy(path: Path, to: Path) -> None:
    if path.is_dir():
        shutil.copytree(path, to)
    else:
        shutil.copyfile(path, to)


def check_database(path: Path) -> None:
    """Refuse a database that SQLite finds fault with. Nothing is written beside it."""
    database = sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)
    try:
        faults = [row[0] for row in database.execute("PRAGMA integrity_check") if row[0] != "ok"]
        faults += [
            f"foreign key of {row[0]}" for row in database.execute("PRAGMA foreign_key_check")
        ]
    except sqlite3.DatabaseError as error:
        faults = [str(error)]
    finally:
        database.close()
    if faults:
        raise Refused(f"The database is damaged: {'; '.join(faults[:5])}.")


def files_below(folder: Path) -> Iterator[Path]:
    """Every file, sorted."""
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sync(path: Path) -> None:
    """On disk before it counts: VACUUM INTO itself leaves that to the system."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def count(text: str) -> int:
    """How many backups are kept: at least the one just made."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("folder", type=Path, help="where backups are kept")
    parser.add_argument("--settings", type=Path, help="the file with the site's settings")
    parser.add_argument("--keep", type=count, help="delete all but the newest N")
    given = parser.parse_args()
    os.umask(0o077)
    try:
        print(backup(home(), given.folder.resolve(), given.settings, given.keep))
    except (Refused, OSError, sqlite3.Error) as error:
        sys.exit(f"No backup was made. {error}")


if __name__ == "__main__":
    main()
