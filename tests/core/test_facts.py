"""Product facts without a file: what tests/adapters/test_facts_files.py does not show."""

import pytest

from rag.core.errors import InvalidText
from rag.core.facts import Fact, facts_front, product_facts

TOML = '[products.B]\nweight = "2 kg"\n[products.A]\nbar = 16\nage = 1.50\nwet = true\n'
JSON = '{"products": {"B": {"weight": "2 kg"}, "A": {"bar": 16, "age": 1.50, "wet": true}}}'


@pytest.mark.parametrize("text", [TOML, JSON])
def test_the_form_is_told_by_the_first_character(text: str) -> None:
    assert product_facts(text) == (
        Fact("A", "age", "1.50"),
        Fact("A", "bar", "16"),
        Fact("A", "wet", "true"),
        Fact("B", "weight", "2 kg"),
    )


def test_keys_beside_the_products_are_front_matter() -> None:
    assert facts_front(f'id = "facts"\nversion = "2"\n{TOML}') == {"id": "facts", "version": "2"}
    with pytest.raises(InvalidText, match="'owner' is none of products, id"):
        facts_front(f'owner = "x"\n{TOML}')
