"""The one eligibility query equals the rule in core, and access is read live."""

import random
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.actions.people import grant, revoke
from rag.core.errors import NotFound
from rag.core.sources import Access, Selection, State, Status, is_eligible
from rag.models import Attribute, Revision, Source
from rag.queries.eligibility import (
    access_now,
    access_of_scopes,
    access_of_user,
    behind,
    eligible_revisions,
    governed,
)
from tests import factories

FIRST: Final = date(2026, 1, 1)
DAYS: Final = [FIRST + timedelta(days=number) for number in range(5)]
SCOPES: Final = ("public", "hr", "Public", "fin")
PAIRS: Final = (("team", "x"), ("team", "y"), ("Team", "x"), ("site", "x"))
COUNT: Final = 200

ACCESSES = st.builds(
    Access, st.just("ann"), st.frozensets(st.sampled_from([*SCOPES, "none"])), st.sampled_from(DAYS)
)
SELECTIONS = st.builds(
    Selection,
    statuses=st.frozensets(st.sampled_from(Status)),
    product=st.sampled_from(["", "GX", "gx"]),
    filters=st.frozensets(st.sampled_from(PAIRS), max_size=2),
    canonical_only=st.booleans(),
)


def create_revisions() -> None:
    """Random revisions, of which most are approved so that the other rules decide as well."""
    chance = random.Random(20260101)
    sources = Source.objects.bulk_create(
        Source(source_id=f"s{at}", scope=factories.scope(chance.choice(SCOPES)))
        for at in range(COUNT)
    )
    days = [None, *DAYS]
    made = Revision.objects.bulk_create(
        Revision(
            source=source,
            document_id=source.source_id,
            state=chance.choice([State.APPROVED] * 7 + list(State)),
            status=chance.choice([Status.CURRENT, *Status]),
            valid_from=chance.choice(days),
            valid_until=chance.choice([None, *days]),
            canonical=chance.random() < 0.8,
            product=chance.choice(["", "GX", "gx"]),
        )
        for source in sources
    )
    Attribute.objects.bulk_create(
        Attribute(revision=revision, key=key, value=value)
        for revision in made
        for key, value in chance.sample(PAIRS, chance.randint(0, 4))
    )


def test_the_query_is_the_rule(db: None) -> None:
    create_revisions()
    rows = Revision.objects.select_related("source__scope").prefetch_related("attributes")
    facts = {row.pk: governed(row) for row in rows}
    sizes = set()

    @settings(deadline=None, max_examples=300)
    @given(ACCESSES, SELECTIONS)
    def agree(access: Access, selection: Selection) -> None:
        expected = {key for key, row in facts.items() if is_eligible(row, access, selection)}
        found = list(eligible_revisions(access, selection).values_list("pk", flat=True))
        assert sorted(found) == sorted(expected)
        sizes.add(len(expected))

    agree()
    assert len(sizes) > 10


# Access


def scopes_of(user: str) -> frozenset[str]:
    return access_of_user(user, FIRST).scopes


def test_scopes_come_from_own_grants_and_from_groups(db: None) -> None:
    factories.user("ann", groups=["staff"])
    factories.user("bob")
    grant("hr", user="ann", create_scope=True)
    grant("public", group="staff", create_scope=True)
    assert scopes_of("ann") == {"hr", "public"}
    assert scopes_of("bob") == frozenset()


def test_a_scope_granted_twice_is_one_scope(db: None) -> None:
    factories.user("ann", groups=["staff", "board"])
    for group in ("staff", "board"):
        grant("public", group=group, create_scope=True)
    revoke("public", group="board")
    assert scopes_of("ann") == {"public"}


def test_a_revoked_scope_is_gone_on_the_next_request(db: None) -> None:
    factories.user("ann")
    grant("hr", user="ann", create_scope=True)
    revoke("hr", user="ann")
    assert scopes_of("ann") == frozenset()


def test_who_leaves_a_group_loses_its_scopes(db: None) -> None:
    ann = factories.user("ann", groups=["staff"])
    grant("public", group="staff", create_scope=True)
    ann.groups.clear()
    assert scopes_of("ann") == frozenset()


@pytest.mark.parametrize("name", ["gone", "nobody", ""])
def test_an_inactive_person_is_like_a_missing_one(db: None, name: str) -> None:
    factories.user("gone", active=False)
    with pytest.raises(NotFound, match=f"There is no user '{name}'"):
        access_of_user(name, FIRST)


def test_a_revoked_scope_is_gone_within_the_same_request(db: None) -> None:
    ann = factories.user("ann")
    for scope in ("hr", "public"):
        grant(scope, user="ann", create_scope=True)
    asked = access_of_user("ann", FIRST)
    revoke("hr", user="ann")
    assert access_now(asked) == replace(asked, scopes=frozenset({"public"}))
    ann.is_active = False
    ann.save()
    assert access_now(asked) == replace(asked, scopes=frozenset())


def test_a_narrowed_access_stays_narrow(db: None) -> None:
    factories.user("ann")
    for scope in ("hr", "public"):
        grant(scope, user="ann", create_scope=True)
    narrow = replace(access_of_user("ann", FIRST), scopes=frozenset({"public"}))
    assert access_now(narrow) == narrow
    revoke("public", user="ann")
    assert access_now(narrow).scopes == frozenset()


def test_an_operator_names_scopes_that_exist(db: None) -> None:
    factories.scope("public")
    assert access_of_scopes(frozenset({"public"}), FIRST).scopes == {"public"}
    with pytest.raises(NotFound, match="no scope 'hr'"):
        access_of_scopes(frozenset({"public", "hr"}), FIRST)


def test_only_imports_of_the_asker_s_scopes_are_noticed(
    db: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    factories.import_text(tmp_path_factory.mktemp("a"), "secret", "A rule.", scope="hr")
    assert behind(factories.access("hr"))
    assert not behind(factories.access("public"))
    factories.rebuild()
    assert not behind(factories.access("hr"))
