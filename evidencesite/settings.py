"""Settings of the site; each that may differ between sites has an environment variable."""

import contextlib
import os
import secrets
import tempfile
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from evidencesite import env


def open_home(home: Path) -> Path:
    """The folder of the site's data; made for its owner alone if it is not there."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(
            f"EVIDENCE_HOME={str(home)!r} is not usable: {error.strerror}."
        ) from error
    return home


def stored_secret_key(home: Path) -> str:
    """The key kept in the site's folder, drawn at first use."""
    file = home / "secret_key"
    if not file.exists():
        # Written aside (mkstemp gives mode 0600) and linked: of two processes that start
        # together one wins, and neither reads a file half written.
        descriptor, draft = tempfile.mkstemp(prefix="secret_key.", dir=home)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(secrets.token_urlsafe(50))
        with contextlib.suppress(FileExistsError):
            file.hardlink_to(draft)
        Path(draft).unlink()
    key = file.read_text().strip()
    if not key:
        raise ImproperlyConfigured(f"{file} is empty: delete it, and a new key is drawn.")
    return key


BASE_DIR = Path(__file__).resolve().parent.parent

EVIDENCE_HOME = open_home(
    env.path("EVIDENCE_HOME", "home", BASE_DIR, help="Folder of the site's data.")
)

# The engine

EVIDENCE_PROFILE = env.choice(
    "EVIDENCE_PROFILE",
    "embedded",
    ("embedded", "hashing"),
    help="What embeds: the bundled model, or the hashing baseline.",
)
EVIDENCE_CHUNKING = env.text(
    "EVIDENCE_CHUNKING",
    "sections-v1",
    help="Id of the chunking policy; another asks for a rebuild.",
)
EVIDENCE_DEFAULT_LANGUAGE = env.text(
    "EVIDENCE_DEFAULT_LANGUAGE", "en", help="Language of a source that names none."
)
EVIDENCE_POLICY = env.text(
    "EVIDENCE_POLICY", "", help="Id of the ranking policy; empty for the built-in default."
)
EVIDENCE_INDEX_BEHIND = env.choice(
    "EVIDENCE_INDEX_BEHIND",
    "notice",
    ("notice", "refuse"),
    help="Whether an index older than the last import answers with a notice or refuses.",
)
EVIDENCE_MIN_COSINE = env.optional_number(
    "EVIDENCE_MIN_COSINE", -1, 1, help="Least cosine of a hit; empty for the profile's own."
)

# Django

SECRET_KEY = env.text(
    "SECRET_KEY", "", help="Signs sessions; empty for a key drawn once into EVIDENCE_HOME."
) or stored_secret_key(EVIDENCE_HOME)
DEBUG = env.boolean("DEBUG", False, help="Error pages with source code: never on a real site.")
ALLOWED_HOSTS = env.texts(
    "ALLOWED_HOSTS", ("127.0.0.1", "localhost"), help="Host names that the site answers to."
)

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "rag",
]
ROOT_URLCONF = "evidencesite.urls"
WSGI_APPLICATION = "evidencesite.wsgi.application"
ASGI_APPLICATION = "evidencesite.asgi.application"

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": EVIDENCE_HOME / "evidence.sqlite3",
        "OPTIONS": {
            # A transaction that reads, then writes, would otherwise fail as "database is
            # locked" without waiting for the timeout.
            "transaction_mode": "IMMEDIATE",
            "timeout": env.integer(
                "SQLITE_BUSY_SECONDS", 20, 1, 600, help="How long a writer waits for another."
            ),
            # FULL: an approval or a withdrawal that was confirmed survives a power cut.
            # secure_delete: freed pages are overwritten, so an erased text is in none of them.
            "init_command": (
                "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; "
                "PRAGMA secure_delete=ON;"
            ),
        },
        # A file, because an in-memory database hides every locking fault.
        "TEST": {"NAME": EVIDENCE_HOME / "test.sqlite3"},
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
USE_TZ = True
TIME_ZONE = env.zone("TIME_ZONE", "UTC", help="Decides which day is today.")
