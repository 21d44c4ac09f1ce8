"""Settings of the site; each that may differ between sites has an environment variable.

One file, however long: who runs a site finds everything that can be set in one place.
"""

import contextlib
import os
import secrets
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

from csp.constants import NONE, SELF
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

EVIDENCE_PROFILE = env.part(
    "EVIDENCE_PROFILE",
    "embedded",
    ("embedded", "hashing", "ollama", "openai"),
    help="What embeds: the bundled model, the hashing baseline, a model behind an endpoint, or an "
    "embedder of your own.",
)
EVIDENCE_CHUNKING = env.text(
    "EVIDENCE_CHUNKING",
    "sections-v2",
    help="Id of the chunking policy, or a splitter of your own; another asks for a rebuild.",
)
EVIDENCE_RETRIEVER = env.part(
    "EVIDENCE_RETRIEVER",
    "",
    (),
    help="A retriever of your own (`package.module:object`, see docs/extending.md); empty for "
    "the index's figures.",
)
EVIDENCE_DEFAULT_LANGUAGE = env.text(
    "EVIDENCE_DEFAULT_LANGUAGE",
    "en",
    help="Language of a source that names none and whose text does not tell it.",
)
EVIDENCE_POLICY = env.text(
    "EVIDENCE_POLICY", "", help="Id of the ranking policy; empty for the built-in default."
)
EVIDENCE_GATE = env.text(
    "EVIDENCE_GATE",
    "",
    help="Id of the answer gate, or `calibrated` for the one in EVIDENCE_HOME; empty for the "
    "profile's own.",
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

# Models behind endpoints: for who runs the site, never for a form

EVIDENCE_MODEL_HOSTS = env.texts(
    "EVIDENCE_MODEL_HOSTS",
    (),
    help="Hosts, besides this machine, at which models may be asked, over HTTPS alone.",
)
EVIDENCE_EMBEDDING_ENDPOINT = env.text(
    "EVIDENCE_EMBEDDING_ENDPOINT",
    "",
    help="Where `ollama` or `openai` embeds; empty for Ollama's own address on this machine.",
)
EVIDENCE_EMBEDDING_MODEL = env.text(
    "EVIDENCE_EMBEDDING_MODEL",
    "",
    help="Its embedding model; empty for `embeddinggemma:300m` at Ollama.",
)
EVIDENCE_EMBEDDING_KEY = env.text(
    "EVIDENCE_EMBEDDING_KEY", "", help="Key that the embedding endpoint asks for."
)
EVIDENCE_EMBEDDING_KEY_FILE = env.text(
    "EVIDENCE_EMBEDDING_KEY_FILE", "", help="File that holds this key instead."
)
EVIDENCE_EMBEDDING_DIMENSION = env.integer(
    "EVIDENCE_EMBEDDING_DIMENSION", 0, 0, 65536, help="Length of its vectors; 0 for a known model."
)
EVIDENCE_EMBEDDING_CONTEXT = env.integer(
    "EVIDENCE_EMBEDDING_CONTEXT",
    0,
    0,
    1_000_000,
    help="Tokens that it reads of a text; 0 for the model's own, 512 if it is not known.",
)
EVIDENCE_EMBEDDING_QUERY_PREFIX = env.quoted(
    "EVIDENCE_EMBEDDING_QUERY_PREFIX",
    help='Goes before a question, such as `"query: "`; empty for the model\'s own, `""` for none.',
)
EVIDENCE_EMBEDDING_DOCUMENT_PREFIX = env.quoted(
    "EVIDENCE_EMBEDDING_DOCUMENT_PREFIX", help="The same before a passage."
)
EVIDENCE_EMBEDDING_DEADLINE = env.integer(
    "EVIDENCE_EMBEDDING_DEADLINE",
    300,
    1,
    3600,
    help="Seconds that one request may take; for a question at most 60.",
)
EVIDENCE_EMBEDDING_WAITING = env.integer(
    "EVIDENCE_EMBEDDING_WAITING",
    2,
    1,
    1_000,
    help="Requests that each process of the site may have with this endpoint at once; keep it "
    "below the number of threads, so that a hung endpoint leaves some for everything else.",
)

# Answers: who proposes them, and the chat model for the modes that ask one

_ANSWER_MODES = ("extractive", "baseline", "tool", "provider")
EVIDENCE_ANSWER_MODE = env.choice(
    "EVIDENCE_ANSWER_MODE",
    "extractive",
    _ANSWER_MODES,
    help="Who proposes quotations: code (`extractive`), or a chat model that gets the excerpts "
    "in its message (`baseline`), by its own tool call (`tool`) or as context (`provider`).",
)
EVIDENCE_ANSWER_MODES = env.choices(
    "EVIDENCE_ANSWER_MODES", _ANSWER_MODES, help="Other modes that a request may choose."
)
EVIDENCE_CHAT_PROVIDER = env.choice(
    "EVIDENCE_CHAT_PROVIDER",
    "ollama",
    ("ollama", "openai"),
    help="What the chat endpoint speaks: Ollama's API, or OpenAI's chat completions.",
)
EVIDENCE_CHAT_ENDPOINT = env.text(
    "EVIDENCE_CHAT_ENDPOINT",
    "",
    help="Where the chat model is asked; empty for Ollama's own address on this machine.",
)
EVIDENCE_CHAT_MODEL = env.text(
    "EVIDENCE_CHAT_MODEL",
    "",
    help="The chat model, such as `qwen3.5:4b`; empty for `granite4:3b` at Ollama.",
)
EVIDENCE_CHAT_KEY = env.text("EVIDENCE_CHAT_KEY", "", help="Key that the chat endpoint asks for.")
EVIDENCE_CHAT_KEY_FILE = env.text(
    "EVIDENCE_CHAT_KEY_FILE", "", help="File that holds this key instead."
)
EVIDENCE_CHAT_JSON = env.choice(
    "EVIDENCE_CHAT_JSON",
    "json_schema",
    ("json_schema", "json_object", "json_object_schema"),
    help="How an `openai` endpoint is bound to JSON: by schema, as any object, or as an object "
    "with the schema beside it (llama-cpp-python).",
)
EVIDENCE_CHAT_CHARACTERS = env.integer(
    "EVIDENCE_CHAT_CHARACTERS", 10_000, 100, 1_000_000, help="Characters of excerpts at most."
)
EVIDENCE_CHAT_CONTEXT = env.integer(
    "EVIDENCE_CHAT_CONTEXT", 8_192, 2_048, 1_048_576, help="Tokens of a chat, the reply included."
)
EVIDENCE_CHAT_OUTPUT = env.integer(
    "EVIDENCE_CHAT_OUTPUT", 1_024, 16, EVIDENCE_CHAT_CONTEXT - 1, help="Tokens of a reply."
)
EVIDENCE_CHAT_DEADLINE = env.integer(
    "EVIDENCE_CHAT_DEADLINE", 300, 1, 3_600, help="Seconds that a question waits for its model."
)
EVIDENCE_CHAT_WAITING = env.integer(
    "EVIDENCE_CHAT_WAITING",
    4,
    1,
    1_000,
    help="Questions of the site that each of its processes may have with the model at once; "
    "the next is told to try again.",
)
EVIDENCE_CHAT_WAITING_EACH = env.integer(
    "EVIDENCE_CHAT_WAITING_EACH",
    2,
    1,
    1_000,
    help="Questions of one person that may wait for the model at once, in all processes.",
)

# Django

SECRET_KEY = env.text(
    "SECRET_KEY", "", help="Signs sessions; empty for a key drawn once into EVIDENCE_HOME."
) or stored_secret_key(EVIDENCE_HOME)
DEBUG = env.boolean("DEBUG", False, help="Error pages with source code: never on a real site.")
ALLOWED_HOSTS = env.texts(
    "ALLOWED_HOSTS", ("127.0.0.1", "localhost"), help="Host names that the site answers to."
)

BEHIND_TLS_PROXY = env.boolean(
    "BEHIND_TLS_PROXY",
    False,
    help="Served by a proxy over HTTPS alone: secure cookies, HSTS, the proxy's headers count.",
)

INSTALLED_APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.messages",
    "evidencesite.apps.EvidenceAdminConfig",
    # Before staticfiles: `runserver` then serves as gunicorn does.
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "csp",
    "axes",
    "rag",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "rag.web.middleware.PersonalPagesMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "rag.web.middleware.ErrorsMiddleware",
    # Last, as its documentation asks.
    "axes.middleware.AxesMiddleware",
]
ROOT_URLCONF = "evidencesite.urls"
WSGI_APPLICATION = "evidencesite.wsgi.application"
ASGI_APPLICATION = "evidencesite.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "rag.web.navigation.navigation",
            ],
        },
    }
]

