"""Embedders behind endpoints: what is sent, what is taken, what is named."""

import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from rag.actions.embedders import remote_embedder
from rag.actions.profiles import configured
from rag.adapters import places
from rag.core.embeddings import checked_query
from rag.core.errors import Busy, InvalidVector, Misconfigured, ProviderError
from tests.fault_server import Call, FaultServer, computed, json_answer, status
from tests.providers.models import (
    DIMENSION,
    MODEL,
    configure,
    ollama_serves,
    openai_answer,
    openai_serves,
    vectors,
)

PREFIXES: Any = {"QUERY_PREFIX": "ask: ", "DOCUMENT_PREFIX": "doc: "}
TEXTS = ("one rule", "two rules")


def embedded(embedder: Any, texts: Any = TEXTS) -> Any:
    return embedder.embed_batch(texts, cancelled=lambda: False, progress=lambda done: None)


def test_ollama_is_asked_for_whole_texts_in_a_context_of_that_size(
    server: FaultServer, settings: Settings
) -> None:
    ollama_serves(server)
    configure(settings, server, "ollama", **PREFIXES)
    embedder = remote_embedder("ollama")
    assert embedded(embedder) == vectors(["doc: one rule", "doc: two rules"])
    assert embedder.embed_query("rule?") == vectors(["ask: rule?"])[0]
    asked = {"model": MODEL, "truncate": False, "options": {"num_ctx": 2048}}
    assert server.called("/api/embed") == [
        asked | {"input": ["doc: one rule", "doc: two rules"]},
        asked | {"input": ["ask: rule?"]},
    ]


def test_the_profile_of_ollama_holds_the_digest_of_the_model(
    server: FaultServer, settings: Settings
) -> None:
    ollama_serves(server, digest="sha256:abc")
    configure(settings, server, "ollama")
    profile = remote_embedder("ollama").profile
    assert (profile.provider, profile.model, profile.digest) == ("ollama", MODEL, "sha256:abc")
    assert (profile.endpoint, profile.dimension) == (server.address, DIMENSION)


def test_a_model_that_ollama_does_not_have_is_named(
    server: FaultServer, settings: Settings
) -> None:
    ollama_serves(server)
    configure(settings, server, "ollama", MODEL="absent:7b")
    with pytest.raises(ProviderError, match=r"^ollama: looking up the model failed: it has no "):
        remote_embedder("ollama").embed_query("rule?")


def test_the_vectors_of_an_openai_style_server_are_ordered_by_their_indexes(
    server: FaultServer, settings: Settings
) -> None:
    def shuffled(body: Any) -> Any:
        return {"data": openai_answer(body["input"])["data"][::-1]}

    server.plays("/v1/embeddings", computed(shuffled))
    configure(settings, server, "openai", KEY="secret-key")
    assert embedded(remote_embedder("openai")) == vectors(TEXTS)
    [call] = server.calls
    assert call.headers["authorization"] == "Bearer secret-key"
    assert call.body == {"model": MODEL, "input": list(TEXTS), "encoding_format": "float"}


VECTOR = [0.5] * DIMENSION
WRONG: dict[str, tuple[Any, str]] = {
    "one too few": ([(0, VECTOR)], "1 vectors for 2 texts"),
    "one too many": ([(0, VECTOR), (1, VECTOR), (2, VECTOR)], "3 vectors for 2 texts"),
    "index twice": ([(0, VECTOR), (0, VECTOR)], "the indexes of its vectors are not those of"),
    "index from 1": ([(1, VECTOR), (2, VECTOR)], "the indexes of its vectors are not those of"),
    "index missing": ([(None, VECTOR)] * 2, "the indexes of its vectors are not those of"),
    "index true": ([(0, VECTOR), (True, VECTOR)], "the indexes of its vectors are not those of"),
}


@pytest.mark.parametrize("name", WRONG)
def test_vectors_that_belong_to_no_text_are_refused(
    server: FaultServer, settings: Settings, name: str
) -> None:
    pairs, cause = WRONG[name]
    data = [{"index": index, "embedding": vector} for index, vector in pairs]
    server.plays("/v1/embeddings", json_answer({"data": data}))
    configure(settings, server, "openai")
    with pytest.raises(ProviderError, match=f"^openai: embedding documents failed: {cause}"):
        embedded(remote_embedder("openai"))


@pytest.mark.parametrize("answer", [[], {}, {"data": None}, {"data": [1]}, {"embeddings": 1}])
def test_an_answer_without_embeddings_is_named(
    server: FaultServer, settings: Settings, answer: object
) -> None:
    ollama_serves(server)
    for path in ("/api/embed", "/v1/embeddings"):
        server.plays(path, json_answer(answer))
    for profile in ("ollama", "openai"):
        configure(settings, server, profile)
        with pytest.raises(ProviderError, match=f"^{profile}: .*: the answer holds no embeddings"):
            embedded(remote_embedder(profile))


@pytest.mark.parametrize("vector", [[], [0.0] * DIMENSION, [1.0], "x", None, ["1"] * DIMENSION])
def test_a_vector_of_a_question_is_checked(
    server: FaultServer, settings: Settings, vector: object
) -> None:
    server.plays("/v1/embeddings", json_answer({"data": [{"index": 0, "embedding": vector}]}))
    configure(settings, server, "openai")
    embedder = remote_embedder("openai")
    with pytest.raises(InvalidVector, match=r"^openai: embedding a question failed: "):
        checked_query(embedder.embed_query("rule?"), embedder.profile)


TOO_LONG = "the input length exceeds the context length"


