"""An index over an endpoint: every fault leaves the old one, and nothing is paid for twice."""

import math
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from rag.actions import searching
from rag.actions.people import grant
from rag.actions.profiles import configured
from rag.actions.rebuilding import rebuild
from rag.adapters import transport
from rag.core.errors import Cancelled, IndexMismatch
from rag.core.retrieval import Mode
from rag.models import Answer, Chunk, Manifest, RebuildRun
from tests import factories
from tests.commands.command_line import Ended, run
from tests.fault_server import FaultServer, Script, computed, json_answer, silent, status
from tests.providers.faults import ENDLESS, FAULTS, KEY
from tests.providers.models import (
    DIMENSION,
    Model,
    backwards,
    configure,
    ollama_embeds,
    ollama_serves,
    openai_answer,
    openai_serves,
    vectors,
)

pytestmark = pytest.mark.django_db
RULE = "Meals on business trips are reimbursed up to EUR 52 per day."
BACKEND = "django.contrib.auth.backends.ModelBackend"
PATHS = {"ollama": "/api/embed", "openai": "/v1/embeddings"}


def serves(server: FaultServer, profile: str, model: Model = vectors) -> None:
    ollama_serves(server, model) if profile == "ollama" else openai_serves(server, model)


@pytest.fixture(params=PATHS)
def profile(
    request: pytest.FixtureRequest, server: FaultServer, settings: Settings, tmp_path: Path
) -> str:
    """A site with one rule, indexed through the server, and a second rule that waits."""
    name = str(request.param)
    serves(server, name)
    configure(settings, server, name, KEY=KEY)
    factories.import_text(tmp_path, "a", RULE)
    assert run("rebuild").code == 0
    factories.import_text(tmp_path, "b", "Hotels are booked through the travel desk.")
    return name


GOOD = [1.0] * DIMENSION
# Vectors of one text → what is said of them.
VECTORS: dict[str, tuple[list[Any], str]] = {
    "zero": ([[0.0] * DIMENSION], "batch 1, item 1: the norm is 0"),
    "empty": ([[]], "batch 1, item 1: the vector is empty"),
    "short": ([[1.0] * 3], f"batch 1, item 1: 3 dimensions instead of {DIMENSION}"),
    "nan": ([[math.nan] * DIMENSION], "holds a number that is not finite"),
    "infinity": ([[math.inf] * DIMENSION], "holds a number that is not finite"),
    "words": ([["1"] * DIMENSION], "batch 1, item 1: not a list of numbers"),
    "too few": ([], "0 vectors for 1 texts"),
    "too many": ([GOOD] * 2, "2 vectors for 1 texts"),
}


def holding(profile: str, made: list[Any]) -> Script:
    """An answer with these vectors, as they are."""
    data = [{"index": at, "embedding": vector} for at, vector in enumerate(made)]
    return json_answer({"embeddings": made} if profile == "ollama" else {"data": data})


def failed_rebuild(caplog: pytest.LogCaptureFixture, *arguments: str) -> str:
    """The one sentence that a rebuild ends with; the old index answers, and no key is shown."""
    ended = run("rebuild", *arguments)
    *_, sentence = ended.err.splitlines()
    assert ended.code == 1
    assert Chunk.objects.count() == 1
    assert factories.labels(factories.search("meals", mode=Mode.LEXICAL)) == ["a#0"]
    record = RebuildRun.objects.latest("pk").error
    assert not any(KEY[:8] in text for text in (ended.err, ended.out, record, caplog.text))
    return sentence


def test_wrong_vectors_leave_the_old_index(
    server: FaultServer, profile: str, caplog: pytest.LogCaptureFixture
) -> None:
    good = server.scripts[PATHS[profile]][0]
    for name, (made, cause) in VECTORS.items():
        # The canaries, with which a rebuild begins, are right.
        server.plays(PATHS[profile], good, holding(profile, made))
        sentence = failed_rebuild(caplog)
        assert sentence.startswith(f"{profile}: embedding documents failed: "), name
        assert cause in sentence, name


