"""The query of what may be opened equals the rule in core."""

from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.sources import Access, is_readable, standing
from rag.models import Revision
from rag.queries.eligibility import governed, place, readable_revisions
from tests.queries.test_eligibility import ACCESSES, DAYS, create_revisions


def test_the_query_is_the_rule(db: None) -> None:
    create_revisions()
    rows = Revision.objects.select_related("source__scope").prefetch_related("attributes")
    facts = {row.pk: governed(row) for row in rows}
    sizes = set()

    @settings(deadline=None, max_examples=100)
    @given(ACCESSES, st.booleans())
    def agree(access: Access, reviews: bool) -> None:
        expected = {key for key, row in facts.items() if is_readable(row, access, reviews)}
        found = list(readable_revisions(access, reviews).values_list("pk", flat=True))
        assert sorted(found) == sorted(expected)
        sizes.add(len(expected))

    agree()
    assert len(sizes) > 10


def test_a_revision_stands_where_all_its_facts_put_it(db: None) -> None:
    create_revisions()
    rows = list(Revision.objects.select_related("source__scope"))
    for day in DAYS:
        found = [standing(place(row), day) for row in rows]
        assert found == [standing(governed(row), day) for row in rows]
        assert len(set(found)) > 5
