"""Parts of the site's own: objects that settings name by ``package.module:object``."""

import re
from collections.abc import Sequence
from importlib import import_module
from operator import attrgetter
from typing import Any, Final

from rag.core.chunks import Chunker, is_built_in
from rag.core.embeddings import ContextualEmbedder, Embedder, Profile
from rag.core.errors import InvalidOption
from rag.core.policies import POLICIES
from rag.core.retrievers import Retriever
from rag.core.text import is_printable

_PATH: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*:[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def is_path(name: str) -> bool:
    """Whether a setting names an object of a module and no part of the site."""
    return _PATH.fullmatch(name) is not None


def custom_embedder(path: str) -> Embedder | ContextualEmbedder:
    """The embedder of that path, which may be contextual. Raises InvalidOption."""
    found: Any = _part("profile", path, ("profile", "embed_query"))
    if not isinstance(found.profile, Profile):
        raise InvalidOption("profile", path, "its profile is no rag.core.embeddings.Profile")
    if not any(callable(getattr(found, n, None)) for n in ("embed_batch", "embed_document")):
        raise InvalidOption("profile", path, "it has neither embed_batch nor embed_document")
    embedder: Embedder | ContextualEmbedder = found
    return embedder


def custom_splitter(path: str) -> Chunker:
    """The splitter of that path. Its id is none of the site's. Raises InvalidOption."""
    found: Chunker = _part("chunking", path, ("id", "split"))
    _check_name("chunking", path, "id", found.id)
    if is_built_in(found.id):
        raise InvalidOption("chunking", path, f"its id {found.id!r} is that of a built-in policy")
    return found


def custom_retriever(path: str) -> Retriever:
    """The retriever of that path. Its name is none of the site's. Raises InvalidOption."""
    found: Retriever = _part("retriever", path, ("name", "retrieve"))
    _check_name("retriever", path, "name", found.name)
    if found.name in POLICIES:
        raise InvalidOption("retriever", path, f"its name {found.name!r} is that of a policy")
    return found


def _check_name(setting: str, path: str, attribute: str, name: object) -> None:
    if not isinstance(name, str) or not is_printable(name) or not 0 < len(name.strip()) <= 100:
        raise InvalidOption(setting, path, f"its {attribute} has no 1 to 100 printable characters")


def _part(setting: str, path: str, needs: Sequence[str]) -> Any:
    """The object, or what it gives when it is a class or a function without arguments."""
    if not is_path(path):
        raise InvalidOption(setting, path, "use package.module:object")
    module, _, name = path.partition(":")
    try:
        found = attrgetter(name)(import_module(module))
        if isinstance(found, type) or not all(hasattr(found, need) for need in needs):
            found = found() if callable(found) else found
        missing = [need for need in needs if not hasattr(found, need)]
    except Exception as error:  # code of the site's own may raise anything
        cause = f"{type(error).__name__}: {error}".split("\n")[0]
        raise InvalidOption(setting, path, f"it cannot be loaded ({cause})") from error
    if missing:
        raise InvalidOption(setting, path, f"it has no {' and no '.join(missing)}")
    return found