def test_a_fault_while_documents_are_embedded_leaves_the_old_index(
    server: FaultServer, profile: str, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    good = server.scripts[PATHS[profile]][0]
    for name, (script, cause) in FAULTS.items():
        server.plays(PATHS[profile], good, script)
        settings.EVIDENCE_EMBEDDING_DEADLINE = 0.2 if script in ENDLESS else 5
        sentence = failed_rebuild(caplog, "--json")
        assert sentence.startswith(f"{profile}: embedding documents failed: "), name
        assert cause in sentence and not sentence.endswith(".."), name
    server.plays(PATHS[profile], good)
    found = factories.search("meals", using=configured(), mode=Mode.DENSE, min_cosine=-1)
    assert factories.labels(found) == ["a#0"]


# Questions


def test_a_question_that_cannot_be_embedded_ends_with_the_fault_and_no_record(
    server: FaultServer, profile: str, settings: Settings
) -> None:
    wrong = {name: (holding(profile, made), cause) for name, (made, cause) in VECTORS.items()}
    for name, (script, cause) in (FAULTS | wrong).items():
        server.plays(PATHS[profile], script)  # a question is embedded before all else
        settings.EVIDENCE_EMBEDDING_DEADLINE = 0.2 if script in ENDLESS else 5
        ended = run("ask", "meals", "--scopes", "public", "--json")
        assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1), name
        assert ended.err.startswith(f"{profile}: embedding a question failed: "), name
        assert cause.removeprefix("batch 1, item 1: ").removesuffix(" 1 texts") in ended.err, name
        assert KEY[:8] not in ended.err, name
    assert not Answer.objects.exists()


@pytest.fixture
def erin(profile: str, client: Client) -> Client:
    """A member who may search what the server indexed."""
    client.force_login(factories.user("erin", groups=["member"]), BACKEND)
    grant("public", user="erin", create_scope=True)
    return client


BAD_QUESTIONS = [status(401, f"Incorrect API key provided: {KEY}"), json_answer({"error": "gpu7"})]


@pytest.mark.parametrize("script", [*BAD_QUESTIONS, None], ids=["key", "words", "zero vector"])
def test_a_member_is_told_what_failed_and_not_why(
    server: FaultServer,
    profile: str,
    erin: Client,
    caplog: pytest.LogCaptureFixture,
    script: Script | None,
) -> None:
    server.plays(PATHS[profile], script or holding(profile, [[0.0] * DIMENSION]))
    found, asked = erin.get("/search/", {"q": "meals"}), erin.post("/ask/", {"q": "Which meals?"})
    for response in (found, asked):
        page = response.content.decode()
        assert response.status_code == 503
        assert f"needs failed ({profile}: embedding " in page
        assert not any(
            word in page for word in ("HTTP 401", "gpu7", "norm is", "127.0.0.1:", KEY[:8])
        )
    assert ">Try again</a>" in found.content.decode()
    assert "Which meals?" in page and "Your question is still here." in page
    assert f"{profile}: embedding " in caplog.text and KEY[:8] not in caplog.text


@pytest.mark.parametrize("profile", ["openai"], indirect=True)
def test_who_may_rebuild_is_told_why_without_the_key(
    server: FaultServer, profile: str, erin: Client
) -> None:
    erin.force_login(factories.user("ada", groups=["admin"]), BACKEND)
    grant("public", user="ada")
    server.plays(PATHS[profile], status(401, f"Incorrect API key provided: {KEY}"))
    page = erin.get("/search/", {"q": "meals"}).content.decode()
    assert "openai: embedding " in page and "failed: HTTP 401 (its words are left out" in page
    assert KEY[:8] not in page


def test_a_provider_that_is_gone_is_named(
    server: FaultServer, profile: str, settings: Settings, caplog: pytest.LogCaptureFixture
) -> None:
    settings.EVIDENCE_EMBEDDING_ENDPOINT = "http://127.0.0.1:9"
    assert "failed: the connection was refused." in failed_rebuild(caplog)


def test_a_rebuild_that_failed_goes_on_without_paying_twice(
    server: FaultServer, profile: str, tmp_path: Path
) -> None:
    for number in range(20):
        factories.import_text(tmp_path, f"s{number}", f"{RULE} It is rule number {number}.")
    path = PATHS[profile]
    good = server.scripts[path][0]
    server.plays(path, good, good, status(500))  # the canaries, 16 texts, then nothing
    assert run("rebuild").code == 1
    server.plays(path, good)
    before = len(server.called(path))
    assert "5 embedded, 17 reused" in run("rebuild").out
    sent = [len(body["input"]) for body in server.called(path)[before:]]
    assert sent == [2, 5, 2]


