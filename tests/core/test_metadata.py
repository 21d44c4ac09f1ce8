"""What a file says of itself."""

from datetime import date
from typing import Any

import pytest

from rag.core.errors import InvalidText, InvalidWindow
from rag.core.metadata import Described, Overrides, described
from rag.core.sources import Status


def describe(text: str = "text", stem: str = "stem", **front: Any) -> Described:
    return described(front, Overrides(), text, stem)


@pytest.mark.parametrize(
    ("front", "text", "title"),
    [
        ({"title": "Given"}, "# Heading", "Given"),
        ({}, "intro\n\n## Heading ##\n\ntext", "Heading"),
        ({}, "---\ntitle:\n# no heading\n---\n# Heading", "Heading"),
        ({}, "no heading", "stem"),
        ({"title": " \n two words \n"}, "", "two words"),
    ],
)
def test_a_title_is_the_front_matter_s_a_heading_or_the_stem(
    front: dict[str, str], text: str, title: str
) -> None:
    assert describe(text, **front).title == title


def test_a_file_that_says_nothing_is_current_and_canonical() -> None:
    about = describe()
    assert (about.status, about.canonical, about.version, about.source_id) == (
        Status.CURRENT,
        True,
        "",
        "",
    )
    assert (about.valid_from, about.valid_until, about.attributes) == (None, None, frozenset())


@pytest.mark.parametrize("value", ["2026-02-01", date(2026, 2, 1)])
def test_a_window_is_read(value: object) -> None:
    about = describe(valid_from=value, valid_until="2026-03-01")
    assert (about.valid_from, about.valid_until) == (date(2026, 2, 1), date(2026, 3, 1))


@pytest.mark.parametrize(
    ("front", "reason"),
    [
        ({"valid_from": "1.2.2026"}, "valid_from '1.2.2026' is no day"),
        ({"valid_until": "2026-02-30"}, "valid_until '2026-02-30' is no day"),
        ({"status": "approved"}, "status 'approved' is unknown; use current, superseded"),
        ({"canonical": "perhaps"}, "canonical 'perhaps' must be true or false"),
        ({"id": "x" * 501}, "id must be one line of at most 500 printable characters"),
        ({"product": "x" * 101}, "product must be one line of at most 100 printable characters"),
        ({"owner": "x" * 201}, "owner must be one line of at most 200 printable characters"),
        ({"language": "x" * 21}, "language must be one line of at most 20 printable characters"),
        ({"title": ["a"]}, "title must be one value, not list"),
        ({"title": "a\x00b"}, "title must be one line of at most 500 printable characters"),
        ({"title": "two \n words"}, "title must be one line of at most 500 printable characters"),
        ({"id": "a\nb"}, "id must be one line of at most 500 printable characters"),
    ],
)
def test_an_unusable_key_is_named(front: dict[str, Any], reason: str) -> None:
    with pytest.raises(InvalidText, match=f"^{reason}"):
        describe(**front)


@pytest.mark.parametrize("identifier", ["C#-guide", "a,b", "a#1, b"])
def test_an_id_may_have_odd_characters(identifier: str) -> None:
    assert describe(id=identifier).source_id == identifier


@pytest.mark.parametrize(
    ("overrides", "reason"),
    [
        (Overrides(version="1\n2"), "version must be one line of at most 500"),
        (Overrides(version="v" * 501), "version must be one line of at most 500"),
        (Overrides(product="a\tb"), "product must be one line of at most 100"),
        (Overrides(product="x" * 101), "product must be one line of at most 100"),
    ],
)
def test_what_the_operator_says_is_checked_alike(overrides: Overrides, reason: str) -> None:
    with pytest.raises(InvalidText, match=f"^{reason} printable characters$"):
        described({"version": "1", "product": "A"}, overrides, "text", "stem")


def test_a_reversed_window_is_refused() -> None:
    with pytest.raises(InvalidWindow):
        describe(valid_from="2026-02-02", valid_until="2026-02-01")


def test_other_keys_become_attributes_to_filter_by() -> None:
    about = describe(team=["x", "y"], public=True, since=date(2026, 1, 1), nested={"a": "b"}, no="")
    assert about.attributes == {
        ("team", "x"),
        ("team", "y"),
        ("public", "true"),
        ("since", "2026-01-01"),
    }


def test_what_has_a_meaning_is_no_attribute() -> None:
    assert (
        describe(id="a", version="1", owner="Finance", language="DE-at").attributes == frozenset()
    )
    assert describe(language="DE-at").language == "de"


def test_the_operator_goes_before_the_file() -> None:
    front = {"version": "1", "status": "historical", "valid_from": "2025-01-01", "product": "A"}
    day = date(2026, 1, 1)
    overrides = Overrides("2", Status.CURRENT, day, date(2026, 2, 1), "B")
    about = described(front, overrides, "text", "stem")
    assert (about.version, about.status, about.product) == ("2", Status.CURRENT, "B")
    assert (about.valid_from, about.valid_until) == (day, date(2026, 2, 1))
    assert described(front, Overrides(), "text", "stem").version == "1"


def test_a_window_reversed_by_an_override_is_refused() -> None:
    with pytest.raises(InvalidWindow):
        described({"valid_from": "2026-02-01"}, Overrides(valid_until=date(2026, 1, 1)), "t", "s")
