"""What is read in a file that was found: its text, its encoding and its front matter."""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from rag.adapters.files import MAX_BYTES, load
from rag.core.errors import InvalidFile
from tests.adapters.found_files import find, loaded, reason, write

BILLION_LAUGHS = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


def test_loaded_file_has_text_encoding_and_the_digest_of_its_bytes(tmp_path: Path) -> None:
    data = "\ufeffÜber\r\n".encode()
    file = loaded(tmp_path / "a.md", data)
    assert (file.text, file.encoding) == ("Über\n", "utf-8-sig")
    assert file.sha256 == hashlib.sha256(data).hexdigest()
    assert file.front == {}


def test_operator_names_the_encoding_of_old_files(tmp_path: Path) -> None:
    assert loaded(tmp_path / "a.txt", b"\x93Caf\xe9\x94", "cp1252").text == "“Café”"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"caf\xe9 rules", "utf-8"),
        (b"a\0b", "NUL"),
        (b"", "no text"),
        (b"\xef\xbb\xbf", "no text"),
        (b"\xff\xfe", "no text"),
        (b" \r\n\t", "no text"),
        (b"---\ntitle: a\n---\n\n", "no text"),
    ],
)
def test_file_without_readable_text_is_refused(
    tmp_path: Path, content: bytes, expected: str
) -> None:
    assert expected in reason(tmp_path / "a.md", content)


@pytest.mark.parametrize(
    ("swap", "expected"),
    [
        (lambda path: path.symlink_to("/etc/hostname"), "cannot be read"),
        (os.mkfifo, "not a regular file"),
        (lambda path: path.mkdir(), "Is a directory"),
        (lambda path: write(path, b"x" * (MAX_BYTES + 1)), "larger than 2 MB"),
        (lambda path: None, "does not exist"),
    ],
)
def test_file_exchanged_after_it_was_found_is_refused(
    tmp_path: Path, swap: Callable[[Path], object], expected: str
) -> None:
    [found] = find(write(tmp_path / "a.md")).files
    found.path.unlink()
    swap(found.path)
    with pytest.raises(InvalidFile, match=expected):
        load(found)


def test_front_matter_gives_values_as_they_are_written(tmp_path: Path) -> None:
    front = "id: hr/leave\nvalid_from: 2026-01-01\nversion: 1.10\non: yes\ntags: [a, b]\n"
    file = loaded(tmp_path / "a.md", f"---\n{front}---\nSixteen weeks.\n")
    assert file.front == {
        "id": "hr/leave",
        "valid_from": "2026-01-01",
        "version": "1.10",
        "on": "yes",
        "tags": ["a", "b"],
    }


@pytest.mark.parametrize("front", ["", "\n", "# only a comment\n"])
def test_empty_front_matter_is_none(tmp_path: Path, front: str) -> None:
    assert loaded(tmp_path / "a.md", f"---\n{front}---\nText.\n").front == {}


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("title: a\nowner: b: c\n", "line 3: mapping values are not allowed here"),
        ("title: <%= partial 'x' %>\nb: {{ page.title }}\n", "line 3: found unhashable key"),
        ("just words\n", "not a list of keys and values"),
        ("- a\n- b\n", "not a list of keys and values"),
        (BILLION_LAUGHS, "line 2: anchors, aliases and tags are not allowed"),
        ("a: *b\n", "line 2: anchors, aliases and tags are not allowed"),
        ("a: !!python/name:os.system\n", "tags are not allowed"),
        ("title: a\ntitle: b\n", "a key stands twice"),
        ("a: \x07\n", "unacceptable character"),
        ("a: " + "[" * 20_000 + "\n", "nested too deeply"),
        ("a: " + "x" * 65_536 + "\n", "larger than 64 KB"),
    ],
)
def test_front_matter_that_is_not_plain_yaml_is_refused(
    tmp_path: Path, front: str, expected: str
) -> None:
    assert expected in reason(tmp_path / "a.md", f"---\n{front}---\nText.\n")


def test_liquid_and_erb_in_the_text_are_text(tmp_path: Path) -> None:
    text = "---\ntitle: a\n---\n{% include x %} <%= y %>\n"
    assert loaded(tmp_path / "a.md", text).text == text
