"""The text of a revision in its two parts, as pages show it."""

from rag.core.text import body_start
from rag.models import Revision


def front_and_body(revision: Revision) -> tuple[str, str]:
    """Its front matter and what follows; product facts are all body."""
    is_text = revision.kind == Revision.Kind.TEXT
    start = body_start(revision.text) if is_text else 0
    return revision.text[:start], revision.text[start:]
