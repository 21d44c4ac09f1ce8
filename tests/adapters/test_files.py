"""Which files an import takes, and what it reads in them; with real files in a real folder."""

import hashlib
import os
import socket
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from rag.adapters.files import (
    MAX_BYTES,
    Finding,
    FoundFile,
    LoadedFile,
    find_files,
    is_facts,
    load,
    source_id,
)
from rag.core.errors import InvalidFile
from rag.core.facts import Fact, product_facts

BILLION_LAUGHS = "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n"


def write(path: Path, content: str | bytes = "Some rule.\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def find(*paths: Path, prefix: str | None = None) -> Finding:
    return find_files(paths, prefix)


def taken(finding: Finding) -> list[str]:
    return [found.relative for found in finding.files]


def refusals(finding: Finding) -> dict[str, str]:
    return {refusal.path: refusal.reason for refusal in finding.refused}


def loaded(path: Path, content: str | bytes, encoding: str | None = None) -> LoadedFile:
    [found] = find(write(path, content)).files
    return load(found, encoding)


def reason(path: Path, content: str | bytes) -> str:
    with pytest.raises(InvalidFile) as caught:
        loaded(path, content)
    assert caught.value.path == path.name
    return caught.value.reason


# ------------------------------------------------------------------ finding


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


def test_missing_path_is_refused(tmp_path: Path) -> None:
    missing, below = tmp_path / "gone.md", write(tmp_path / "a.md") / "b.md"
    assert refusals(find(missing, below)) == {
        str(missing): "it does not exist",
        str(below): "it does not exist",
    }


@pytest.mark.parametrize("given", ["a\0b.md", "x" * 300 + ".md"])
def test_impossible_path_is_refused(tmp_path: Path, given: str) -> None:
    [refusal] = find(tmp_path / given).refused
    assert "cannot be read" in refusal.reason


def test_hidden_files_and_folders_are_refused(tmp_path: Path) -> None:
    for name in (".draft.md", ".git/a.md", ".git/deep/b.md", "ok/.cache/c.md", "ok/d.md"):
        write(tmp_path / "in" / name)
    finding = find(tmp_path / "in")
    assert taken(finding) == ["ok/d.md"]
    assert refusals(finding) == {
        "in/.draft.md": "it is hidden",
        "in/.git": "hidden folders are not read",
        "in/ok/.cache": "hidden folders are not read",
    }


def test_hidden_file_given_by_name_is_refused(tmp_path: Path) -> None:
    assert refusals(find(write(tmp_path / ".draft.md"))) == {".draft.md": "it is hidden"}


@pytest.mark.parametrize("prefix", [None, "hr", ""])
def test_hidden_folder_given_by_name_is_refused(tmp_path: Path, prefix: str | None) -> None:
    folder = write(tmp_path / ".data" / "a.md").parent
    finding = find(folder, prefix=prefix)
    assert finding.files == ()
    assert refusals(finding) == {".data": "hidden folders are not read"}


def test_hidden_current_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path / ".data" / "a.md").parent)
    assert refusals(find(Path())) == {".data": "hidden folders are not read"}


def test_folder_below_a_hidden_one_may_be_given(tmp_path: Path) -> None:
    write(tmp_path / ".data" / "hr" / "a.md")
    assert taken(find(tmp_path / ".data" / "hr")) == ["a.md"]


@pytest.mark.parametrize(
    "name",
    [
        ".env", ".env.local", ".ENV.md", ".netrc", ".npmrc", "site.pem", "site.key", "site.p12",
        "site.pfx", "Vault.KDBX", "id_rsa", "id_rsa.txt", "id_ed25519.pub", "ID_RSA.md",
        "credentials", "credentials.json", "Credentials.JSON", "secrets.json", "secrets.toml",
        "secrets.yml", "secrets.yaml",
    ],
)  # fmt: skip
def test_credential_file_is_refused_in_a_folder_and_by_name(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "hr" / name)
    reason = "its name is that of a credential file"
    assert refusals(find(tmp_path / "hr")) == {f"hr/{name}": reason}
    assert refusals(find(path)) == {name: reason}


@pytest.mark.parametrize(
    "name",
    [
        "password-requirements.md", "credentials.md", "secrets.md", "secrets-management.txt",
        "key.md", "env.md", "rsa.md", "credentials/rotation.md", "secrets.facts.toml",
    ],
)  # fmt: skip
def test_policy_about_credentials_is_welcome(tmp_path: Path, name: str) -> None:
    write(tmp_path / name)
    assert taken(find(tmp_path)) == [name]


def test_symbolic_links_are_refused_wherever_they_stand(tmp_path: Path) -> None:
    target = write(tmp_path / "elsewhere" / "a.md")
    (tmp_path / "hr").mkdir()
    for name, to in (("file.md", target), ("folder", target.parent), ("broken.md", Path("no"))):
        (tmp_path / "hr" / name).symlink_to(to)
    (tmp_path / "link").symlink_to("hr")
    for given in (tmp_path / "hr", tmp_path / "hr" / "folder", tmp_path / "link"):
        finding = find(given)
        assert finding.files == ()
        assert set(refusals(finding).values()) == {"a symbolic link is not followed"}


def test_fifo_and_socket_are_refused_without_being_opened(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    os.mkfifo(folder / "fifo.md")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(folder / "socket.md"))
        finding = find(folder, folder / "fifo.md", Path("/dev/null"))
    assert refusals(finding) == dict.fromkeys(
        ("in/fifo.md", "in/socket.md", "null"), "it is not a regular file"
    )


@pytest.mark.parametrize(("size", "accepted"), [(MAX_BYTES, True), (MAX_BYTES + 1, False)])
def test_files_over_2_mb_are_refused(tmp_path: Path, size: int, accepted: bool) -> None:
    finding = find(write(tmp_path / "a.md", b"x" * size))
    assert bool(finding.files) is accepted
    assert refusals(finding) == ({} if accepted else {"a.md": "it is larger than 2 MB"})


@pytest.mark.parametrize(
    ("name", "shown", "fault"),
    [
        (b"caf\xe9", r"caf\udce9", "its name is not valid UTF-8"),
        (b"a\n[X#0] b", r"a\n[X#0] b", "its name has a control character"),
        ("a\u2028b".encode(), r"a\u2028b", "its name has a line separator"),
    ],
)
def test_name_that_cannot_be_an_id_is_refused(
    tmp_path: Path, name: bytes, shown: str, fault: str
) -> None:
    for folder in (tmp_path / "in", tmp_path / "in" / os.fsdecode(name)):
        write(folder / (os.fsdecode(name) + ".md"))
    finding = find(tmp_path / "in")
    assert finding.files == ()
    assert refusals(finding) == {f"'in/{shown}.md'": fault, f"'in/{shown}'": fault}


def test_folder_with_a_bad_name_needs_a_prefix(tmp_path: Path) -> None:
    folder = tmp_path / os.fsdecode(b"caf\xe9")
    write(folder / "a.md")
    assert list(refusals(find(folder))) == [r"'caf\udce9'"]
    assert [source_id(found) for found in find(folder, prefix="cafe").files] == ["cafe/a"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_unreadable_file_and_folder_are_refused(tmp_path: Path) -> None:
    write(tmp_path / "hr" / "a.md").chmod(0)
    write(tmp_path / "hr" / "sub" / "b.md").parent.chmod(0)
    assert refusals(find(tmp_path / "hr")) == {
        "hr/a.md": "it may not be read",
        "hr/sub": "it cannot be read (Permission denied)",
    }


# ------------------------------------------------------------------ loading


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


# ------------------------------------------------------------- product facts


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
