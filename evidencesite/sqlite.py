"""One SQLite for the whole process: the one that the package pysqlite3 brings.

Systems still ship SQLite 3.40, which can corrupt a database in WAL mode when a checkpoint
meets a writer that restarts the log (fixed in 3.51.3). Two SQLite libraries in one process
are worse: closing a file in one drops the POSIX locks that the other holds on it.
"""

import sys

import pysqlite3
import pysqlite3.dbapi2

MINIMUM_VERSION = (3, 51, 3)


def use_bundled_sqlite() -> None:
    """Make ``import sqlite3`` give pysqlite3; doing it again changes nothing.

    Raises RuntimeError if Python's own sqlite3 is already loaded or the bundled one is too old.
    """
    if sys.modules.get("sqlite3") is pysqlite3:
        return
    if "_sqlite3" in sys.modules:
        raise RuntimeError(
            "Python's own sqlite3 was loaded before evidencesite, and a process may hold only "
            "one SQLite library: import evidencesite first."
        )
    if pysqlite3.sqlite_version_info < MINIMUM_VERSION:
        raise RuntimeError(
            f"pysqlite3 brings SQLite {pysqlite3.sqlite_version}; "
            f"{'.'.join(map(str, MINIMUM_VERSION))} or newer is needed."
        )
    sys.modules["sqlite3"] = pysqlite3
    sys.modules["sqlite3.dbapi2"] = pysqlite3.dbapi2
