"""What a rebuild embeds, what its check says, what damage it repairs, and what erasing leaves."""

import json
import sqlite3
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from tests.sites.store import (
    OPERATOR,
    QUESTIONS,
    SEARCHES,
    Step,
    Store,
    changed_site,
    end_started,
    old_site,
    paid,
    sha256,
    write_documents,
)
from tests.sites.test_concurrency import wait_for_embedding

LATER: Final = ("--approve", "--valid-from", "2026-02-01")
REASON: Final = ("--actor", "op", "--reason", "outdated")
REBUILD: Final = ("rebuild", "--json")
CHECK: Final = ("rebuild", "--check")
AS_IT_IS: Final = "The index is what a rebuild would make."
WORDS: Final = {"EVIDENCE_CHUNKING": "words-50-overlap-10-v1"}
MARKER: Final = "Zanzibarquokka"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return old_site().copy(tmp_path / "site")


@pytest.fixture(autouse=True)
def no_child_stays() -> Iterator[None]:
    yield
    end_started()


@cache
def healthy() -> list[str]:
    """What the searches find on the undamaged site."""
    return old_site().steps(*SEARCHES)


def importing(folder: Path, number: int, edition: int) -> tuple[str, ...]:
    files = write_documents(folder / f"{number}-{edition}", [number], edition)
    return ("import_sources", str(files), *OPERATOR, *LATER)


