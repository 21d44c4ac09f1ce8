"""docs/extending.md: its examples are the files that run here, through the settings it names."""

import re
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from rag.actions.profiles import configured
from rag.core.retrieval import Mode
from tests import factories
from tests.commands.command_line import run as command

PROJECT = Path(__file__).resolve().parent.parent
DOCS = (PROJECT / "docs" / "extending.md").read_text(encoding="utf-8")
FILES = sorted((PROJECT / "examples" / "parts").glob("*.py"))
MEALS = "Meals are reimbursed up to EUR 52 per day.\n\nHotels are reimbursed up to EUR 130 a night."


def named(word: str) -> tuple[str, str]:
    """The setting and the path that the docs give for the file of that name."""
    found = re.findall(rf"^`(EVIDENCE_\w+)=(examples\.parts\.{word}:\w+)`$", DOCS, re.MULTILINE)
    [pair] = found
    return pair[0], pair[1]


@pytest.fixture
def run(db: None, settings: Settings, tmp_path: Path) -> Any:
    """Rebuild and search with the part of that file."""
    settings.EVIDENCE_PROFILE = "hashing"
    factories.import_text(tmp_path, "a", MEALS)
    factories.import_text(tmp_path, "secret", MEALS, scope="hr")

    def start(word: str) -> Any:
        setattr(settings, *named(word))
        parts = configured()
        factories.rebuild(parts)
        return parts

    return start


def test_every_example_stands_in_the_docs_as_it_is() -> None:
    blocks = re.findall(r"```python\n(.*?)```", DOCS, re.DOTALL)
    assert sorted(blocks) == sorted(file.read_text(encoding="utf-8") for file in FILES)


def test_an_example_is_about_20_lines_of_code() -> None:
    for file in FILES:
        lines = file.read_text(encoding="utf-8").splitlines()
        assert sum(bool(line.strip()) for line in lines) <= 26, file.name


def test_the_embedder_embeds_and_finds(run: Any) -> None:
    parts = run("embedder")
    found = factories.search("hotels a night", using=parts, mode=Mode.DENSE)
    assert factories.labels(found) == ["a#0"]
    assert parts.embedder.profile.provider == "letters"


def test_the_contextual_embedder_embeds_and_finds(run: Any) -> None:
    parts = run("contextual")
    found = factories.search("hotels a night", using=parts, mode=Mode.DENSE)
    assert factories.labels(found) == ["a#0"]


def test_the_splitter_cuts_and_its_id_stands_in_the_manifest(run: Any) -> None:
    parts = run("splitter")
    found = factories.search("hotels", using=parts, mode=Mode.LEXICAL)
    assert [(hit.label, hit.text) for hit in found.hits] == [("a#1", MEALS.split("\n\n")[1])]
    assert factories.rebuild(parts).manifest["chunking"] == "paragraphs-v1"


def test_the_retriever_finds_without_embeddings(run: Any) -> None:
    parts = run("retriever")
    [hit] = factories.search("hotels a week", using=parts).hits
    assert (hit.label, hit.cosine, hit.rank) == ("a#0", None, 0.5)
    asked = factories.ask("Up to what are hotels reimbursed?", using=parts)
    assert asked.verdict.accepted
    assert (asked.answer.policy, asked.answer.options["mode"]) == ("shared-words-v1", "lexical")
    shown = command("search", "hotels", "--scopes", "public", "--json").json
    assert (shown["mode"], shown["policy"]) == ("lexical", "shared-words-v1")


@pytest.mark.parametrize("name", ["PROFILE", "CHUNKING", "RETRIEVER"])
def test_a_path_that_leads_nowhere_is_one_sentence(run: Any, settings: Settings, name: str) -> None:
    run("splitter")
    setattr(settings, f"EVIDENCE_{name}", "ours.find:Finder")
    ended = command("search", "hotels", "--scopes", "public", "--json")
    cause = "it cannot be loaded (ModuleNotFoundError: No module named 'ours')."
    sentence = f"{name.lower()} 'ours.find:Finder' is not usable: {cause}\n"
    assert (ended.code, ended.out, ended.err) == (1, "", sentence)
