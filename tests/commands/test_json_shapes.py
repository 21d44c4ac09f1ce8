"""The JSON of the commands is stable: fields may be added, none renamed, dropped or retyped."""

from datetime import date, datetime
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest
from pytest_django import Settings

from rag.models import Manifest
from tests.commands.command_line import done, run, write

RULE: Final = "# Rail\n\n## Class\n\nTrains are booked in second class by everybody.\n"
WHO: Final = ("--scopes", "public")
ANSWERED: Final = "Are trains booked in second class by everybody?"
REFUSED: Final = "How is a zeppelin moored?"

Shape = dict[str, type | tuple[type, ...]]
FIGURE: Final = (float, type(None))
HIT: Final[Shape] = {
    "chunk_id": str, "label": str, "source_id": str, "document_id": str, "version": str,
    "source_sha256": str, "title": str, "section": str, "scope": str, "status": str,
    "approved": bool, "start_char": int, "end_char": int, "start_line": int, "end_line": int,
    "text": str, "complete": bool, "cosine": FIGURE, "lexical": FIGURE, "rank": float,
}  # fmt: skip
SEARCH: Final[Shape] = {
    "query": str, "mode": str, "policy": str, "as_of": str, "manifest": str, "hits": list,
}  # fmt: skip
PROBE: Final[Shape] = {"query": str, "as_of": str, "manifest": str, "hits": list}
ASK: Final[Shape] = {
    "answer_id": str, "question": str, "as_of": str, "status": str, "answer": str,
    "reason_code": str, "reason": str, "proposer": str, "policy": str, "gate": str,
    "manifest": str, "quotes": list, "facts": list, "hits": list,
}  # fmt: skip
QUOTE: Final[Shape] = {
    "label": str, "chunk_id": str, "source_id": str, "start_char": int, "end_char": int,
    "quote": str, "warnings": list,
}  # fmt: skip
FACT: Final[Shape] = {
    "product": str, "name": str, "value": str, "source_id": str, "warnings": list,
}  # fmt: skip
REBUILD: Final[Shape] = {
    "manifest": dict, "chunks": int, "embedded": int, "reused": int, "removed": int,
    "approved": list, "refused": list, "seconds": float, "peak_rss_mb": float,
}  # fmt: skip
IMPORT: Final[Shape] = {
    "imported": list, "unchanged": list, "skipped": list, "refused": list, "notes": list,
}  # fmt: skip


def check(value: dict[str, Any], shape: Shape) -> None:
    """Every field of the shape is there and of its type; a bool is no int."""
    assert shape.keys() <= value.keys()
    for name, kind in shape.items():
        kinds = kind if isinstance(kind, tuple) else (kind,)
        assert type(value[name]) in kinds, (name, value[name])


@pytest.fixture(autouse=True)
def rebuilt(people: None, tmp_path: Path) -> dict[str, Any]:
    """One rule, approved and indexed: what the rebuild printed."""
    file = write(tmp_path / "rail.md", RULE)
    done("import_sources", file, "--scope", "public", "--actor", "ada", "--approve")
    return dict(done("rebuild"))


@pytest.mark.parametrize("mode", ["lexical", "dense", "hybrid"])
@pytest.mark.parametrize("policy", ["weighted-65-35-around-3-v1", "rrf-60-v1"])
def test_search(mode: str, policy: str) -> None:
    found = done("search", "trains class", *WHO, "--mode", mode, "--policy", policy)
    check(found, SEARCH)
    assert (found["query"], found["mode"], found["policy"]) == ("trains class", mode, policy)
    assert found["hits"]
    for hit in found["hits"]:
        check(hit, HIT)
        assert (hit["approved"], hit["complete"]) == (True, False)


@pytest.mark.parametrize(
    ("mode", "absent", "present"),
    [("lexical", ["cosine"], ["lexical"]), ("dense", ["lexical"], ["cosine"]),
     ("hybrid", [], ["cosine", "lexical"])],
)  # fmt: skip
@pytest.mark.parametrize("verb", ["search", "ask"])
def test_a_figure_that_the_mode_does_not_compute_is_null(
    verb: str, mode: str, absent: list[str], present: list[str]
) -> None:
    [hit] = done(verb, ANSWERED, *WHO, "--mode", mode)["hits"]
    assert [hit[name] for name in absent] == [None] * len(absent)
    assert all(isinstance(hit[name], float) for name in present)


def test_probe_shows_every_eligible_row_with_its_cosine_alone() -> None:
    found = done("probe", REFUSED, *WHO)
    check(found, PROBE)
    [hit] = found["hits"]
    check(hit, HIT)
    assert (hit["lexical"], hit["cosine"]) == (None, hit["rank"])


def test_an_accepted_answer_exits_with_0() -> None:
    ended = run("ask", ANSWERED, *WHO, "--json")
    check(ended.json, ASK)
    assert (ended.code, ended.json["status"]) == (0, "accepted")
    assert (ended.json["reason_code"], ended.json["reason"]) == ("", "")
    for quote in ended.json["quotes"]:
        check(quote, QUOTE)
        assert f"[{quote['label']}] {quote['quote']}" in ended.json["answer"]


@pytest.mark.parametrize(
    ("question", "scopes", "code"),
    [(REFUSED, "public", "no_excerpts"), (ANSWERED, "hr", "no_excerpts"),
     ("Are trains cheap, fast or late?", "public", "unsupported")],
)  # fmt: skip
def test_a_refused_answer_exits_with_1_and_says_why(question: str, scopes: str, code: str) -> None:
    ended = run("ask", question, "--scopes", scopes, "--mode", "lexical", "--json")
    check(ended.json, ASK)
    assert (ended.code, ended.json["status"], ended.json["quotes"]) == (1, "refused", [])
    assert ended.json["reason_code"] == code
    assert ended.json["answer"] == ended.json["reason"]
    assert ended.json["reason"].startswith("Insufficient evidence: ")


