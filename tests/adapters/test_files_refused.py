"""Which files an import refuses before it reads them, wherever they stand."""

import os
import socket
from pathlib import Path

import pytest

from rag.adapters.files import MAX_BYTES, source_id
from tests.adapters.found_files import find, refusals, taken, write


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
