"""Environment variables, the site's folder and the SQLite underneath."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

import evidencesite.sqlite
from evidencesite import env
from evidencesite.settings import open_home, stored_secret_key

READERS: dict[str, Callable[[], object]] = {
    "text": lambda: env.text("X", "a", help=""),
    "texts": lambda: env.texts("X", ("a", "b"), help=""),
    "choice": lambda: env.choice("X", "a", ("a", "b"), help=""),
    "part": lambda: env.part("X", "a", ("a", "b"), help=""),
    "choices": lambda: env.choices("X", ("a", "b"), help=""),
    "boolean": lambda: env.boolean("X", False, help=""),
    "integer": lambda: env.integer("X", 5, 1, 9, help=""),
    "number": lambda: env.optional_number("X", -1, 1, help=""),
    "quoted": lambda: env.quoted("X", help=""),
    "zone": lambda: env.zone("X", "UTC", help=""),
    "path": lambda: env.path("X", "home", Path("/site"), help=""),
}


@pytest.fixture(autouse=True)
def settings_list(monkeypatch: pytest.MonkeyPatch) -> list[env.EnvironmentSetting]:
    """A list of their own for the variables of these tests."""
    rows: list[env.EnvironmentSetting] = []
    monkeypatch.setattr(env, "SETTINGS", rows)
    return rows


def python(code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, in the project's folder."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("reader", "value", "expected"),
    [
        ("text", "b", "b"),
        ("texts", "c, d,,", ["c", "d"]),
        ("choice", "b", "b"),
        ("part", "b", "b"),
        ("part", "ours.parts:Finder", "ours.parts:Finder"),
        ("choices", "b, a,", ["b", "a"]),
        ("boolean", "Yes", True),
        ("boolean", "off", False),
        ("integer", "9", 9),
        ("number", "-1", -1.0),
        ("number", "0", 0.0),
        ("quoted", "query:", "query:"),
        ("quoted", r'"a\nquery: "', "a\nquery: "),
        ("quoted", '""', ""),
        ("zone", "Europe/Berlin", "Europe/Berlin"),
        ("path", "data", Path("/site/data")),
        ("path", "/data", Path("/data")),
    ],
)
def test_value_is_read(
    monkeypatch: pytest.MonkeyPatch, reader: str, value: str, expected: object
) -> None:
    monkeypatch.setenv("X", value)
    assert READERS[reader]() == expected


@pytest.mark.parametrize("value", [None, "", "  "])
def test_missing_or_empty_value_means_the_default(
    monkeypatch: pytest.MonkeyPatch, value: str | None
) -> None:
    if value is None:
        monkeypatch.delenv("X", raising=False)
    else:
        monkeypatch.setenv("X", value)
    read = [READERS[reader]() for reader in READERS]
    assert read == [
        *("a", ["a", "b"], "a", "a", [], False, 5, None, None, "UTC", Path("/site/home"))
    ]


@pytest.mark.parametrize(
    ("reader", "value", "hint"),
    [
        ("choice", "A", "use one of a, b"),
        ("part", "ours.parts", "use a, b, package.module:object"),
        ("choices", "c", "use some of a, b"),
        ("boolean", "maybe", "use one of 1, true"),
        ("integer", "10", "from 1 to 9"),
        ("integer", "5.0", "from 1 to 9"),
        ("number", "1.01", "from -1 to 1"),
        ("number", "nan", "from -1 to 1"),
        ("number", "half", "from -1 to 1"),
        ("quoted", '"query:', "close the quotation mark"),
        ("zone", "Mars/Base", "use a time zone such as Europe/Berlin"),
    ],
)
def test_unusable_value_is_named_with_a_hint(
    monkeypatch: pytest.MonkeyPatch, reader: str, value: str, hint: str
) -> None:
    monkeypatch.setenv("X", value)
    with pytest.raises(ImproperlyConfigured, match=f"X='{value}' is not usable: .*{hint}"):
        READERS[reader]()


def test_each_variable_is_listed(settings_list: list[env.EnvironmentSetting]) -> None:
    env.integer("X", 5, 1, 9, help="How many.")
    assert settings_list == [env.EnvironmentSetting("X", "5", "How many.")]


def test_home_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    assert open_home(tmp_path / "home").stat().st_mode & 0o777 == 0o700


def test_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "home").touch()
    with pytest.raises(ImproperlyConfigured, match="EVIDENCE_HOME="):
        open_home(tmp_path / "home")


def test_secret_key_is_drawn_once_and_private(tmp_path: Path) -> None:
    key = stored_secret_key(tmp_path)
    assert len(key) >= 50
    assert stored_secret_key(tmp_path) == key
    assert [file.name for file in tmp_path.iterdir()] == ["secret_key"]
    assert (tmp_path / "secret_key").stat().st_mode & 0o777 == 0o600


def test_empty_secret_key_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret_key").touch()
    with pytest.raises(ImproperlyConfigured, match="is empty"):
        stored_secret_key(tmp_path)


def test_tests_leave_the_site_alone() -> None:
    assert settings.EVIDENCE_HOME != settings.BASE_DIR / "home"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("PRAGMA journal_mode", "wal"),
        ("PRAGMA synchronous", 2),  # FULL
        ("PRAGMA foreign_keys", 1),
        ("PRAGMA busy_timeout", 20_000),  # milliseconds
    ],
)
def test_connection_is_set_up(statement: str, expected: object) -> None:
    with connection.cursor() as cursor:
        assert cursor.execute(statement).fetchone() == (expected,)


@pytest.mark.django_db
def test_sqlite_is_past_the_wal_reset_bug() -> None:
    with connection.cursor() as cursor:
        (version,) = cursor.execute("SELECT sqlite_version()").fetchone()
    assert tuple(map(int, version.split("."))) >= (3, 51, 3)


@pytest.mark.django_db
def test_test_database_is_a_file() -> None:
    assert Path(connection.settings_dict["NAME"]).is_file()


def test_wal_database_opens_for_reading_only(tmp_path: Path) -> None:
    file = tmp_path / "a.sqlite3"
    writer = sqlite3.connect(file)
    writer.execute("PRAGMA journal_mode=WAL")
    writer.execute("CREATE TABLE t (x)")
    writer.close()
    reader = sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)
    for command in connection.settings_dict["OPTIONS"]["init_command"].split(";"):
        reader.execute(command)
    assert reader.execute("SELECT count(*) FROM t").fetchone() == (0,)
    reader.close()


@pytest.mark.parametrize(
    "entry_point",
    [
        "import evidencesite.wsgi",
        "import evidencesite.asgi",
        "import runpy, sys; sys.argv = ['manage.py', 'version']; "
        "runpy.run_path('manage.py', run_name='__main__')",
    ],
    ids=["wsgi", "asgi", "manage.py"],
)
def test_entry_point_loads_one_sqlite(entry_point: str) -> None:
    check = "import sqlite3, sys; print(sqlite3.__name__, '_sqlite3' in sys.modules)"
    done = python(f"{entry_point}; {check}")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("pysqlite3 False\n")


def test_second_sqlite_is_refused() -> None:
    done = python("import sqlite3, evidencesite")
    assert done.returncode == 1
    assert done.stderr.strip().endswith("import evidencesite first.")


def test_old_sqlite_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sqlite3")
    monkeypatch.setattr(evidencesite.sqlite, "MINIMUM_VERSION", (99, 0, 0))
    with pytest.raises(RuntimeError, match=r"99\.0\.0 or newer is needed"):
        evidencesite.sqlite.use_bundled_sqlite()


def test_swapping_again_changes_nothing() -> None:
    before = sys.modules["sqlite3"]
    evidencesite.sqlite.use_bundled_sqlite()
    assert sys.modules["sqlite3"] is before


@pytest.mark.parametrize("name", ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"])
def test_blas_runs_on_one_thread_unless_told_otherwise(name: str) -> None:
    code = f"import os; {{}}; import evidencesite; print(os.environ['{name}'])"
    assert python(code.format(f"os.environ.pop('{name}')")).stdout == "1\n"
    assert python(code.format(f"os.environ['{name}'] = '4'")).stdout == "4\n"


def test_no_environment_file_is_looked_for(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    watch = ["strace", "--follow-forks", "--trace=%file", f"--output={calls}"]
    subprocess.run(
        [*watch, sys.executable, "-c", "import evidencesite.settings"],
        cwd=settings.BASE_DIR,
        check=True,
    )
    looked_for = calls.read_text(errors="replace")
    assert "evidencesite/settings" in looked_for
    assert "/.env" not in looked_for and '".env' not in looked_for
