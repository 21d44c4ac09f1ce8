"""What an import makes of its files, and when what it brings takes effect."""

import codecs
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest

from rag.core.text import decode
from rag.models import Answer, ProductFact, Revision
from tests.commands.command_line import done, run, write

IMPORT: Final = ("--scope", "public", "--actor", "ada")
OLD: Final = "Trains are booked in second class by everybody.\n"
NEW: Final = "Trains are booked in first class by everybody.\n"

pytestmark = pytest.mark.usefixtures("people")


def take(path: Path, *options: str) -> dict[str, Any]:
    """Import what must be accepted whole."""
    return dict(done("import_sources", path, *IMPORT, *options))


def approved(path: Path, *options: str) -> dict[str, Any]:
    """Import, approve and index."""
    report = take(path, *options, "--approve")
    done("rebuild")
    return report


def shown(question: str = "trains class", scopes: str = "public", *options: str) -> list[str]:
    """Texts of the hits, best first."""
    found = done("search", question, "--scopes", scopes, "--mode", "lexical", *options)
    return [hit["text"] for hit in found["hits"]]


def front(body: str = OLD, **keys: str) -> str:
    return "---\n" + "".join(f"{key}: {value}\n" for key, value in keys.items()) + f"---\n{body}"


# ------------------------------------------------------------------ identity


@pytest.mark.parametrize(
    "again",
    [
        OLD,
        "\n\n" + OLD.replace(" ", "  ") + "\n",
        OLD.replace(" ", "\r\n"),
        OLD.replace(" ", "\r"),
        "\ufeff" + OLD,
        front(owner="Travel desk", language="fr"),
    ],
    ids=["same bytes", "more space", "CRLF", "CR", "byte order mark", "other metadata"],
)
def test_the_same_words_again_are_unchanged(tmp_path: Path, again: str) -> None:
    approved(write(tmp_path / "rail.md", OLD))
    assert take(write(tmp_path / "rail.md", again))["unchanged"] == ["rail"]
    assert Revision.objects.get().text == OLD


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_the_same_words_in_another_unicode_encoding_are_unchanged(
    tmp_path: Path, encoding: str
) -> None:
    take(write(tmp_path / "rail.md", OLD))
    assert take(write(tmp_path / "rail.md", OLD.encode(encoding)))["unchanged"] == ["rail"]


def test_metadata_of_an_unchanged_text_stays_as_it_was(tmp_path: Path) -> None:
    file = write(tmp_path / "rail.md", front(title="Rail", valid_from="2026-01-01"))
    approved(file)
    take(write(file, front(title="Planes", valid_from="2020-01-01", canonical="false")))
    revision = Revision.objects.get()
    assert (revision.title, revision.valid_from, revision.canonical) == (
        "Rail", date(2026, 1, 1), True,
    )  # fmt: skip


def test_a_changed_word_makes_a_second_revision(tmp_path: Path) -> None:
    take(write(tmp_path / "rail.md", OLD))
    assert take(write(tmp_path / "rail.md", NEW))["imported"] == ["rail"]
    assert Revision.objects.count() == 2


def test_the_same_version_with_other_words_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    approved(write(tmp_path / "rail.md", OLD), "--version", "7")
    file = write(tmp_path / "rail.md", NEW)
    ended = run("import_sources", file, *IMPORT, "--version", "7")
    assert ended.code == 1
    assert "refused  rail.md: version '7' of 'rail' exists with another text" in ended.err
    assert shown() == [OLD.strip()]


@pytest.mark.parametrize(
    ("name", "content", "options", "source"),
    [
        ("rail.md", OLD, [], "rail"),
        ("rail.md", front(id="ACME-RAIL"), ["--prefix", "p"], "ACME-RAIL"),
        ("rail.md", OLD, ["--prefix", "rules"], "rules/rail"),
        ("travel/rail.md", OLD, [], "travel/rail"),
        ("travel/deep/rail.MD", OLD, ["--prefix", "rules"], "rules/deep/rail"),
        ("travel/deep/rail.txt", front(id="R"), [], "R"),
    ],
)
def test_the_id_is_the_front_matter_s_or_prefix_and_path(
    tmp_path: Path, name: str, content: str, options: list[str], source: str
) -> None:
    file = write(tmp_path / name, content)
    given = tmp_path / "travel" if "/" in name else file
    assert take(given, *options)["imported"] == [source]


