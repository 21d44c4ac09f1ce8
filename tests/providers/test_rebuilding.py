"""An index over an endpoint: every fault leaves the old one, and nothing is paid for twice."""

import math
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from rag.actions import searching
from rag.actions.people import grant
from rag.actions.profiles import configured
from rag.core.errors import IndexMismatch
from rag.core.retrieval import Mode
from rag.models import Chunk, RebuildRun
from tests import factories
from tests.commands.command_line import Ended, run
from tests.fault_server import (
    FaultServer,
    Script,
    answer,
    computed,
    dripping_body,
    flood,
    json_answer,
    redirect,
    silent,
    status,
    truncated,
)
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
KEY = "sk-proj-0123456789abcdef"
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
# Vectors of two texts → what is said of them.
VECTORS = {
    "zero": ([GOOD, [0.0] * DIMENSION], "item 2: the norm is 0"),
    "empty": ([GOOD, []], "item 2: the vector is empty"),
    "short": ([[1.0] * 3, GOOD], f"item 1: 3 dimensions instead of {DIMENSION}"),
    "nan": ([GOOD, [math.nan] * DIMENSION], "holds a number that is not finite"),
    "infinity": ([GOOD, [math.inf] * DIMENSION], "holds a number that is not finite"),
    "too few": ([GOOD], "1 vectors for 2 texts, item 2 is missing"),
    "too many": ([GOOD] * 3, "3 vectors for 2 texts, item 3 was not asked for"),
}
FAULTS: dict[str, tuple[Script, str]] = {
    "slow": (silent, "no complete answer within 0.3 s"),
    "dripping": (dripping_body, "no complete answer within 0.3 s"),
    "busy": (status(429), "HTTP 429"),
    "busy for long": (status(503, retry_after=3600), "HTTP 503"),
    "broken": (status(500, "out of memory"), "HTTP 500 (out of memory)"),
    "redirect": (redirect("http://127.0.0.1:9/"), "HTTP 307, a redirect, which is not followed"),
    "page": (answer(b"<html>", "text/html"), "the answer is text/html instead of JSON"),
    "truncated": (truncated(b'{"embeddings": [['), "the answer broke off or is not HTTP"),
    "error in 200": (json_answer({"error": "no GPU"}), "no GPU"),
    "300 MB": (flood(300), "the answer is longer than 16,777,216 bytes"),
    "bomb": (answer(bytes(9), Content_Encoding="gzip"), "the answer is encoded as gzip, unasked"),
    "key in 401": (status(401, f"bad key {KEY}"), "its words are left out, since they repeat"),
    "key in 200": (json_answer({"error": f"{KEY[:12]}***"}), "its words are left out, since they"),
}


def failed_rebuild(caplog: pytest.LogCaptureFixture) -> str:
    """The one sentence that a rebuild ends with; the old index answers, and no key is shown."""
    ended = run("rebuild")
    *_, sentence = ended.err.splitlines()
    assert ended.code == 1
    assert Chunk.objects.count() == 1
    assert factories.labels(factories.search("meals", mode=Mode.LEXICAL)) == ["a#0"]
    record = RebuildRun.objects.latest("pk").error
    assert not any(KEY[:8] in text for text in (ended.err, ended.out, record, caplog.text))
    return sentence


@pytest.mark.parametrize("profile", ["ollama"], indirect=True)
@pytest.mark.parametrize("name", VECTORS)
def test_wrong_vectors_leave_the_old_index(
    server: FaultServer, profile: str, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    made, cause = VECTORS[name]
    # The canaries, with which a rebuild begins, are two texts.
    server.plays(PATHS[profile], json_answer({"embeddings": made}))
    sentence = failed_rebuild(caplog)
    assert sentence.startswith(f"{profile}: ")
    assert cause in sentence


@pytest.mark.parametrize("profile", ["openai"], indirect=True)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_while_documents_are_embedded_leaves_the_old_index(
    server: FaultServer,
    profile: str,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
    name: str,
) -> None:
    caplog.set_level("DEBUG")
    script, cause = FAULTS[name]
    good = server.scripts[PATHS[profile]][0]
    server.plays(PATHS[profile], good, script)
    settings.EVIDENCE_EMBEDDING_DEADLINE = 0.3
    sentence = failed_rebuild(caplog)
    assert sentence.startswith(f"{profile}: embedding documents failed: ")
    assert cause in sentence
    server.plays(PATHS[profile], good)
    found = factories.search("meals", using=configured(), mode=Mode.DENSE, min_cosine=-1)
    assert factories.labels(found) == ["a#0"]


@pytest.mark.parametrize("profile", ["openai"], indirect=True)
def test_a_page_names_the_fault_without_the_key(
    server: FaultServer, profile: str, caplog: pytest.LogCaptureFixture
) -> None:
    server.plays(PATHS[profile], status(401, f"Incorrect API key provided: {KEY}"))
    client = Client()
    client.force_login(factories.user("erin", groups=["member"]), BACKEND)
    grant("public", user="erin", create_scope=True)
    response = client.get("/search/", {"q": "meals"})
    page = response.content.decode()
    assert response.status_code == 503
    assert "openai: embedding a question failed: HTTP 401 (its words are left out" in page
    assert KEY[:8] not in page + caplog.text


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
