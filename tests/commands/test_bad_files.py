"""A folder of bad files is imported: each is refused by name, and the rest is done."""

from pathlib import Path

import pytest

from tests.commands.bad_files import BAD_FILES, GOOD_FILES, ODD_FILES, Imported


@pytest.mark.parametrize("name", [*BAD_FILES, *ODD_FILES])
def test_bad_file_is_refused_by_name_with_its_reason(imported: Imported, name: str) -> None:
    reasons = {refusal["path"]: refusal["reason"] for refusal in imported.report["refused"]}
    wanted = ODD_FILES.get(name) or BAD_FILES[name][1]
    assert wanted in reasons[f"files/{name}"]


def test_the_rest_of_the_import_is_done(imported: Imported) -> None:
    ids = {f"files/{Path(name).with_suffix('')}" for name in GOOD_FILES if name != "same-1.md"}
    assert set(imported.report["imported"]) == ids | {"SAME"}
    assert imported.report["skipped"] == ["files/manual.pdf"]
    assert len(imported.report["refused"]) == len(BAD_FILES) + len(ODD_FILES)


def test_an_import_that_refused_something_exits_with_1(imported: Imported) -> None:
    assert imported.result.returncode == 1
    assert imported.result.stderr == b""


def test_a_folder_given_twice_and_a_part_of_it_are_imported_once(imported: Imported) -> None:
    ids = imported.report["imported"]
    assert len(ids) == len(set(ids)) == len(GOOD_FILES)
    assert imported.report["unchanged"] == []


def test_nothing_that_was_approved_before_is_lost(imported: Imported) -> None:
    *_, rebuilt, public, hr = imported.after
    assert {hit["source_id"] for hit in public.json["hits"]} == {"HOUSE"}
    assert {hit["source_id"] for hit in hr.json["hits"]} == {"PAY"}
    assert rebuilt.json["chunks"] == len(GOOD_FILES) + 2


def test_what_is_imported_and_not_indexed_is_announced(imported: Imported) -> None:
    before, other_scope, *_ = imported.after
    assert "older than the imported sources" in before.json["notice"]
    assert other_scope.json["notice"] == ""