@pytest.mark.parametrize(
    ("content", "title"),
    [
        (front("# Heading\n" + OLD, title="Front"), "Front"),
        (f"{OLD}\n## Heading ##\n", "Heading"),
        (front(f"{OLD}\n# Heading\n", id="X"), "Heading"),
        (OLD, "rail"),
    ],
)
def test_the_title_is_the_front_matter_s_or_first_heading_or_stem(
    tmp_path: Path, content: str, title: str
) -> None:
    take(write(tmp_path / "rail.md", content))
    assert Revision.objects.get().title == title


# ------------------------------------------------------------------ description


FRONT: Final = {
    "version": "'1.10'", "status": "superseded", "valid_from": "2026-01-01",
    "valid_until": "2026-12-31", "product": "GX-100", "language": "de-AT", "owner": "Travel desk",
    "canonical": "false", "tags": "[rail, field]", "region": "north",
}  # fmt: skip
OVERRIDES: Final = (
    *("--version", "2", "--status", "historical", "--valid-from", "2025-01-01"),
    *("--valid-until", "2025-06-30", "--product", "GX-200"),
)


def test_front_matter_describes_the_revision(tmp_path: Path) -> None:
    take(write(tmp_path / "rail.md", front(**FRONT)))
    r = Revision.objects.get()
    assert (r.version, r.status, r.product, r.language) == ("1.10", "superseded", "GX-100", "de")
    assert (r.valid_from, r.valid_until) == (date(2026, 1, 1), date(2026, 12, 31))
    assert (r.owner, r.canonical, r.state) == ("Travel desk", False, "pending")
    attributes = set(r.attributes.values_list("key", "value"))
    assert attributes == {("tags", "rail"), ("tags", "field"), ("region", "north")}


def test_options_go_before_front_matter(tmp_path: Path) -> None:
    take(write(tmp_path / "rail.md", front(**FRONT)), *OVERRIDES)
    r = Revision.objects.get()
    assert (r.version, r.status, r.product) == ("2", "historical", "GX-200")
    assert (r.valid_from, r.valid_until) == (date(2025, 1, 1), date(2025, 6, 30))


def test_metadata_can_be_filtered_by(tmp_path: Path) -> None:
    approved(write(tmp_path / "rail.md", front(region="north", product="GX-100")))
    assert shown("trains", "public", "--filter", "region=north", "--product", "GX-100")
    assert not shown("trains", "public", "--filter", "region=south")
    assert not shown("trains", "public", "--product", "GX-200")


def test_a_window_bounds_when_a_text_is_served(tmp_path: Path) -> None:
    window = front(valid_from="2026-02-01", valid_until="2026-02-28")
    approved(write(tmp_path / "rail.md", window))
    days = ("2026-01-31", "2026-02-01", "2026-02-28", "2026-03-01")
    served = [bool(shown("trains", "public", "--as-of", day)) for day in days]
    assert served == [False, True, True, False]


@pytest.mark.parametrize("status", ["historical", "superseded"])
def test_an_old_text_is_shown_in_the_archive_only(tmp_path: Path, status: str) -> None:
    approved(write(tmp_path / "rail.md", OLD), "--status", status)
    assert shown() == []
    [hit] = done("search", "trains", "--scopes", "public", "--statuses", status)["hits"]
    assert (hit["status"], hit["in_force"]) == (status, False)


# ------------------------------------------------------------------ approval


def test_an_import_without_approval_is_never_served(tmp_path: Path) -> None:
    take(write(tmp_path / "rail.md", OLD))
    assert done("rebuild")["chunks"] == 1
    assert shown() == []


