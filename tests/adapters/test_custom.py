"""Parts named by path: what is found, and one sentence for whatever is wrong."""

import pytest

from rag.adapters import custom
from rag.core.chunks import CharacterWindows
from rag.core.embeddings import HashingEmbedder
from rag.core.errors import InvalidOption

HERE = "tests.adapters.own_parts"


@pytest.mark.parametrize("name", ["ours:a", "ours.parts:A.b", "_a1.b:c"])
def test_a_path_names_a_module_and_an_object(name: str) -> None:
    assert custom.is_path(name)


@pytest.mark.parametrize("name", ["hashing", "ours", "ours:", ":a", "a:b:c", "a..b:c", "a/b:c", ""])
def test_anything_else_is_no_path(name: str) -> None:
    assert not custom.is_path(name)


@pytest.mark.parametrize("name", ["an_embedder", "HashingEmbedder", "made_embedder", "Place.at"])
def test_an_object_a_class_and_a_function_are_taken(name: str) -> None:
    assert isinstance(custom.custom_embedder(f"{HERE}:{name}"), HashingEmbedder)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("nowhere.at.all:a", "cannot be loaded .ModuleNotFoundError: No module named 'nowhere'"),
        (f"{HERE}:missing", "cannot be loaded .AttributeError: .* has no attribute 'missing'"),
        (f"{HERE}:NeedsArguments", "cannot be loaded .TypeError: "),
        (f"{HERE}:fails", "cannot be loaded .RuntimeError: no model"),
        (f"{HERE}:nothing", "it has no profile and no embed_query"),
        (f"{HERE}:WithoutBatch", "it has neither embed_batch nor embed_document"),
        (f"{HERE}:WithoutProfile", "its profile is no rag.core.embeddings.Profile"),
        ("no path", "use package.module:object"),
    ],
)
def test_what_is_wrong_with_an_embedder_is_one_sentence(name: str, fault: str) -> None:
    with pytest.raises(InvalidOption, match=fault) as caught:
        custom.custom_embedder(name)
    assert str(caught.value).startswith(f"profile {name!r} is not usable: ")
    assert "\n" not in str(caught.value)


def test_a_splitter_needs_an_id_of_its_own() -> None:
    with pytest.raises(InvalidOption, match="id 'chars-600-overlap-80-v1' is that of a built-in"):
        custom.custom_splitter(f"{HERE}:windows")
    with pytest.raises(InvalidOption, match="its id has no 1 to 100 printable characters"):
        custom.custom_splitter(f"{HERE}:Unnamed")
    assert not isinstance(custom.custom_splitter(f"{HERE}:Splitter"), CharacterWindows)


def test_a_retriever_needs_a_name_of_its_own() -> None:
    with pytest.raises(InvalidOption, match="name 'rrf-60-v1' is that of a policy"):
        custom.custom_retriever(f"{HERE}:Imposter")
    with pytest.raises(InvalidOption, match="it has no name and no retrieve"):
        custom.custom_retriever(f"{HERE}:nothing")
