"""The headings that a slice of a text stands under."""

from pathlib import Path
from typing import Final

import pytest

from rag.core.chunks import Sections
from rag.core.paths import SEPARATOR, path_at

TEXT: Final = """---
title: Travel
---
Before it.

# Travel

Short.

## Meals ##

Up to 52.

### Abroad

Up to 70.

Hotels
------

Up to 120.

```
# no heading
```

After the code.
"""
CORPUS: Final = sorted(Path("examples/corpus").rglob("*.md"))


def path_of(words: str) -> str:
    start = TEXT.index(words)
    return SEPARATOR.join(path_at(TEXT, start, start + len(words)))


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("Before it.", ""),
        ("Short.", "Travel"),
        ("Up to 52.", "Travel › Meals"),
        ("Up to 70.", "Travel › Meals › Abroad"),
        ("Up to 120.", "Travel › Hotels"),
        ("After the code.", "Travel › Hotels"),
    ],
)
def test_a_passage_stands_under_the_headings_above_it(words: str, path: str) -> None:
    assert path_of(words) == path


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("## Meals ##", "Travel › Meals"),
        ("Meals", "Travel › Meals"),
        ("Hotels", "Travel › Hotels"),
        ("Hotels\n------\n\nUp", "Travel › Hotels"),
    ],
)
def test_a_heading_stands_under_itself(words: str, path: str) -> None:
    assert path_of(words) == path


@pytest.mark.parametrize(
    ("words", "path"),
    [
        ("Up to 52.\n\n### Abroad\n\nUp to 70.", "Travel › Meals"),
        ("70.\n\nHotels", "Travel"),
        ("52.\n\n### Abroad\n\nUp to 70.\n\nHotels", "Travel"),
        ("it.\n\n# Travel\n\nShort.", ""),
    ],
)
def test_a_slice_of_several_sections_has_what_their_paths_have_in_common(
    words: str, path: str
) -> None:
    assert path_of(words) == path


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_paths_of_sentences_go_on_from_the_path_of_their_chunk(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    for chunk in Sections().split(text, "title"):
        path = SEPARATOR.join(path_at(text, chunk.end_char - 1, chunk.end_char))
        assert path.startswith(chunk.section)