def test_a_changed_file_costs_only_its_changed_chunk(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "paid"
    steps = (importing(tmp_path, 5, 2), REBUILD)
    report = json.loads(store.steps(*steps, PAID_FILE=str(file))[1])
    changed = store.sql("SELECT text FROM rag_passage WHERE text LIKE '%notice number 2%'")
    assert paid(file) == [sha256(text) for (text,) in changed]
    figures = (report["chunks"], report["embedded"], report["reused"], report["removed"])
    assert figures == (244, 1, 243, 0)
    assert [name.split()[0] for name in report["approved"]] == ["manual/005"]


def test_an_unchanged_corpus_costs_nothing_and_gives_the_same_index(store: Store) -> None:
    report = json.loads(store.steps(REBUILD)[0])
    assert (report["chunks"], report["embedded"], report["reused"]) == (240, 0, 240)
    assert (report["removed"], report["approved"]) == (0, [])
    assert store.steps(*SEARCHES) == healthy()


def test_a_withdrawn_source_leaves_the_index_at_the_next_rebuild(store: Store) -> None:
    report = json.loads(store.steps(("withdraw", "manual/001", *REASON), REBUILD)[1])
    assert (report["chunks"], report["embedded"], report["removed"]) == (236, 0, 4)


class Difference(NamedTuple):
    """Something that a check must name: what is done, under which settings, and the words."""

    steps: tuple[tuple[str, ...], ...]
    settings: dict[str, str]
    words: tuple[str, ...]


DIFFERENCES: Final = {
    "a changed file": Difference(
        (("import_sources", "{changed}", *OPERATOR, *LATER),),
        {},
        ("corpus: manual/005", "not indexed"),
    ),
    "a changed fact": Difference(
        (("import_sources", "{facts}", *OPERATOR, *LATER),),
        {},
        ("corpus: gx", "not indexed"),
    ),
    "a withdrawn source": Difference(
        (("withdraw", "manual/001", *REASON),),
        {},
        ("corpus: manual/001", "withdrawn but still indexed"),
    ),
    "another chunking": Difference(
        (),
        WORDS,
        ("chunking: indexed 'sections-v2', configured 'words-50-overlap-10-v1'",),
    ),
    "another profile": Difference(
        (),
        {"EVIDENCE_PROFILE": "embedded"},
        ("provider: indexed 'hashing'", "model: ", "dimension: indexed 256", "fingerprint: "),
    ),
}


@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_check_names_each_difference_and_ends_with_1(
    store: Store, tmp_path: Path, name: str
) -> None:
    difference = DIFFERENCES[name]
    changed = write_documents(tmp_path / "changed", [5], 2)
    facts = tmp_path / "gx.facts.toml"
    facts.write_text('id = "gx"\n[products.GX-100]\nbar = 12\n')
    steps = [[a.format(changed=changed, facts=facts) for a in step] for step in difference.steps]
    found = store.tries(CHECK, *steps, CHECK, **difference.settings)
    assert (found[0].code, found[0].out) == (0, f"{AS_IT_IS}\n") or difference.settings
    assert found[-1].code == 1
    assert all(words in found[-1].out for words in difference.words), found[-1]


def test_another_chunking_refuses_dense_searches_until_the_rebuild(store: Store) -> None:
    question = SEARCHES[0]
    found = store.tries(question, SEARCHES[-1], REBUILD, question, CHECK, **WORDS)
    assert [step.code for step in found] == [1, 0, 0, 0, 0]
    assert "chunking 'sections-v2', but 'words-50-overlap-10-v1' is configured" in found[0].err
    assert found[-1].out == f"{AS_IT_IS}\n"


ONE: Final = "(SELECT passage_id FROM rag_chunk ORDER BY id LIMIT 1)"


class Damage(NamedTuple):
    """Raw SQL that damages the index, the reason to give, and how many vectors the repair costs."""

    sql: str
    reason: str
    embedded: int


DAMAGES: Final = {
    "vector shortened": Damage(
        f"UPDATE rag_passage SET vector = substr(vector, 1, 100) WHERE key = {ONE}",
        "has 100 bytes, not 1024",
        1,
    ),
    "vector altered": Damage(
        f"UPDATE rag_passage SET vector = zeroblob(1024) WHERE key = {ONE}",
        "does not match its SHA-256",
        1,
    ),
    "terms emptied": Damage(
        f"UPDATE rag_passage SET terms = zeroblob(8) WHERE key = {ONE}",
        "do not match their SHA-256",
        0,  # the vector is whole, and only the terms are counted anew
    ),
    "terms missing": Damage(
        f"UPDATE rag_passage SET terms = x'' WHERE key = {ONE}",
        "do not match their SHA-256",
        0,  # the vector is whole, and only the terms are counted anew
    ),
    "passage text altered": Damage(
        f"UPDATE rag_passage SET text = text || 'x' WHERE key = {ONE}",
        "is not the text of its source",
        1,
    ),
    "chunk deleted": Damage(
        "DELETE FROM rag_chunk WHERE id = (SELECT min(id) FROM rag_chunk)",
        "it holds 239 chunks, but its manifest says 240",
        0,
    ),
    "part altered": Damage(
        "UPDATE rag_chunk SET part = 99 WHERE id = (SELECT min(id) FROM rag_chunk)",
        "the chunks are not those of its manifest",
        0,
    ),
    "place altered": Damage(
        f"UPDATE rag_chunk SET start_char = start_char + 1 WHERE passage_id = {ONE}",
        "is not the text of its source",
        0,
    ),
    "section altered": Damage(
        "UPDATE rag_chunk SET section = 'x' WHERE id = (SELECT min(id) FROM rag_chunk)",
        "the chunks are not those of its manifest",
        0,
    ),
    "manifest altered": Damage(
        "UPDATE rag_manifest SET content = json_set(content, '$.chunks', 1)",
        "it holds 240 chunks, but its manifest says 1",
        0,
    ),
}


def damaged(store: Store, sql: str) -> list[Step]:
    """Damage the index, then search, ask, check, rebuild, search and check, in one process."""
    store.sql(sql)
    ask = ("ask", QUESTIONS[0], "--scopes", "public", "--as-of", "2026-06-01")
    return store.tries(SEARCHES[0], SEARCHES[-1], ask, CHECK, REBUILD, *SEARCHES, CHECK)


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_index_answers_nothing_until_a_rebuild_repairs_it(
    store: Store, name: str
) -> None:
    found = damaged(store, DAMAGES[name].sql)
    for refused in found[:3]:
        assert (refused.code, refused.out) == (1, ""), refused
        assert refused.err.startswith("The index is damaged: ")
        assert DAMAGES[name].reason in refused.err
    assert found[3].code == 1 and DAMAGES[name].reason in found[3].out
    assert json.loads(found[4].out)["embedded"] == DAMAGES[name].embedded
    assert [step.out for step in found[5:-1]] == healthy()
    assert (found[-1].code, found[-1].out) == (0, f"{AS_IT_IS}\n")


ALTERED: Final = (
    "UPDATE rag_revision SET text = replace(text, 'Employees of team 001-11', 'Nobody')"
    " WHERE source_id = (SELECT id FROM rag_source WHERE source_id = 'manual/001')"
)


CHANGED: Final = "does not match its SHA-256"


def test_an_altered_text_is_not_served_and_not_indexed(store: Store) -> None:
    store.sql(ALTERED)
    found = store.tries(SEARCHES[0], CHECK, REBUILD, SEARCHES[0])
    assert [step.code for step in found] == [1, 1, 1, 1]
    for refused in (found[0], found[2], found[3]):
        assert refused.out == ""
        assert f"the text of a source {CHANGED}" in refused.err
        assert "Restore the database from a backup" in refused.err
    assert "manual/001" not in found[0].err + found[3].err
    assert f"the text of a source {CHANGED} (manual/001)" in found[1].out
    assert f"the text of a source {CHANGED} (manual/001)" in found[2].err
    assert store.outcomes() == ["done", "failed"]


def test_withdrawing_an_altered_text_gives_the_site_back(store: Store) -> None:
    store.sql(ALTERED)
    found = store.tries(("withdraw", "manual/001", *REASON), SEARCHES[0], REBUILD, SEARCHES[0])
    assert [step.code for step in found] == [0, 1, 0, 0]


def marked(folder: Path, name: str = "secret") -> Path:
    """A file with a word that stands nowhere else, often enough to fill several pages."""
    folder.mkdir(exist_ok=True)
    lines = (f"{MARKER}{n} is paid {n} euros in month {n} of the contract." for n in range(400))
    paragraphs = "\n\n".join(lines)
    (folder / "secret.md").write_text(
        f"---\nid: {name}\nlanguage: en\n---\n# Pay of {MARKER}\n\n{paragraphs}\n"
    )
    return folder


def remains(store: Store) -> dict[str, int]:
    """How often the marker stands in each file of the site."""
    files = (file for file in store.home.iterdir() if file.is_file())
    counts = {file.name: file.read_bytes().count(MARKER.encode()) for file in files}
    return {name: count for name, count in counts.items() if count}


ERASE: Final = ("erase", "secret", *REASON)


def test_before_it_is_erased_the_text_stands_in_the_files(store: Store, tmp_path: Path) -> None:
    store.steps(("import_sources", str(marked(tmp_path / "files")), *OPERATOR), REBUILD)
    assert remains(store)["evidence.sqlite3"] > 400


def test_erasing_a_pending_source_leaves_nothing_in_the_files(store: Store, tmp_path: Path) -> None:
    store.steps(("import_sources", str(marked(tmp_path / "files")), *OPERATOR), ERASE)
    assert remains(store) == {}


def test_erasing_an_indexed_source_leaves_nothing_in_the_files(
    store: Store, tmp_path: Path
) -> None:
    store.steps(
        ("import_sources", str(marked(tmp_path / "files")), *OPERATOR, *LATER), REBUILD, ERASE
    )
    assert remains(store) == {}


def test_erasing_after_another_chunking_leaves_nothing_in_the_files(
    store: Store, tmp_path: Path
) -> None:
    files = marked(tmp_path / "files")
    store.steps(("import_sources", str(files), *OPERATOR, *LATER), REBUILD)
    store.steps(REBUILD, **WORDS)
    store.steps(REBUILD, ERASE)
    assert remains(store) == {}


# In the order of ids the first is stored before the erasure, the last is still to come.
PLACES: Final = ("a-secret", "z-secret")


@dataclass(frozen=True)
class Meanwhile:
    """A source erased while a rebuild embeds: what came of both."""

    store: Store
    report: dict[str, Any]
    paid: list[str]
    stored: set[str]


@cache
def both_erased() -> dict[str, Meanwhile]:
    """One site for each place, at the same time."""
    changed_site()
    with ThreadPoolExecutor(len(PLACES)) as pool:
        return dict(zip(PLACES, pool.map(erased_meanwhile, PLACES), strict=True))


def erased_meanwhile(name: str) -> Meanwhile:
    """Erase the marked source when the rebuild has stored two batches."""
    folder = old_site().home.parent / name
    folder.mkdir()
    store, file = changed_site().copy(folder / "site"), folder / "paid"
    store.steps(("import_sources", str(marked(folder / "files", name)), *OPERATOR, *LATER))
    child = store.start("crash_rebuild", "plain", EMBED_SECONDS="0.08", PAID_FILE=str(file))
    wait_for_embedding(store, 32)
    erased = store.manage("erase", name, *REASON)
    assert (erased.returncode, erased.stderr) == (0, "")
    out, err = child.communicate(timeout=100)
    assert child.returncode == 0, err
    return Meanwhile(store, json.loads(out), paid(file), store.passages())


@pytest.mark.parametrize("name", PLACES)
def test_a_source_erased_while_a_rebuild_runs_leaves_nothing_behind(name: str) -> None:
    after = both_erased()[name]
    assert remains(after.store) == {}
    assert not any(source.startswith(name) for source in after.report["approved"])
    assert after.store.outcomes() == ["done", "done"]
    check = after.store.manage(*CHECK)
    assert (check.returncode, check.stdout) == (0, f"{AS_IT_IS}\n")


def test_erasing_while_a_rebuild_runs_lets_nothing_be_paid_twice() -> None:
    after = both_erased()["z-secret"]
    twice = {text for text, times in Counter(after.paid).items() if times > 1}
    assert len(twice) <= 16  # the batch that was not stored when the erasure came


def test_erasing_while_somebody_reads_says_what_is_left_or_leaves_nothing(
    store: Store, tmp_path: Path
) -> None:
    store.steps(("import_sources", str(marked(tmp_path / "files")), *OPERATOR), REBUILD)
    reader = sqlite3.connect(store.database, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM rag_chunk").fetchone()
    erased = store.manage(*ERASE, env={"SQLITE_BUSY_SECONDS": "1"})
    left = remains(store)
    reader.close()
    assert left == {} or erased.returncode == 1 or erased.stderr
