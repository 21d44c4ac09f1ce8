"""The catalogue and the opened source, computed from what may be read and from nothing else."""

from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest

from rag.core.errors import NotFound, SourceDamaged
from rag.models import Answer, Citation, Revision
from rag.queries.sources import (
    Wanted,
    answers_quoting,
    in_force_by_scope,
    listed,
    opened,
    revisions_by_key,
    versions,
)
from tests import factories

JUNE: Final = date(2026, 6, 1)
RULE: Final = "Every journey is agreed beforehand."
pytestmark = pytest.mark.django_db


def served(folder: Path, source_id: str = "rule", text: str = RULE, **about: Any) -> Revision:
    revision = factories.import_text(folder, source_id, text, **about)
    factories.rebuild()
    revision.refresh_from_db()
    return revision


def titles(*scopes: str, **wanted: Any) -> list[str]:
    """The titles of the catalogue, by default as somebody who may read ``public``."""
    access = factories.access(*(scopes or ("public",)), as_of=JUNE)
    return [row.title for row in revisions_by_key(listed(access, False, Wanted(**wanted)))]


# The catalogue


def test_titles_are_sorted_without_regard_to_case_and_accents(tmp_path: Path) -> None:
    for name, title in (("1", "übergabe"), ("2", "Travel"), ("3", "accounts"), ("4", "Zoo")):
        factories.import_text(tmp_path, name, RULE, title=title)
    factories.rebuild()
    assert titles() == ["accounts", "Travel", "übergabe", "Zoo"]


def test_equal_titles_are_sorted_by_id_and_newest_first(tmp_path: Path) -> None:
    served(tmp_path, "b", title="T")
    served(tmp_path, "a", f"{RULE} 1", title="T", version="1")
    served(tmp_path, "a", f"{RULE} 2", title="T", version="2", valid_from="2026-03-01")
    access = factories.access("public", as_of=JUNE)
    found = revisions_by_key(listed(access, False, Wanted(everything=True)))
    names = [(row.source.source_id, row.version) for row in found]
    assert [name for name, _ in names] == ["a", "a", "b"]
    assert [version for _, version in names[:2]] == ["2", "1"]


def test_hidden_sources_change_nothing(tmp_path: Path) -> None:
    served(tmp_path, "a", title="Travel")
    served(tmp_path, "c", title="Zoo")
    access = factories.access("public", as_of=JUNE)
    before = titles(), in_force_by_scope(access)
    served(tmp_path, "b", title="Travel", scope="hr")
    served(tmp_path, "d", title="Travel", approve=False)
    assert (titles(), in_force_by_scope(access)) == before == (["Travel", "Zoo"], [("public", 2)])


def test_a_wanted_scope_never_widens_the_access(tmp_path: Path) -> None:
    served(tmp_path, "b", title="Pay", scope="hr")
    assert titles(scope="hr") == []
    assert titles("public", "hr", scope="hr") == ["Pay"]


def test_without_scopes_there_is_nothing(tmp_path: Path) -> None:
    served(tmp_path)
    access = factories.access(as_of=JUNE)
    assert listed(access, True, Wanted(everything=True)) == []
    assert in_force_by_scope(access) == []


def test_scopes_are_counted_by_their_sources_in_force(tmp_path: Path) -> None:
    factories.scope("empty")
    served(tmp_path, "a")
    served(tmp_path, "b", valid_from="2026-07-01")
    served(tmp_path, "c", scope="hr")
    access = factories.access("public", "hr", "empty", as_of=JUNE)
    assert in_force_by_scope(access) == [("empty", 0), ("hr", 1), ("public", 1)]


# One source


@pytest.mark.parametrize("reviews", [False, True])
def test_a_source_is_opened_in_its_scope(tmp_path: Path, reviews: bool) -> None:
    revision = served(tmp_path)
    access = factories.access("public", as_of=JUNE)
    assert opened(revision.document_id, access, reviews) == revision
    for document, scopes in ((revision.document_id, ("hr",)), ("0" * 64, ("public",))):
        with pytest.raises(NotFound):
            opened(document, factories.access(*scopes, as_of=JUNE), reviews)


def test_a_pending_source_is_opened_by_who_reviews(tmp_path: Path) -> None:
    revision = served(tmp_path, approve=False)
    access = factories.access("public", as_of=JUNE)
    assert opened(revision.document_id, access, True) == revision
    with pytest.raises(NotFound):
        opened(revision.document_id, access, False)


def test_a_text_that_is_not_the_imported_one_is_damaged(tmp_path: Path) -> None:
    revision = served(tmp_path)
    Revision.objects.filter(pk=revision.pk).update(text=revision.text + " Not.")
    with pytest.raises(SourceDamaged):
        opened(revision.document_id, factories.access("public", as_of=JUNE), False)


def test_versions_are_those_of_the_same_source_newest_first(tmp_path: Path) -> None:
    first = served(tmp_path, text=f"{RULE} 1", version="1")
    served(tmp_path, text=f"{RULE} 2", version="2", valid_from="2026-03-01")
    served(tmp_path, text=f"{RULE} 3", version="3", valid_from=None, approve=False)
    served(tmp_path, "other", text=f"{RULE} 4", version="4")
    access = factories.access("public", as_of=JUNE)
    assert [row.version for row in versions(first, access, False)] == ["2", "1"]
    assert [row.version for row in versions(first, access, True)] == ["3", "2", "1"]


def test_only_own_answers_are_counted_each_once(tmp_path: Path) -> None:
    revision, other = served(tmp_path), served(tmp_path, "other")
    ann, bob = factories.user("ann"), factories.user("bob")
    for person, cited in ((ann, [revision, revision]), (bob, [revision]), (ann, [other])):
        answer = Answer.objects.create(
            person=person, asker=person.username, scopes=[], question="?", as_of=JUNE,
            options={}, hits=[],
        )  # fmt: skip
        for position, each in enumerate(cited):
            Citation.objects.create(
                answer=answer, position=position, revision=each, start_char=0, end_char=1
            )
    assert answers_quoting(revision, ann) == 1
    assert answers_quoting(revision, factories.user("nobody")) == 0
