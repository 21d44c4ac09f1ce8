"""A splitter: one chunk for each paragraph, whatever its length."""

import re

from rag.core.chunks import Chunk, chunks_at
from rag.core.text import body_start

PARAGRAPH = re.compile(r"\S.*?(?=\n\s*\n|\s*\Z)", re.DOTALL)


class Paragraphs:
    """EVIDENCE_CHUNKING=examples.parts.splitter:Paragraphs"""

    id = "paragraphs-v1"

    def split(self, text: str, title: str) -> tuple[Chunk, ...]:
        found = PARAGRAPH.finditer(text, body_start(text))
        return chunks_at(text, title, (paragraph.span() for paragraph in found))