STATIC_URL = "static/"
STATIC_ROOT = EVIDENCE_HOME / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
# `collectstatic` gives files names that change with their content. Until it has run (tests, a
# first start) they are served as they lie in the tree.
_COLLECTED = (STATIC_ROOT / "staticfiles.json").is_file()
_STATIC = "whitenoise.storage.CompressedManifestStaticFilesStorage"
if not _COLLECTED and "collectstatic" not in sys.argv:
    _STATIC = "django.contrib.staticfiles.storage.StaticFilesStorage"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": _STATIC},
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = not _COLLECTED

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

# People

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
SESSION_COOKIE_AGE = 3600 * env.integer(
    "SESSION_HOURS", 12, 1, 24 * 30, help="Hours that a sign-in lasts."
)
SESSION_SAVE_EVERY_REQUEST = False
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "rag.web.errors.csrf_failure"

AXES_FAILURE_LIMIT = env.integer(
    "SIGN_IN_ATTEMPTS", 5, 1, 100, help="Failed sign-ins of one name from one address in a row."
)
AXES_COOLOFF_TIME = timedelta(
    minutes=env.integer(
        "SIGN_IN_PAUSE_MINUTES", 15, 1, 24 * 60, help="How long the next sign-in is then refused."
    )
)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_WHITELIST_CALLABLE = "rag.web.signing_in.has_no_name"
AXES_CLIENT_IP_CALLABLE = "rag.web.addresses.client_address"
AXES_LOCKOUT_TEMPLATE = "registration/locked_out.html"
AXES_HTTP_RESPONSE_CODE = 429
AXES_RESET_ON_SUCCESS = True
AXES_ENABLE_ADMIN = False
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False

