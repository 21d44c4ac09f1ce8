"""A folder of everything that an import refuses, and a site that imported it."""

import codecs
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tests.commands.command_line import IMPORT, RULE, front, write
from tests.sites.site import Result, Site

NO_TEXT: Final = "there is no text in it"
CREDENTIAL: Final = "its name is that of a credential file"

# Name → content, and what its refusal says. They are all imported together.
BAD_FILES: Final[dict[str, tuple[bytes, str]]] = {
    "empty.md": (b"", NO_TEXT),
    "only-bom.md": (codecs.BOM_UTF8, NO_TEXT),
    "only-front-matter.md": (b"---\nid: X\n---\n", NO_TEXT),
    "only-space.txt": (b" \n\t\n", NO_TEXT),
    "zero-width.md": ("\u200b\u200d\n".encode(), "there is nothing to read in it"),
    "empty-fence.md": (b"```\n```\n", "there is nothing to read in it"),
    "punctuation.txt": ("… — !?\n".encode(), "there is nothing to read in it"),
    "utf16-unmarked.txt": (RULE.encode("utf-16-le"), "give --encoding utf-16-le"),
    "utf32.txt": (RULE.encode("utf-32"), "give --encoding utf-32-le"),
    "cp1252.txt": ("Café".encode("cp1252"), "(at byte 3); give --encoding with the right name"),
    "nul.txt": (b"A rule\0 of the house.", "contains NUL characters"),
    "three-megabytes.txt": (b"a rule " * 450_000, "it is larger than 2 MB"),
    ".env": (b"KEY=1", CREDENTIAL),
    ".env.local": (b"KEY=1", CREDENTIAL),
    "id_rsa": (b"key", CREDENTIAL),
    "server.pem": (b"key", CREDENTIAL),
    "credentials.json": (b"{}", CREDENTIAL),
    "secrets.toml": (b"a = 1", CREDENTIAL),
    ".hidden.md": (RULE.encode(), "it is hidden"),
    "reversed.md": (
        front(valid_from="2026-05-01", valid_until="2026-01-01"),
        "reversed: it ends on 2026-01-01 but begins on 2026-05-01",
    ),
    "status.md": (front(status="valid"), "'valid' is unknown; use current, superseded, historical"),
    "day.md": (front(valid_from="2026-13-01"), "valid_from '2026-13-01' is no day such as"),
    "canonical.md": (front(canonical="perhaps"), "canonical 'perhaps' must be true or false"),
    "not-yaml.md": (front(id="[a"), "its front matter is not YAML, line"),
    "two-lines.md": (front(title='"a\\nb"'), "title must be one line of at most 500 printable"),
    "line-in-id.md": (front(id='"a\\Lb"'), r"id must be one line of at most 500 printable"),
    "of-hr.md": (front(id="PAY"), "the id 'PAY' belongs to another scope, 'hr'"),
    "other-text.md": (front(id="HOUSE", version='"1"'), "'HOUSE' exists with another text"),
    "same-2.md": (front(id="SAME") + b"Two.", "the id 'SAME' is that of 'files/same-1.md'"),
    "no-products.facts.toml": (b'id = "F"\n', "it has no table named products"),
    "self-approved.facts.toml": (b"approved = true\n[products.A]\nb = 1\n", "'approved' is none"),
    "twice.facts.json": (b'{"products": {"A": {"b": 1, "b": 2}}}', "it is not JSON: a key stands"),
}
ODD_FILES: Final = {
    "link.md": "a symbolic link is not followed",
    "linked": "a symbolic link is not followed",
    "pipe.md": "it is not a regular file",
    ".folder": "hidden folders are not read",
}
GOOD_FILES: Final = {
    "password-requirements.md": RULE.encode(),
    "utf16-marked.txt": RULE.encode("utf-16"),
    "utf8-marked.txt": codecs.BOM_UTF8 + RULE.encode(),
    "same-1.md": front(id="SAME") + b"One.",
    "C#-guide, new.md": RULE.encode(),
    "sub/deep.md": RULE.encode(),
}


def fill(folder: Path) -> Path:
    """A folder with everything that is refused and something that is not."""
    for name, (content, _) in BAD_FILES.items():
        write(folder / name, content)
    for name, content in GOOD_FILES.items():
        write(folder / name, content)
    write(folder / ".folder" / "inside.md", RULE)
    write(folder / "manual.pdf", b"%PDF")
    (folder / "link.md").symlink_to(folder / "sub" / "deep.md")
    (folder / "linked").symlink_to(folder / "sub")
    os.mkfifo(folder / "pipe.md")
    return folder


@dataclass(frozen=True)
class Imported:
    """A site that held PAY (hr) and HOUSE (public) before the folder was imported, twice over."""

    site: Site
    result: Result
    after: list[Result]

    @property
    def report(self) -> dict[str, Any]:
        return dict(self.result.json)


def import_folder(site: Site, parent: Path) -> Imported:
    """Import PAY and HOUSE, then the folder, and see what is found before and after a rebuild."""
    folder = fill(parent / "files")
    house = write(parent / "house.md", front(id="HOUSE", version='"1"') + b"No smoking.")
    pay = write(parent / "pay.md", front(id="PAY") + b"Pay is reviewed in April.")
    *before, result = site.run_all(
        [
            ["import_sources", str(house), *IMPORT, "--approve"],
            ["import_sources", str(pay), "--scope", "hr", "--actor", "ada", "--approve"],
            ["rebuild"],
            ["import_sources", str(folder), str(folder / "sub"), str(folder), *IMPORT, "--json"],
        ]
    )
    assert [step.returncode for step in before] == [0, 0, 0]
    searches = [["search", "smoking pay rule", "--scopes", s, "--json"] for s in ("public", "hr")]
    after = site.run_all([*searches, ["rebuild", "--json"], *searches])
    return Imported(site, result, after)
