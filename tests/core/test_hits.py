"""The stable JSON shape of a hit."""

import json

from rag.core.hits import Hit

HIT = Hit(
    chunk_id="0123456789abcdef:0", label="a#0", source_id="a", document_id="d" * 64, version="1",
    source_sha256="s", text_sha256="t", title="A", section="", scope="public", status="current",
    in_force=True, valid_from="2026-01-01", valid_until=None,
    approved_at="2026-01-02T09:00:00+00:00", start_char=0, end_char=4, start_line=1,
    end_line=1, text="text", context="A", cosine=None, lexical=0.5, rank=1.0, revision=77,
)  # fmt: skip

PROMISED = (
    "chunk_id label source_id document_id version source_sha256 title section scope status "
    "approved start_char end_char start_line end_line text complete cosine lexical rank"
)


def test_a_hit_has_the_promised_fields_and_survives_json() -> None:
    shape = HIT.to_dict()
    assert set(PROMISED.split()) <= set(shape)
    assert json.loads(json.dumps(shape)) == shape


def test_a_figure_that_was_not_computed_is_null() -> None:
    assert (HIT.to_dict()["cosine"], HIT.to_dict()["lexical"]) == (None, 0.5)


def test_a_hit_never_claims_to_be_the_whole_source() -> None:
    assert (HIT.to_dict()["complete"], HIT.to_dict()["approved"]) == (False, True)


def test_the_key_of_the_database_stays_inside() -> None:
    assert not {"revision", "approved_at"} & set(HIT.to_dict())
