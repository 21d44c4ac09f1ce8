"""What a search can be narrowed to follows from what the asker may read, and from nothing else."""

from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest

from rag.core.sources import Selection, Status
from rag.models import Revision
from rag.queries.filters import Filters, filters_of, newest_texts
from rag.queries.results import review_days
from tests import factories

pytestmark = pytest.mark.django_db
ARCHIVE: Final = Selection(statuses=frozenset({Status.SUPERSEDED}))


def serve(folder: Path, name: str, **about: Any) -> Revision:
    """An approved and indexed source."""
    revision = factories.import_text(folder, name, f"# {name}\n\nThe rule of {name}.", **about)
    factories.rebuild()
    revision.refresh_from_db()
    return revision


def names(filters: Filters) -> tuple[list[str], tuple[str, ...]]:
    return [choice.name for choice in filters.scopes], filters.products


def test_scopes_and_products_are_those_of_eligible_sources(tmp_path: Path) -> None:
    serve(tmp_path, "b", scope="public", product="GX-2")
    serve(tmp_path, "a", scope="hr", product="GX-1")
    serve(tmp_path, "c", scope="hr")
    both = filters_of(factories.access("hr", "public"), Selection())
    assert names(both) == (["hr", "public"], ("GX-1", "GX-2"))
    assert [choice.sources for choice in both.scopes] == [2, 1]


def test_a_scope_that_is_not_granted_leaves_no_trace(tmp_path: Path) -> None:
    serve(tmp_path, "open", scope="public", product="GX-1")
    before = filters_of(factories.access("public"), Selection())
    serve(tmp_path, "secret", scope="hr", product="GX-9")
    assert filters_of(factories.access("public"), Selection()) == before


@pytest.mark.parametrize(
    "about",
    [{"approve": False}, {"canonical": False}, {"valid_from": "2027-01-01"}],
    ids=["pending", "copy", "future"],
)
def test_what_is_not_served_leaves_no_trace(tmp_path: Path, about: dict[str, Any]) -> None:
    serve(tmp_path, "open", scope="public", product="GX-1")
    before = filters_of(factories.access("public", "hr"), Selection())
    serve(tmp_path, "hidden", scope="hr", product="GX-9", **about)
    assert filters_of(factories.access("public", "hr"), Selection()) == before


def test_the_day_decides(tmp_path: Path) -> None:
    serve(tmp_path, "later", product="GX-3", valid_from="2027-01-01")
    now = filters_of(factories.access("public"), Selection())
    then = filters_of(factories.access("public", as_of=date(2027, 5, 1)), Selection())
    assert names(now) == ([], ())
    assert names(then) == (["public"], ("GX-3",))


def test_the_archive_has_filters_of_its_own(tmp_path: Path) -> None:
    serve(tmp_path, "new", product="GX-1")
    serve(tmp_path, "old", product="GX-0", status="superseded")
    assert names(filters_of(factories.access("public"), ARCHIVE)) == (["public"], ("GX-0",))


def test_a_selected_product_does_not_shorten_the_lists(tmp_path: Path) -> None:
    serve(tmp_path, "one", product="GX-1")
    serve(tmp_path, "two", product="GX-2")
    chosen = filters_of(factories.access("public"), Selection(product="GX-1"))
    assert chosen == filters_of(factories.access("public"), Selection())


def test_facts_are_no_source_that_a_search_finds(tmp_path: Path) -> None:
    factories.import_facts(tmp_path, "facts", "[products.GX]\nbar = 16")
    factories.rebuild()
    assert filters_of(factories.access("public"), Selection()) == Filters((), ())


def test_the_newest_text_comes_first(tmp_path: Path) -> None:
    serve(tmp_path, "first")
    serve(tmp_path, "second")
    serve(tmp_path, "secret", scope="hr")
    newest = newest_texts(factories.access("public"), Selection(), 5)
    assert [revision.source.source_id for revision in newest] == ["second", "first"]
    assert len(newest_texts(factories.access("public"), Selection(), 1)) == 1


def test_the_latest_approval_of_a_scope_is_known(tmp_path: Path) -> None:
    serve(tmp_path, "first")
    second = serve(tmp_path, "second")
    (choice,) = filters_of(factories.access("public"), Selection()).scopes
    assert choice.newest == second.approved_at is not None


# What a result says besides


def test_the_first_review_day_counts_and_what_is_no_day_is_left_out(tmp_path: Path) -> None:
    days = ["soon", "2026-07-01", "2026-06-20"]
    dated = serve(tmp_path, "dated", review_due=days)
    plain = serve(tmp_path, "plain", review_due="next summer")
    assert review_days({dated.pk, plain.pk}) == {dated.pk: date(2026, 6, 20)}
