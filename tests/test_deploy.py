"""What stands in deploy/: units, server, backup and restore, each of them run."""

import json
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

import pytest

from evidencesite import env
from tests.sites.store import Store, changed_site, end_started, old_site
from tests.sites.test_concurrency import asking, begin, ended, slow_rebuild

ROOT: Final = Path(__file__).resolve().parent.parent
DEPLOY: Final = ROOT / "deploy"
UNITS: Final = sorted([*DEPLOY.glob("*.service"), *DEPLOY.glob("*.timer")])
Done = subprocess.CompletedProcess[str]


@pytest.fixture(autouse=True)
def no_child_stays() -> Iterator[None]:
    yield
    end_started()


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A small site with an index."""
    return old_site().copy(tmp_path / "site")


def script(name: str, home: Path, *arguments: object) -> Done:
    """Run one of the scripts on the site in ``home``."""
    return subprocess.run(
        [DEPLOY / name, *map(str, arguments)],
        env=Store(home).environment({"PYTHON": sys.executable}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def backed_up(store: Store, folder: Path, *arguments: object) -> Path:
    done = script("backup.sh", store.home, folder, *arguments)
    assert done.returncode == 0, done.stderr
    return Path(done.stdout.strip())


def restored(backup: Path, home: Path) -> Store:
    done = script("restore.sh", home, backup)
    assert done.returncode == 0, done.stderr
    return Store(home)


# Units


def section(path: Path, name: str) -> dict[str, str]:
    parser = ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(path)
    return dict(parser[name])


def test_systemd_finds_nothing_to_say_about_the_units(tmp_path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed (Debian: apt-get install systemd)")
    (tmp_path / "python").symlink_to(sys.executable)
    for unit in UNITS:
        text = unit.read_text().replace("/srv/evidencesite/.venv/bin/python", sys.executable)
        (tmp_path / unit.name).write_text(text.replace("/srv/evidencesite", str(ROOT)))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *(str(tmp_path / unit.name) for unit in UNITS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: str(path.name))
def test_no_unit_stops_or_starts_another(unit: Path) -> None:
    ties = {"Requires", "Requisite", "BindsTo", "PartOf", "Upholds", "Conflicts", "Wants"}
    assert not ties & section(unit, "Unit").keys()


def test_a_restart_of_the_web_unit_kills_no_rebuild_of_its_group() -> None:
    assert section(DEPLOY / "evidencesite-web.service", "Service")["KillMode"] == "process"


def test_a_rebuild_that_meets_another_is_no_failure() -> None:
    service = section(DEPLOY / "evidencesite-rebuild.service", "Service")
    assert service["SuccessExitStatus"] == "3"


def test_the_services_are_shut_in_alike() -> None:
    services = [section(path, "Service") for path in UNITS if path.suffix == ".service"]
    names = [name for name in services[0] if name.startswith(("Protect", "Private", "Restrict"))]
    assert len(names) > 10
    for name in (*names, "NoNewPrivileges", "SystemCallFilter", "UMask", "User"):
        assert len({service.get(name) for service in services}) == 1, name


def test_the_example_names_settings_that_there_are() -> None:
    lines = (DEPLOY / "settings.example").read_text().splitlines()
    names = {line.partition("=")[0] for line in lines if line and not line.startswith("#")}
    assert names - {setting.name for setting in env.SETTINGS} == set()


# The server


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def gunicorn(
    store: Store, config: Path, port: int, **environment: str
) -> Iterator["subprocess.Popen[bytes]"]:
    """The web server as its unit starts it, in a group of its own; it ends with the block."""
    command = [sys.executable, "-m", "gunicorn", "--config", str(config), "--no-control-socket"]
    process = subprocess.Popen(
        [*command, "--bind", f"127.0.0.1:{port}", "evidencesite.wsgi"],
        cwd=ROOT,
        env=store.environment(environment),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


def eventually(true: Callable[[], Any]) -> Any:
    """What becomes true within a minute."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if value := true():
            return value
        time.sleep(0.05)
    raise AssertionError("it did not come true")


def answers(port: int) -> bool:
    try:
        with urlopen(f"http://127.0.0.1:{port}/accounts/login/", timeout=5) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def test_the_server_tells_systemd_that_it_is_ready_and_serves(store: Store, tmp_path: Path) -> None:
    port, name = free_port(), str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
        notified.bind(name)
        notified.settimeout(60)
        with gunicorn(store, DEPLOY / "gunicorn.conf.py", port, NOTIFY_SOCKET=name) as server:
            assert b"READY=1" in notified.recv(4096)
            eventually(lambda: answers(port))
    assert server.returncode == 0


IN_A_WORKER: Final = """
import threading

def post_worker_init(worker):
    from rag.actions.starting import start_rebuild
    threading.Thread(target=start_rebuild, args=["op"]).start()
"""