def test_a_rebuild_is_cancelled_while_the_provider_hangs(
    server: FaultServer, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "LOOK_SECONDS", 0.01)
    good = server.scripts[PATHS[profile]][0]
    before = Manifest.objects.get().generation
    for scripts in ([silent], [good, silent], [good, status(503, retry_after=60)]):
        server.plays(PATHS[profile], *scripts)
        until = len(server.called(PATHS[profile])) + len(scripts)
        with pytest.raises(Cancelled, match="Stopped"):
            rebuild(
                configured(),
                cancelled=partial(asked_often, server, PATHS[profile], until),
                report=lambda *_: None,
            )
        assert RebuildRun.objects.latest("pk").outcome == "cancelled"
        assert Manifest.objects.get().generation == before


def asked_often(server: FaultServer, path: str, times: int) -> bool:
    """Whether the one that hangs was asked."""
    return len(server.called(path)) >= times


# A model exchanged behind its tag


def checked() -> Ended:
    searching._checked.clear()
    return run("rebuild", "--check")


def test_an_exchanged_model_is_named_by_a_check_and_by_the_next_search(
    server: FaultServer, profile: str
) -> None:
    assert run("rebuild").code == 0
    assert checked().code == 0
    serves(server, profile, backwards)
    ended = checked()
    assert ended.code == 1
    assert "The index was made with canary 'sentence 1: cosine 1'" in ended.out
    searched = run("search", "meals", "--scopes", "public")
    assert searched.code == 1
    assert "The index was made with canary" in searched.err
    assert run("search", "meals", "--scopes", "public", "--mode", "lexical").code == 0
    assert run("rebuild").code == 0
    assert checked().code == 0


def test_a_running_site_names_another_digest_with_the_next_search(
    server: FaultServer, settings: Settings, tmp_path: Path
) -> None:
    ollama_serves(server)
    configure(settings, server, "ollama")
    factories.import_text(tmp_path, "a", RULE)
    site = configured()
    factories.rebuild(site)
    assert factories.labels(factories.search("meals", using=site)) == ["a#0"]
    ollama_serves(server, digest="sha256:two")
    with pytest.raises(IndexMismatch, match=r"model_digest 'sha256:one', but 'sha256:two'"):
        factories.search("meals", using=site)
    factories.rebuild(site)
    assert factories.labels(factories.search("meals", using=site)) == ["a#0"]


def test_a_running_site_names_an_exchanged_model_that_has_no_digest(
    server: FaultServer, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    openai_serves(server)
    configure(settings, server, "openai")
    factories.import_text(tmp_path, "a", RULE)
    site = configured()
    factories.rebuild(site)
    for _ in range(2):
        assert factories.labels(factories.search("meals", using=site)) == ["a#0"]
    asked = [len(body["input"]) for body in server.called("/v1/embeddings")]
    assert asked == [2, 1, 2, 1, 2, 1]  # a rebuild with its canaries, then two questions
    openai_serves(server, backwards)
    monkeypatch.setattr(searching, "CANARY_SECONDS", 0.0)
    with pytest.raises(IndexMismatch, match="canary"):
        factories.search("meals", using=site)


def test_a_model_exchanged_while_it_embeds_is_named(
    server: FaultServer, settings: Settings, tmp_path: Path
) -> None:
    ollama_serves(server)
    configure(settings, server, "ollama")
    factories.import_text(tmp_path, "a", RULE)

    def exchanged(body: Any) -> Any:
        ollama_serves(server, digest="sha256:two")
        return {"embeddings": vectors(body["input"])}

    server.plays("/api/embed", computed(exchanged), ollama_embeds())
    ended = run("rebuild")
    assert ended.code == 1
    assert "the model behind 'tiny:1m' was exchanged meanwhile." in ended.err
    assert not Chunk.objects.exists()


# Long texts

SENTINEL = "The sentinel of the harbour keeps exactly forty-two lanterns."


@pytest.mark.parametrize("filling", ["A rule is kept by all. ", "規則は守られる。"])
def test_a_long_text_without_a_blank_line_is_found_by_its_last_sentence(
    server: FaultServer, settings: Settings, tmp_path: Path, filling: str
) -> None:
    def limited(body: Any) -> Any:
        assert max(len(text.encode()) for text in body["input"]) <= 512
        return openai_answer(body["input"])

    server.plays("/v1/embeddings", computed(limited))
    configure(settings, server, "openai", CONTEXT=512)
    whole = (filling * 54_000)[:54_000]
    factories.import_text(tmp_path, "long", f"{whole} {SENTINEL}")
    site = configured()
    chunks = factories.rebuild(site).chunks
    hits = factories.search(SENTINEL, using=site, mode=Mode.DENSE, min_cosine=-1).hits
    assert hits[0].label == f"long#{chunks - 1}"
    assert hits[0].text.endswith(SENTINEL)
