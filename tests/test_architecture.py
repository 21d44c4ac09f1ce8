"""The arrows of the design hold: who imports whom, and what the core may not touch."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parent.parent

# Inside rag/core a file imports only files above it.
CORE_ORDER = (
    "errors",
    "roles",
    "blocks",
    "headings",
    "text",
    "paths",
    "unseen",
    "alignment",
    "differences",
    "sources",
    "metadata",
    "facts",
    "sections",
    "chunks",
    "pieces",
    "embeddings",
    "arabic",
    "stopwords_other",
    "stopwords_snowball",
    "stopwords",
    "lexical",
    "postings",
    "matches",
    "value_words",
    "product_questions",
    "snippets",
    "ordering",
    "quantised",
    "slices",
    "vectors",
    "rows",
    "index",
    "surroundings",
    "rerank",
    "policies",
    "retrievers",
    "retrieval",
    "hits",
    "answerability",
    "calibration",
    "answers",
    "conflicts",
    "citations",
    "refusals",
    "extractive",
    "chat",
    "prompts",
    "replies",
    "dialogue",
    "packets",
    "cases",
    "evaluation",
    "diagnostics",
    "__init__",  # the package's exports
)
CORE_THIRD_PARTY = {"numpy", "snowballstemmer", "typing_extensions"}  # the last for types only
# Files, network, processes and the clock reach the core as arguments.
CORE_FORBIDDEN = {
    *("os", "pathlib", "io", "glob", "shutil", "tempfile", "sqlite3"),
    *("socket", "ssl", "http", "urllib", "subprocess", "time"),
}
CLOCK_METHODS = {"now", "utcnow", "today"}

# What each part of rag may import of rag, besides itself.
_SITE = {"core", "adapters", "models", "queries", "actions"}
ARROWS: dict[str, set[str]] = {
    "__init__": set(),
    "apps": {"actions"},
    "core": set(),
    "adapters": {"core"},
    "models": {"core"},
    "migrations": {"core", "models"},
    "queries": {"core", "models"},
    "actions": {"core", "adapters", "models", "queries"},
    "admin": {*_SITE, "web"},
    "web": _SITE,
    "mcp": _SITE,
    "management": _SITE,
}


def module_of(path: Path) -> str:
    """The dotted name of a file, with ``__init__`` kept as the last part."""
    return ".".join(path.relative_to(PROJECT).with_suffix("").parts)


def imports(tree: ast.AST, module: str) -> Iterator[str]:
    """Every imported name, absolute and with what is taken from it: ``rag.core.text.fold``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = module.split(".")[: -node.level] if node.level else []
            parts = [*base, *filter(None, [node.module])]
            yield from (".".join([*parts, alias.name]) for alias in node.names)


def part(module: str, level: int) -> str:
    """The module's name at a level; a package's own ``__init__`` counts as that package."""
    parts = module.split(".")
    return parts[level] if len(parts) > level else "__init__"


def import_faults(module: str, tree: ast.AST) -> Iterator[str]:
    """Imports that go against the arrows."""
    own = part(module, 1)
    if own not in ARROWS:
        yield f"{module} has no place in ARROWS"
        return
    for name in imports(tree, module):
        inside = part(name, 0) == "rag"
        if inside and part(name, 1) not in {own, *ARROWS[own]}:
            yield f"{module} imports {name}"
        if own == "core":
            yield from core_import_faults(module, name, inside)


def core_import_faults(module: str, name: str, inside: bool) -> Iterator[str]:
    """Imports of a core file that reach downwards or outside."""
    top = part(name, 0)
    if inside:
        file, target = part(module, 2), part(name, 2)
        known = file in CORE_ORDER and target in CORE_ORDER
        if file != target and not (known and CORE_ORDER.index(target) < CORE_ORDER.index(file)):
            yield f"{module} imports {name}, which is not above it"
    elif top in CORE_FORBIDDEN or top not in {*sys.stdlib_module_names, *CORE_THIRD_PARTY}:
        yield f"{module} imports {name}"


def core_call_faults(module: str, tree: ast.AST) -> Iterator[str]:
    """Calls in a core file that open a file or read the clock."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id == "open":
            yield f"{module}:{node.lineno} opens a file"
        if isinstance(node.func, ast.Attribute) and node.func.attr in CLOCK_METHODS:
            yield f"{module}:{node.lineno} reads the clock"


def faults(module: str, source: str) -> list[str]:
    """Everything in a file of rag that the design forbids."""
    tree = ast.parse(source)
    found = list(import_faults(module, tree))
    if part(module, 1) == "core":
        found += core_call_faults(module, tree)
        if part(module, 2) not in CORE_ORDER:
            found.append(f"{module} has no place in CORE_ORDER")
    return found


FILES = sorted((PROJECT / "rag").rglob("*.py"))


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_file_keeps_to_the_design(path: Path) -> None:
    assert faults(module_of(path), path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("rag.core.text", "from rag.core.chunks import Chunk"),
        ("rag.core.text", "from rag.core import chunks"),
        ("rag.core.text", "from . import chunks"),
        ("rag.core.text", "from .chunks import Chunk"),
        ("rag.core.text", "from rag.core import Chunk"),
        ("rag.core.text", "from rag import models"),
        ("rag.core.text", "import rag.models"),
        ("rag.core.text", "import django"),
        ("rag.core.text", "def late():\n    import os.path"),
        ("rag.core.text", "from urllib.parse import quote"),
        ("rag.core.text", "open('notes.txt')"),
        ("rag.core.text", "import datetime\ndatetime.datetime.now()"),
        ("rag.core.text", "from datetime import date\ndate.today()"),
        ("rag.core.text", "import time\ntime.time()"),
        ("rag.core.novelty", ""),
        ("rag.novelty", ""),
        ("rag.adapters.http", "from rag.models import Source"),
        ("rag.models", "from rag.queries import eligible"),
        ("rag.queries", "import rag.adapters.bundled"),
        ("rag.actions", "from rag.web.presenters import hit"),
        ("rag.actions", "from rag.management.commands import rebuild"),
        ("rag.web.views", "from rag.management.commands import rebuild"),
        ("rag.management.commands.rebuild", "from ...web import views"),
    ],
)
def test_breach_is_found(module: str, source: str) -> None:
    assert faults(module, source)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("rag.core.chunks", "import re\nimport numpy as np\nfrom rag.core.text import fold"),
        ("rag.core.__init__", "from rag.core.chunks import Chunk"),
        ("rag.adapters.files", "from pathlib import Path\nopen(Path('a'))"),
        ("rag.queries", "import django\nfrom rag.core import index\nfrom rag.models import Chunk"),
        ("rag.management.commands.rebuild", "from rag.actions import rebuild"),
        ("rag.web.views", "from . import forms"),
    ],
)
def test_allowed_import_passes(module: str, source: str) -> None:
    assert faults(module, source) == []
