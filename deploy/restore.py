"""Restore a backup into an empty folder: ``EVIDENCE_HOME=FOLDER deploy/restore.sh BACKUP``.

A folder with anything in it is left alone. Every file is held against SHA256SUMS and the database
against SQLite's own checks before anything is copied; then the site itself says whether the index
is what a rebuild would make.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from backup import DATABASE, PROJECT, SETTINGS, SUMS, Refused, check_database, home, sha256


def restore(backup: Path, site: Path) -> None:
    """Copy a sound backup into a missing or empty folder."""
    if site.exists() and (not site.is_dir() or any(site.iterdir())):
        raise Refused(f"{site} is not empty: it may hold a site. Move that away first.")
    names = _sound(backup)
    was_there = site.exists()
    site.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        for name in names:
            if name != SETTINGS:
                _copy(backup / name, site / name)
    except BaseException:
        shutil.rmtree(site, ignore_errors=True)
        if was_there:
            site.mkdir(mode=0o700, exist_ok=True)
        raise


def _sound(backup: Path) -> list[str]:
    """The names of a backup's files, all of them there and unchanged."""
    sums = backup / SUMS
    if not sums.is_file():
        raise Refused(f"{backup} is no backup: it has no {SUMS}.")
    names = []
    for line in sums.read_text().splitlines():
        expected, _, name = line.partition("  ")
        if not (backup / name).is_file() or sha256(backup / name) != expected:
            raise Refused(f"{backup / name} is missing, or not what was backed up.")
        names.append(name)
    check_database(backup / DATABASE)
    return names


def _copy(path: Path, to: Path) -> None:
    to.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    shutil.copyfile(path, to)


def _check_index(site: Path) -> None:
    """Let the site compare its index with its sources, and say what to do."""
    command = [sys.executable, str(PROJECT / "manage.py"), "rebuild", "--check"]
    done = subprocess.run(
        command,
        env=os.environ | {"EVIDENCE_HOME": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    print(f"{done.stdout}{done.stderr}".strip())
    if done.returncode:
        print("So before people come back: manage.py migrate, then manage.py rebuild")


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit((__doc__ or "").partition("\n")[0])
    backup, site = Path(sys.argv[1]).resolve(), home()
    os.umask(0o077)
    try:
        restore(backup, site)
    except (Refused, OSError) as error:
        sys.exit(f"Nothing was restored. {error}")
    print(f"Restored into {site}.")
    if (backup / SETTINGS).is_file():
        print(f"The settings of then are in {backup / SETTINGS}: compare them with those of now.")
    _check_index(site)


if __name__ == "__main__":
    main()