def test_requested_approval_is_carried_out_by_the_next_rebuild_only(tmp_path: Path) -> None:
    approved(write(tmp_path / "other.md", "Planes are booked by the travel desk alone.\n"))
    take(write(tmp_path / "rail.md", OLD), "--approve")
    assert shown() == []
    assert len(done("rebuild")["approved"]) == 1
    assert shown() == [OLD.strip()]
    assert done("rebuild")["approved"] == []


def test_a_new_text_waits_while_the_old_one_is_served(tmp_path: Path) -> None:
    file = write(tmp_path / "rail.md", OLD)
    approved(file)
    take(write(file, NEW))
    assert shown() == [OLD.strip()]
    done("rebuild")
    assert shown() == [OLD.strip()]
    take(file, "--approve")
    done("rebuild")
    assert shown() == [NEW.strip()]


def test_a_future_text_leaves_today_s_in_force(tmp_path: Path) -> None:
    approved(write(tmp_path / "rail.md", front(OLD, valid_from="2026-01-01")))
    approved(write(tmp_path / "rail.md", front(NEW, valid_from="2027-01-01")))
    assert shown("trains", "public", "--as-of", "2026-12-31") == [OLD.strip()]
    assert shown("trains", "public", "--as-of", "2027-01-01") == [NEW.strip()]


def test_importing_a_pending_text_again_can_request_its_approval(tmp_path: Path) -> None:
    file = write(tmp_path / "rail.md", OLD)
    take(file)
    done("rebuild")
    assert take(file, "--approve")["unchanged"] == ["rail"]
    assert Revision.objects.get().approval_requested_by == "ada"
    done("rebuild")
    assert shown() == [OLD.strip()]


@pytest.mark.parametrize(
    "keys",
    [
        {"approved": "true"},
        {"state": "approved"},
        {"approved_by": "ada", "approved_at": "2026-01-01", "approval_requested_by": "ada"},
        {"indexed": "true", "scope": "hr", "approve": "yes"},
    ],
)
def test_front_matter_approves_nothing(tmp_path: Path, keys: dict[str, str]) -> None:
    take(write(tmp_path / "rail.md", front(**keys)))
    assert done("rebuild")["approved"] == []
    revision = Revision.objects.get()
    assert (revision.state, revision.approval_requested_by) == ("pending", "")
    assert revision.source.scope.name == "public"
    assert shown() == shown("trains", "hr") == []


@pytest.mark.parametrize("verb", ["withdraw", "erase"])
def test_what_was_taken_away_does_not_come_back_by_import(tmp_path: Path, verb: str) -> None:
    file = write(tmp_path / "rail.md", OLD)
    approved(file)
    done(verb, "rail", "--actor", "ada", "--reason", "wrong")
    assert shown() == []
    ended = run("import_sources", file, *IMPORT, "--approve")
    assert (ended.code, "give the text a new version to bring it back" in ended.err) == (1, True)
    done("rebuild")
    assert shown() == []
    approved(file, "--version", "2")
    assert shown() == [OLD.strip()]


def test_erasing_takes_the_words_out_of_recorded_answers(tmp_path: Path) -> None:
    approved(write(tmp_path / "rail.md", OLD))
    question = "How are trains booked by everybody in second class?"
    assert "second class" in done("ask", question, "--scopes", "public")["answer"]
    done("erase", "rail", "--actor", "ada", "--reason", "wrong")
    assert "second class" not in Answer.objects.get().text
    assert Revision.objects.get().text == ""


# ------------------------------------------------------------------ product facts


FACTS: Final = 'id = "FACTS"\nversion = "1"\n[products.GX-100]\nweight = 1.50\n'


@pytest.mark.parametrize("name", ["gx.facts.toml", "gx.toml"])
def test_facts_wait_for_approval_like_any_text(tmp_path: Path, name: str) -> None:
    file = write(tmp_path / name, FACTS)
    assert take(file)["imported"] == ["FACTS"]
    assert not ProductFact.objects.exists()
    assert done("rebuild")["approved"] == []
    fact = ProductFact.objects.get()
    assert (fact.product, fact.name, fact.value) == ("GX-100", "weight", "1.50")
    assert fact.revision.state == "pending"