def test_the_facts_of_an_answer(tmp_path: Path) -> None:
    table = 'id = "gx"\n[products.GX-100]\nweight = "1.2 kg"\n'
    file = write(tmp_path / "gx.facts.toml", table)
    done("import_sources", file, "--scope", "public", "--actor", "ada", "--approve")
    done("rebuild")
    asked = done("ask", "What is the weight of the GX-100?", *WHO, "--mode", "lexical")
    check(asked, ASK)
    [fact] = asked["facts"]
    check(fact, FACT)
    stated = (fact["product"], fact["name"], fact["value"], fact["source_id"])
    assert stated == ("GX-100", "weight", "1.2 kg", "gx")
    assert asked["answer"] == "[gx] GX-100 weight: 1.2 kg"


def test_people_see_the_published_text_and_nothing_else() -> None:
    asked, human = done("ask", ANSWERED, *WHO), run("ask", ANSWERED, *WHO)
    assert (human.code, human.out, human.err) == (0, asked["answer"] + "\n", "")
    assert asked["manifest"] not in human.out


@pytest.mark.parametrize("verb", ["search", "ask", "probe"])
def test_the_manifest_is_the_digest_that_rebuild_names(rebuilt: dict[str, Any], verb: str) -> None:
    found = run(verb, ANSWERED, *WHO, "--json").json
    assert found["manifest"] == rebuilt["manifest"]["digest"]
    assert len(found["manifest"]) == 64


def test_rebuild(rebuilt: dict[str, Any]) -> None:
    check(rebuilt, REBUILD)
    assert (rebuilt["chunks"], rebuilt["embedded"], rebuilt["reused"]) == (1, 1, 0)
    assert rebuilt["removed"] == 0
    assert len(rebuilt["approved"]) == 1
    assert rebuilt["refused"] == []
    content = Manifest.objects.get().content
    assert content.pop("canaries")
    digest = rebuilt["manifest"]["digest"]  # see test_the_manifest_is_the_digest_that_rebuild_names
    assert rebuilt["manifest"] == content | {"digest": digest}


def test_rebuild_names_the_approvals_that_it_could_not_carry_out(tmp_path: Path) -> None:
    file = write(tmp_path / "late.md", f"---\nversion: 1\nvalid_until: 2020-01-01\n---\n{RULE}")
    done("import_sources", file, "--scope", "public", "--actor", "ada", "--approve")
    ended = run("rebuild", "--json")
    check(ended.json, REBUILD)
    [sentence] = ended.json["refused"]
    assert "would never be in force: its window ends on 2020-01-01." in sentence
    assert (ended.code, ended.json["approved"]) == (0, [])
    assert ended.err == f"not approved: {sentence}\n"


def test_a_rebuild_of_nothing_new_embeds_nothing() -> None:
    again = done("rebuild")
    check(again, REBUILD)
    assert (again["chunks"], again["embedded"], again["reused"], again["removed"]) == (1, 0, 1, 0)


def test_rebuild_counts_what_left_the_index() -> None:
    done("withdraw", "rail", "--actor", "ada", "--reason", "wrong")
    again = done("rebuild")
    assert (again["chunks"], again["removed"]) == (0, 1)


def test_import_sources(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    for name, text in {"a.md": RULE + "A", "b.md": RULE, "c.md": "", "d.pdf": "x"}.items():
        write(folder / name, text)
    done("import_sources", folder / "b.md", "--prefix", "in", "--scope", "public", "--actor", "ada")
    ended = run("import_sources", folder, "--scope", "public", "--actor", "ada", "--json")
    check(ended.json, IMPORT)
    assert ended.json["imported"] == ["in/a"]
    assert ended.json["unchanged"] == ["in/b"]
    assert ended.json["skipped"] == ["in/d.pdf"]
    assert ended.json["refused"] == [{"path": "in/c.md", "reason": "there is no text in it"}]
    assert ended.json["notes"] == []
    assert (ended.code, ended.err) == (1, "")


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
@pytest.mark.parametrize("verb", ["search", "ask", "probe"])
def test_as_of_is_today_in_the_site_s_time_zone(settings: Settings, verb: str, zone: str) -> None:
    settings.TIME_ZONE = zone
    before = datetime.now(ZoneInfo(zone)).date()
    shown = date.fromisoformat(run(verb, ANSWERED, *WHO, "--json").json["as_of"])
    assert before <= shown <= datetime.now(ZoneInfo(zone)).date()


@pytest.mark.parametrize("verb", ["search", "ask", "probe"])
def test_as_of_is_the_day_asked_for(verb: str) -> None:
    asked = run(verb, ANSWERED, *WHO, "--as-of", "2026-02-03", "--json").json
    assert asked["as_of"] == "2026-02-03"


def test_text_is_printed_as_it_is_and_not_escaped(tmp_path: Path) -> None:
    file = write(tmp_path / "menu.md", "Das Café öffnet um neun Uhr für alle.\n")
    done("import_sources", file, "--scope", "public", "--actor", "ada", "--approve")
    done("rebuild")
    assert "Café öffnet" in run("search", "Café", *WHO, "--json").out


def test_demo_keeps_people_s_passwords_out_of_its_json() -> None:
    ended = run("demo", "--no-server", "--json")
    assert ended.code == 0
    check(ended.json["rebuild"], REBUILD)
    for answer in ended.json["answers"]:
        check(answer, ASK)
    assert "shown once" in ended.err
    assert "shown once" not in ended.out