def test_a_text_that_the_endpoint_finds_too_long_is_named_and_not_tried_again(
    server: FaultServer, settings: Settings
) -> None:
    ollama_serves(server)
    server.plays("/api/embed", status(400, TOO_LONG))
    configure(settings, server, "ollama")
    with pytest.raises(ProviderError, match=rf"HTTP 400 \({TOO_LONG}\)\.$"):
        embedded(remote_embedder("ollama"))
    assert len(server.called("/api/embed")) == 1


def limited(body: Any) -> Any:
    """A model of 512 tokens that takes each byte for one."""
    assert all(len(text.encode()) <= 512 for text in body["input"])
    assert len(body["input"]) <= 16
    return openai_answer(body["input"])


LONG = {
    "words": "A rule of the house is kept by everybody. " * 24 + "The sentinel is QX.",
    "one word": "a" * 1000,
    "Japanese": "出張の食費は一日五千円まで精算されます。" * 50,
    "emoji": "👩‍🚀" * 300,
    "ligatures": "ﷺ" * 300,
}


@pytest.mark.parametrize("name", LONG)
def test_a_long_text_is_embedded_whole_in_pieces_within_the_limit(
    server: FaultServer, settings: Settings, name: str
) -> None:
    server.plays("/v1/embeddings", computed(limited))
    configure(settings, server, "openai", CONTEXT=512, **PREFIXES)
    embedder = remote_embedder("openai")
    [short, long] = embedded(embedder, ["one rule", LONG[name]])
    assert short.tolist() == pytest.approx(vectors(["doc: one rule"])[0])
    assert long.shape == (DIMENSION,)
    sent = [
        text.removeprefix("doc: ")
        for body in server.called("/v1/embeddings")
        for text in body["input"]
    ]
    assert "".join(sent[1:]).replace(" ", "") == LONG[name].replace(" ", "")
    assert checked_query(embedder.embed_query(LONG[name]), embedder.profile).any()


# Settings


def test_a_profile_contacts_nobody_until_it_embeds(server: FaultServer, settings: Settings) -> None:
    ollama_serves(server)
    configure(settings, server, "ollama")
    embedder = configured().embedder
    assert server.calls == []
    assert embedder.profile.digest
    assert [call.path for call in server.calls] == ["/api/tags"]


def test_known_models_bring_their_prefixes_and_thresholds(
    server: FaultServer, settings: Settings
) -> None:
    configure(settings, server, "openai", MODEL="Qwen/Qwen3-Embedding-0.6B", DIMENSION=0, CONTEXT=0)
    profile = remote_embedder("openai").profile
    assert (profile.dimension, profile.max_tokens, profile.min_cosine) == (1024, 8192, 0.6)
    assert profile.query_prefix.endswith("\nQuery:")
    assert profile.document_prefix == ""


def test_a_setting_goes_before_what_is_known(server: FaultServer, settings: Settings) -> None:
    given = {"MODEL": "embeddinggemma:300m", "QUERY_PREFIX": ""}
    configure(settings, server, "openai", **given)
    profile = remote_embedder("openai").profile
    assert (profile.query_prefix, profile.document_prefix) == ("", "title: none | text: ")
    assert (profile.dimension, profile.max_tokens) == (DIMENSION, 2048)


UNUSABLE: dict[str, dict[str, object]] = {
    "set EVIDENCE_EMBEDDING_MODEL": {"MODEL": ""},
    "set EVIDENCE_EMBEDDING_ENDPOINT": {"ENDPOINT": ""},
    "this model is not known here": {"DIMENSION": 0},
    "it leaves no room for a text": {"CONTEXT": 40},
    "the host is neither this machine nor an allowed host": {"ENDPOINT": "https://a.example"},
    "it has white space or letters beyond ASCII": {"KEY": "se cret"},
    "it cannot be read as text": {"KEY_FILE": "/nowhere/key"},
}


@pytest.mark.parametrize("cause", UNUSABLE)
def test_an_unusable_setting_is_named_to_operators_alone(
    server: FaultServer, settings: Settings, cause: str
) -> None:
    configure(settings, server, "openai", **UNUSABLE[cause])
    with pytest.raises(Misconfigured) as caught:
        configured().embedder  # noqa: B018
    assert cause in str(caught.value)
    assert "cret" not in str(caught.value)
    assert caught.value.for_readers == (
        "The models of this site are not set up. Ask an admin of this site to set them up."
    )


def test_a_key_is_read_from_its_file(
    server: FaultServer, settings: Settings, tmp_path: Path
) -> None:
    file = tmp_path / "key"
    file.write_text("from-a-file\n")
    openai_serves(server)
    configure(settings, server, "openai", KEY_FILE=str(file))
    embedded(remote_embedder("openai"))
    assert server.calls[0].headers["authorization"] == "Bearer from-a-file"


# A provider that hangs


def test_a_hung_provider_is_waited_for_by_no_more_threads_than_may(
    server: FaultServer, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()

    def held(call: Call) -> Iterable[bytes]:
        assert go.wait(30)
        return json_answer(openai_answer(call.body["input"]))(call)

    monkeypatch.setattr(places, "PATIENCE", 0.01)
    server.plays("/v1/embeddings", held)
    configure(settings, server, "openai", WAITING=2)
    embedder = remote_embedder("openai")
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(embedder.embed_query, "rule?") for _ in range(2)]
        while len(server.calls) < 2:
            assert not any(each.done() for each in waiting)
        with pytest.raises(Busy, match="as many wait for it as may at once"):
            embedder.embed_query("rule?")
        go.set()
        assert all(each.result(30) for each in waiting)
    assert len(server.calls) == 2
    assert embedder.embed_query("rule?")  # the places are free again
