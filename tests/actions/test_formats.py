"""How a source is shown, Markdown or plain, follows from the suffix of its file."""

from pathlib import Path

import pytest

from rag.models import Revision
from tests import factories

pytestmark = pytest.mark.django_db
RULE = "Every journey is agreed beforehand."


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("rule.md", RULE, "md"),
        ("RULE.MD", RULE, "md"),
        ("rule.txt", RULE, "txt"),
        ("gx.facts.toml", "[products.GX]\nbar = 16", "txt"),
        ("gx.json", '{"products": {"GX": {"bar": 16}}}', "txt"),
    ],
)
def test_the_suffix_decides(tmp_path: Path, name: str, text: str, expected: str) -> None:
    report = factories.import_files(factories.write(tmp_path, name, text))
    assert report.refused == []
    assert Revision.objects.get().format == expected


def test_another_suffix_of_the_same_text_is_noted(tmp_path: Path) -> None:
    for name in ("rule.txt", "rule.md"):
        report = factories.import_files(factories.write(tmp_path, name, RULE))
    assert report.unchanged == ["rule"]
    assert [note["note"] for note in report.notes] == [
        "the text is unchanged, so its new format needs a new version to count"
    ]
    assert Revision.objects.get().format == "txt"