def test_a_rebuild_started_in_a_worker_outlives_the_server(store: Store, tmp_path: Path) -> None:
    config, before = tmp_path / "conf.py", store.outcomes()
    config.write_text(IN_A_WORKER)
    writer = sqlite3.connect(store.database, isolation_level=None, timeout=20)
    asked = "SELECT 1 FROM rag_auditevent WHERE action = 'start_rebuild'"
    with gunicorn(store, config, free_port()) as server:
        eventually(lambda: store.sql(asked))
        writer.execute("BEGIN IMMEDIATE")  # whatever the rebuild wants to write waits for the end
        os.killpg(server.pid, signal.SIGTERM)
        assert server.wait(timeout=60) == 0
    assert store.outcomes() == before
    writer.execute("ROLLBACK")
    writer.close()
    eventually(lambda: store.outcomes() == [*before, "done"])


# Backup and restore


def test_a_backup_holds_database_key_settings_and_sums(store: Store, tmp_path: Path) -> None:
    (store.home / "packet_key").write_text("a key of later days")
    for name in ("static/a.css", "uploads/x/y.md", "mail/m.log", "rebuild.log", "secret_key.x"):
        (store.home / name).parent.mkdir(parents=True, exist_ok=True)
        (store.home / name).write_text("made anew")
    settings = tmp_path / "settings"
    settings.write_text("ALLOWED_HOSTS=evidence.example.org\n")
    backup = backed_up(store, tmp_path / "backups", "--settings", settings)
    names = {"evidence.sqlite3", "packet_key", "secret_key", "SETTINGS", "SHA256SUMS"}
    assert {path.name for path in backup.iterdir()} == names
    assert (backup / "SETTINGS").read_text() == settings.read_text()
    assert {path.stat().st_mode & 0o777 for path in backup.iterdir()} == {0o600}
    assert backup.stat().st_mode & 0o777 == 0o700
    sums = subprocess.run(["sha256sum", "-c", "--quiet", "SHA256SUMS"], cwd=backup, check=False)
    assert sums.returncode == 0


def test_a_restored_site_is_the_site(store: Store, tmp_path: Path) -> None:
    twin = restored(backed_up(store, tmp_path / "backups"), tmp_path / "twin")
    assert twin.searches() == store.searches()
    assert twin.governed() == store.governed()
    assert (twin.home / "secret_key").read_bytes() == (store.home / "secret_key").read_bytes()
    assert {path.stat().st_mode & 0o077 for path in twin.home.glob("[es]*y*")} == {0}
    done = twin.manage("rebuild", "--check")
    assert (done.returncode, done.stdout) == (0, "The index is what a rebuild would make.\n")


def test_a_restored_record_is_still_append_only_and_whole(store: Store, tmp_path: Path) -> None:
    twin = restored(backed_up(store, tmp_path / "backups"), tmp_path / "twin")
    with pytest.raises(sqlite3.DatabaseError, match="append-only"):
        twin.sql("DELETE FROM rag_auditevent")
    code = "from rag.actions.audit import first_broken_event; print(first_broken_event())"
    assert twin.manage("shell", "--no-imports", "--command", code).stdout == "None\n"


def test_a_backup_during_a_rebuild_restores_to_the_index_before_it(tmp_path: Path) -> None:
    store = changed_site().copy(tmp_path / "site")
    rebuild = slow_rebuild(store, "0.05")
    backup = backed_up(store, tmp_path / "backups")
    assert rebuild.poll() is None, "the rebuild was over too early to tell"
    rebuild.communicate(timeout=60)
    twin = restored(backup, tmp_path / "twin")
    assert twin.searches() == changed_site().searches()
    assert twin.outcomes() == ["done", "running"]
    twin.rebuild()
    assert twin.searches() == store.searches()
    assert twin.outcomes() == ["done", "interrupted", "done"]


def test_backups_while_twenty_people_ask_are_each_one_state(store: Store, tmp_path: Path) -> None:
    stop = tmp_path / "stop"
    askers = asking(store, stop)
    begin(askers)
    eventually(lambda: store.sql("SELECT id FROM rag_answer LIMIT 1"))
    backups = [backed_up(store, tmp_path / "backups") for _ in range(3)]
    stop.touch()
    result = ended(askers)
    assert result["errors"] == []
    counts = []
    for number, backup in enumerate(backups):
        twin = restored(backup, tmp_path / f"twin-{number}")
        counts += twin.sql("SELECT count(*) FROM rag_answer")[0]
        orphans = (
            "SELECT count(*) FROM rag_citation WHERE answer_id NOT IN (SELECT id FROM rag_answer)"
        )
        assert twin.sql(orphans) == [(0,)]
    assert twin.searches() == old_site().searches()
    assert counts == sorted(counts)
    assert 0 < counts[0] <= counts[-1] <= result["asked"]


def test_an_erased_text_is_in_no_new_backup(store: Store, tmp_path: Path) -> None:
    [(text,)] = store.sql("SELECT text FROM rag_revision WHERE document_id LIKE '%' LIMIT 1")
    sentence = re.findall(r"Employees of team [^.]+\.", text)[0].encode()
    [(name,)] = store.sql("SELECT source_id FROM rag_source WHERE id = 1")
    before = backed_up(store, tmp_path / "backups")
    store.steps(("erase", name, "--actor", "op", "--reason", "a test"))
    after = backed_up(store, tmp_path / "backups")
    found = [sentence in (path / "evidence.sqlite3").read_bytes() for path in (before, after)]
    assert found == [True, False]