def test_approved_facts_are_withdrawn_like_any_text(tmp_path: Path) -> None:
    approved(write(tmp_path / "gx.facts.toml", FACTS))
    assert Revision.objects.get().state == "approved"
    done("withdraw", "FACTS", "--actor", "ada", "--reason", "wrong")
    assert Revision.objects.get().state == "withdrawn"
    done("rebuild")
    assert not ProductFact.objects.exists()


def test_facts_of_another_scope_keep_their_id(tmp_path: Path) -> None:
    approved(write(tmp_path / "gx.facts.toml", FACTS), "--version", "1")
    file = write(tmp_path / "gx.facts.toml", FACTS.replace("1.50", "9.99"))
    ended = run("import_sources", file, "--scope", "hr", "--actor", "ada", "--version", "2")
    assert (ended.code, "belongs to another scope, 'public'" in ended.err) == (1, True)
    done("rebuild")
    assert ProductFact.objects.get().value == "1.50"


def test_changed_facts_wait_and_do_not_replace_the_approved_ones(tmp_path: Path) -> None:
    approved(write(tmp_path / "gx.facts.toml", FACTS))
    changed = FACTS.replace("1.50", "9.99").replace('"1"', '"2"')
    take(write(tmp_path / "gx.facts.toml", changed))
    done("rebuild")
    values = dict(ProductFact.objects.values_list("revision__state", "value"))
    assert values == {"approved": "1.50", "pending": "9.99"}


# ------------------------------------------------------------------ offsets


ODD: Final = (
    "---\r\ntitle: Odd\r\n---\r\n# Caf\u0065\u0301 \U0001f600\r\n\r\n"
    "The caf\u0065\u0301 opens at nine \U0001f469‍\U0001f4bb. No rule\u00a0is longer.\r\n\r\n"
    "* an item with \U0001f1e6\U0001f1f9 flags\r\n* 日本語の規則。次の規則。\r\r"
    "| rule | day |\r\n|---|---|\r\n| rail | Mon\u00addag |\r\n\r\n"
    "A last rule with e\u0301\u0323 marks and \u202eright\u202c to left.\r\n"
)


@pytest.mark.parametrize(
    "data",
    [
        ODD.encode(), codecs.BOM_UTF8 + ODD.encode(), ODD.encode("utf-16"),
        codecs.BOM_UTF16_BE + ODD.encode("utf-16-be"), (ODD * 40).encode(),
    ],
    ids=["utf-8", "utf-8 marked", "utf-16", "utf-16-be", "long"],
)  # fmt: skip
@pytest.mark.parametrize(
    "chunking", ["sections-v2", "chars-600-overlap-80-v1", "words-9-overlap-3-v1"]
)
def test_every_hit_is_a_slice_of_the_decoded_file(
    tmp_path: Path, data: bytes, chunking: str, settings: Any
) -> None:
    settings.EVIDENCE_CHUNKING = chunking
    file = write(tmp_path / "odd.md", data)
    approved(file)
    text = decode(file.read_bytes()).text
    assert Revision.objects.get().text == text
    hits = done("probe", "rule", "--scopes", "public")["hits"]
    assert hits
    for hit in hits:
        start, end = hit["start_char"], hit["end_char"]
        assert text[start:end] == hit["text"]
        assert "title: Odd\n---\n# " not in hit["text"] or start > 0
        lines = (text.count("\n", 0, start) + 1, text.count("\n", 0, end - 1) + 1)
        assert (hit["start_line"], hit["end_line"]) == lines


def test_every_quotation_is_a_slice_of_the_decoded_file(tmp_path: Path) -> None:
    file = write(tmp_path / "odd.md", codecs.BOM_UTF8 + ODD.encode())
    approved(file)
    asked = done("ask", "When does the café open at nine?", "--scopes", "public")
    text = decode(file.read_bytes()).text
    assert asked["quotes"]
    for quote in asked["quotes"]:
        assert text[quote["start_char"] : quote["end_char"]] == quote["quote"]