OIDC_ISSUER = env.text(
    "OIDC_ISSUER", "", help="OpenID Connect provider (its issuer address); empty: none."
)
if OIDC_ISSUER:
    AUTHENTICATION_BACKENDS.append("rag.web.sso.Backend")
OIDC_OP_AUTHORIZATION_ENDPOINT = env.text(
    "OIDC_AUTHORIZATION_ENDPOINT", "", help="Where the provider signs people in."
)
OIDC_OP_TOKEN_ENDPOINT = env.text("OIDC_TOKEN_ENDPOINT", "", help="Where codes become tokens.")
OIDC_OP_USER_ENDPOINT = env.text("OIDC_USER_ENDPOINT", "", help="The provider's user-info.")
OIDC_OP_JWKS_ENDPOINT = env.text("OIDC_JWKS_ENDPOINT", "", help="The provider's public keys.")
OIDC_RP_CLIENT_ID = env.text("OIDC_CLIENT_ID", "", help="This site's name at the provider.")
OIDC_RP_CLIENT_SECRET = env.text(
    "OIDC_CLIENT_SECRET", "", help="This site's secret at the provider."
)
OIDC_NAME_CLAIM = env.text(
    "OIDC_NAME_CLAIM", "preferred_username", help="Claim that becomes the user name."
)
OIDC_GROUPS_CLAIM = env.text("OIDC_GROUPS_CLAIM", "groups", help="Claim that lists groups.")
OIDC_GROUPS = env.pairs(
    "OIDC_GROUPS", help="Which claim gives which group: `staff=member,legal=approver`."
)
OIDC_RP_SIGN_ALGO = "RS256"
OIDC_RP_SCOPES = "openid email profile"
OIDC_USE_PKCE = True
OIDC_TIMEOUT = 20

EMAIL_HOST = env.text(
    "EMAIL_HOST", "", help="Mail server; empty: mail is written into EVIDENCE_HOME/mail."
)
EMAIL_PORT = env.integer("EMAIL_PORT", 587, 1, 65535, help="Port of the mail server.")
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER", "", help="Name at the mail server.")
EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD", "", help="Password at the mail server.")
EMAIL_USE_TLS = env.boolean("EMAIL_USE_TLS", True, help="STARTTLS to the mail server.")
EMAIL_TIMEOUT = 20
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'filebased'}.EmailBackend"
EMAIL_FILE_PATH = EVIDENCE_HOME / "mail"
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text(
    "DEFAULT_FROM_EMAIL", "evidence@localhost", help="Sender of the site's mail."
)

# Safety

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        **{
            name: [SELF]
            for name in ("script-src", "style-src", "font-src", "img-src", "connect-src")
        },
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
DATA_UPLOAD_MAX_MEMORY_SIZE = 3 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 3 * 1024 * 1024
if BEHIND_TLS_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = True
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True

MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "handlers": {"stderr": {"class": "logging.StreamHandler"}},
    "loggers": {
        # Failed sign-ins are in the database; a name typed into the log helps nobody.
        "axes": {"level": "ERROR"},
        # At DEBUG they write down the headers of model providers, which may repeat a key.
        "httpx": {"level": "WARNING"},
        "httpcore": {"level": "WARNING"},
        # Warnings for every 404 would fill the log with what people typed.
        "django.request": {"level": "ERROR", "handlers": ["stderr"], "propagate": False},
    },
}
