"""Which files an import takes, once each, and the ids that they get."""

from pathlib import Path

import pytest

from rag.adapters.files import is_facts, load, source_id
from rag.core.errors import InvalidFile
from tests.adapters.found_files import find, refusals, taken, write


def test_folder_gives_its_texts_in_ordinal_order(tmp_path: Path) -> None:
    for name in ("b.md", "a.txt", "B.md", "sub/z.MD", "é.md"):
        write(tmp_path / "hr" / name)
    finding = find(tmp_path / "hr")
    assert taken(finding) == ["B.md", "a.txt", "b.md", "sub/z.MD", "é.md"]
    assert finding.refused == ()


def test_other_suffixes_in_a_folder_are_listed_as_skipped(tmp_path: Path) -> None:
    names = ("LICENSE", "c.toml", "d.json", "e.facts.yaml", "sub/b.pdf")
    for name in ("a.md", *names):
        write(tmp_path / "in" / name)
    finding = find(tmp_path / "in")
    assert taken(finding) == ["a.md"]
    assert finding.skipped == tuple(f"in/{name}" for name in names)


def test_a_file_is_shown_with_the_folder_that_was_given(tmp_path: Path) -> None:
    path = write(tmp_path / "top" / "in" / "sub" / "a.md")
    ways = {tmp_path / "top" / "in": "in/sub/a.md", path.parent: "sub/a.md", path: "a.md"}
    for given, shown in ways.items():
        [found] = find(given, prefix="other").files
        assert found.shown == shown


@pytest.mark.parametrize("folder", ["in", ""])
def test_a_file_refused_on_loading_is_shown_alike(tmp_path: Path, folder: str) -> None:
    path = write(tmp_path / "in" / "sub" / "a.md", b"\0")
    [found] = find(tmp_path / folder if folder else path).files
    with pytest.raises(InvalidFile) as caught:
        load(found)
    assert caught.value.path == ("in/sub/a.md" if folder else "a.md")


def test_equal_names_in_two_folders_are_told_apart(tmp_path: Path) -> None:
    folders = [write(tmp_path / name / "a.pdf").parent for name in ("one", "two")]
    for folder in folders:
        write(folder / ".b.md")
    finding = find(*folders)
    assert finding.skipped == ("one/a.pdf", "two/a.pdf")
    assert refusals(finding) == dict.fromkeys(("one/.b.md", "two/.b.md"), "it is hidden")


@pytest.mark.parametrize("name", ["report.pdf", "LICENSE", "page.html"])
def test_other_suffix_given_by_name_is_refused(tmp_path: Path, name: str) -> None:
    assert "only .md, .txt" in refusals(find(write(tmp_path / name)))[name]


@pytest.mark.parametrize("name", ["gx.facts.toml", "gx.facts.json", "GX.Facts.TOML"])
def test_product_facts_in_a_folder_are_found_by_their_name(tmp_path: Path, name: str) -> None:
    write(tmp_path / name)
    [found] = find(tmp_path).files
    assert is_facts(found)


@pytest.mark.parametrize("name", ["products.toml", "products.json"])
def test_product_facts_given_by_name_need_only_the_suffix(tmp_path: Path, name: str) -> None:
    [found] = find(write(tmp_path / name)).files
    assert is_facts(found)


@pytest.mark.parametrize(
    ("name", "prefix", "expected"),
    [
        ("leave.md", None, "handbook/leave"),
        ("sub/v1.2.txt", None, "handbook/sub/v1.2"),
        ("leave.md", "acme", "acme/leave"),
        ("leave.md", "acme/2026", "acme/2026/leave"),
        ("leave.md", "", "leave"),
        ("gx.facts.toml", None, "handbook/gx"),
        ("gx.facts.JSON", None, "handbook/gx"),
        ("leave.md.txt", None, "handbook/leave.md"),
    ],
)
def test_id_of_a_file_in_a_folder(
    tmp_path: Path, name: str, prefix: str | None, expected: str
) -> None:
    write(tmp_path / "handbook" / name)
    assert [source_id(found) for found in find(tmp_path / "handbook", prefix=prefix).files] == [
        expected
    ]


@pytest.mark.parametrize(
    ("name", "prefix", "expected"),
    [
        ("leave.md", None, "leave"),
        ("leave.md", "acme", "acme/leave"),
        ("gx.toml", None, "gx"),
        ("gx.facts.json", "acme", "acme/gx"),
    ],
)
def test_id_of_a_file_given_by_name(
    tmp_path: Path, name: str, prefix: str | None, expected: str
) -> None:
    [found] = find(write(tmp_path / "sub" / name), prefix=prefix).files
    assert (found.relative, source_id(found)) == (name, expected)


def test_current_folder_goes_by_its_real_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "handbook" / "sub" / "leave.md")
    monkeypatch.chdir(tmp_path / "handbook" / "sub")
    assert [source_id(found) for found in find(Path()).files] == ["sub/leave"]
    assert [source_id(found) for found in find(Path("..")).files] == ["handbook/sub/leave"]


def test_what_is_given_twice_counts_once(tmp_path: Path) -> None:
    write(tmp_path / "hr" / "sub" / "a.md")
    write(tmp_path / "hr" / "b.pdf")
    ways = (tmp_path / "hr", tmp_path / "hr" / ".." / "hr", tmp_path / "hr" / "sub" / "a.md")
    finding = find(*ways)
    assert taken(finding) == ["sub/a.md"]
    assert finding.skipped == ("hr/b.pdf",)


def test_folder_reached_through_a_linked_parent_counts_once(tmp_path: Path) -> None:
    write(tmp_path / "real" / "hr" / "a.md")
    (tmp_path / "link").symlink_to("real")
    assert taken(find(tmp_path / "real" / "hr", tmp_path / "link" / "hr")) == ["a.md"]