def test_only_the_newest_backups_are_kept(store: Store, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    others = [folder / "evidence of something else", folder / "evidence-of-last-year"]
    for other in others:
        other.mkdir(parents=True)
    made = [backed_up(store, folder, "--keep", 2) for _ in range(3)]
    assert [path.exists() for path in made] == [False, True, True]
    assert all(other.exists() for other in others)


@pytest.mark.parametrize("keep", ["0", "-1", "many"])
def test_no_number_of_backups_to_keep_deletes_all(store: Store, tmp_path: Path, keep: str) -> None:
    made = backed_up(store, tmp_path / "backups")
    done = script("backup.sh", store.home, tmp_path / "backups", f"--keep={keep}")
    assert done.returncode == 2
    assert made.exists()


def test_where_there_is_no_site_there_is_no_backup(tmp_path: Path) -> None:
    done = script("backup.sh", tmp_path / "none", tmp_path / "backups")
    assert done.returncode == 1
    assert done.stderr.startswith("No backup was made. There is no site in ")
    assert not (tmp_path / "backups").exists()
    assert not (tmp_path / "none").exists()


def damage(path: Path) -> None:
    """Something that SQLite's own checks find: the tree of a table is gone."""
    data = bytearray(path.read_bytes())
    data[4096:12288] = bytes(8192)
    path.write_bytes(data)


def test_a_damaged_database_gives_no_backup(store: Store, tmp_path: Path) -> None:
    store.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    damage(store.database)
    done = script("backup.sh", store.home, tmp_path / "backups")
    assert done.returncode == 1
    assert done.stderr.startswith("No backup was made. ")
    assert list((tmp_path / "backups").iterdir()) == []


def test_rows_that_lost_what_they_belong_to_give_no_backup(store: Store, tmp_path: Path) -> None:
    store.sql("UPDATE rag_chunk SET passage_id = 'none' WHERE id = 1")
    done = script("backup.sh", store.home, tmp_path / "backups")
    assert done.returncode == 1
    assert done.stderr == (
        "No backup was made. The database is damaged: foreign key of rag_chunk.\n"
    )


def test_a_site_is_never_overwritten(store: Store, tmp_path: Path) -> None:
    backup = backed_up(store, tmp_path / "backups")
    before = {path.name: path.read_bytes() for path in store.home.iterdir()}
    done = script("restore.sh", store.home, backup)
    assert done.returncode == 1
    assert "is not empty: it may hold a site" in done.stderr
    assert {path.name: path.read_bytes() for path in store.home.iterdir()} == before


def test_an_empty_folder_is_restored_into(store: Store, tmp_path: Path) -> None:
    (tmp_path / "twin").mkdir()
    assert restored(backed_up(store, tmp_path / "backups"), tmp_path / "twin").outcomes()


def reword(path: Path) -> None:
    """One letter of a text, which no check of SQLite's minds."""
    path.write_bytes(path.read_bytes().replace(b"Employees", b"employees", 1))


HARM: Final[dict[str, Callable[[Path], object]]] = {
    "another text": lambda backup: reword(backup / "evidence.sqlite3"),
    "another key": lambda backup: (backup / "secret_key").write_text("another"),
    "a missing key": lambda backup: (backup / "secret_key").unlink(),
    "no sums": lambda backup: (backup / "SHA256SUMS").unlink(),
    "no backup": shutil.rmtree,
}


@pytest.mark.parametrize("harm", HARM.values(), ids=HARM)
def test_a_backup_that_was_harmed_restores_nothing(
    store: Store, tmp_path: Path, harm: Callable[[Path], object]
) -> None:
    backup = backed_up(store, tmp_path / "backups")
    harm(backup)
    done = script("restore.sh", tmp_path / "twin", backup)
    assert done.returncode == 1
    assert done.stderr.startswith("Nothing was restored. ")
    assert not (tmp_path / "twin").exists()


def test_an_index_that_is_behind_is_said_after_the_restore(tmp_path: Path) -> None:
    backup = backed_up(changed_site().copy(tmp_path / "site"), tmp_path / "backups")
    done = script("restore.sh", tmp_path / "twin", backup)
    assert done.returncode == 0
    assert "is not indexed" in done.stdout
    assert done.stdout.endswith("manage.py migrate, then manage.py rebuild\n")


def test_the_notes_name_every_file_of_the_folder() -> None:
    notes = (DEPLOY / "README.md").read_text()
    files = [path.name for path in DEPLOY.iterdir() if path.is_file()]
    described = {"backup.py", "restore.py", "README.md"}  # by their .sh, and by itself
    timers = {name for name in files if name.endswith(".timer")}
    assert [name for name in {*files} - described - timers if f"`{name}`" not in notes] == []
    assert json.dumps(sorted(timers)).count(".timer") == notes.count("`, `.timer`")
