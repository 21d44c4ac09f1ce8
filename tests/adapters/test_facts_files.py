"""Product facts in a file: their order, their writing, and the files that hold none."""

from datetime import date
from pathlib import Path

import pytest

from rag.adapters.files import FoundFile, is_facts
from rag.core.facts import Fact, product_facts
from tests.adapters.found_files import loaded, reason

TOML = """
id = "gx"
valid_from = 2026-01-01
[products.GX-200]
pressure = "16 bar"
ratio = 1.50
[products.GX-100]
weight_kg = 12
certified = true
since = 2020-05-01
"""
JSON = """{"id": "gx", "valid_from": "2026-01-01", "products": {
    "GX-200": {"pressure": "16 bar", "ratio": 1.50},
    "GX-100": {"weight_kg": 12, "certified": true, "since": "2020-05-01"}}}"""


@pytest.mark.parametrize(("name", "content"), [("gx.toml", TOML), ("gx.facts.json", JSON)])
def test_facts_are_ordered_and_shown_as_they_are_written(
    tmp_path: Path, name: str, content: str
) -> None:
    assert product_facts(loaded(tmp_path / name, content).text) == (
        Fact("GX-100", "certified", "true"),
        Fact("GX-100", "since", "2020-05-01"),
        Fact("GX-100", "weight_kg", "12"),
        Fact("GX-200", "pressure", "16 bar"),
        Fact("GX-200", "ratio", "1.50"),
    )


def test_other_keys_of_a_facts_file_are_its_front_matter(tmp_path: Path) -> None:
    file = loaded(tmp_path / "gx.toml", TOML)
    assert file.front == {"id": "gx", "valid_from": date(2026, 1, 1)}
    assert file.text == TOML


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.toml", "", "no text"),
        ("a.json", " ", "no text"),
        ("a.toml", "id = ", "not TOML"),
        ("a.json", '{"id": }', "not JSON"),
        ("a.json", "[]", "not a table"),
        ("a.json", '"text"', "not a table"),
        ("a.toml", "scope = 'hr'", "'scope' is none of products, id"),
        ("a.toml", "[products.a]\nx = nan", "nan is not a number"),
        ("a.json", '{"products": {"a": {"x": -Infinity}}}', "-Infinity is not a number"),
        ("a.json", '{"products": {"a": {"x": "1", "x": "2"}}}', "a key stands twice"),
        ("a.toml", "[products.a]\n[products.a]", "not TOML"),
        ("a.json", "[" * 100_000, "nested too deeply"),
        ("a.toml", "a." * 300 + "b = 1", "more than 200 dots"),
    ],
)
def test_facts_file_of_another_form_is_refused(
    tmp_path: Path, name: str, content: str, expected: str
) -> None:
    assert expected in reason(tmp_path / name, content)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('{"id": "gx"}', "no table named products"),
        ('{"products": {}}', "no table named products"),
        ('{"products": ["GX-1"]}', "no table named products"),
        ('{"products": {"GX-1": {}}}', "'GX-1' has no facts"),
        ('{"products": {"GX-1": "16 bar"}}', "'GX-1' has no facts"),
        ('{"products": {" ": {"a": 1}}}', "' ' has no facts"),
        ('{"products": {"GX-1": {"a": [1]}}}', "'a' is not a single value"),
        ('{"products": {"GX-1": {"a": null}}}', "'a' is not a single value"),
        ('{"products": {"GX-1": {"a": " "}}}', "'a' is not a single value"),
        ('{"products": {"GX-1": {"": 1}}}', "'' is not a single value"),
    ],
)
def test_facts_of_another_shape_are_refused(tmp_path: Path, content: str, expected: str) -> None:
    assert expected in reason(tmp_path / "gx.json", content)


def test_found_file_of_a_text_is_no_facts_file() -> None:
    assert not is_facts(FoundFile(Path("/a/toml.md"), "toml.md", None))
