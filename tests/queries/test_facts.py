"""The facts of a request are computed from what its asker may be served, and from nothing else."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from typing import Final

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rag.core.facts import Fact
from rag.core.sources import Access, Governed, Selection, State, Status, is_eligible
from rag.models import ProductFact, Revision, Source
from rag.queries.facts import asked_facts
from tests import factories

DAYS: Final = (date(2026, 1, 1), date(2026, 6, 1), date(2026, 12, 1))
QUESTIONS: Final = ("weight of the Pump", "weight of Pump Pro", "GX-1 load limit in kg", "GX-1")
SELECTIONS: Final = (
    Selection(),
    Selection(canonical_only=False),
    Selection(frozenset({Status.HISTORICAL})),
)

governed: Final = st.builds(
    Governed,
    scope=st.sampled_from(("public", "public", "hr")),
    state=st.sampled_from((State.APPROVED, State.APPROVED, State.PENDING, State.WITHDRAWN)),
    status=st.sampled_from((Status.CURRENT, Status.CURRENT, Status.SUPERSEDED, Status.HISTORICAL)),
    valid_from=st.sampled_from(DAYS[:2]),
    valid_until=st.sampled_from((None, DAYS[1])),
    canonical=st.sampled_from((True, True, False)),
)
facts: Final = st.builds(
    Fact,
    st.sampled_from(("Pump", "Pump Pro", "GX-1")),
    st.sampled_from(("weight", "load_limit_kg", "load limit (lb)", "limit")),
    st.sampled_from(("1", "2")),
)


@contextmanager
def stored(rows: Sequence[tuple[Governed, Fact]], kept: Sequence[bool]) -> Iterator[None]:
    """Those of the facts, each with a source of its own; gone afterwards."""
    with transaction.atomic():
        for number, ((about, fact), keep) in enumerate(zip(rows, kept, strict=True)):
            if keep:
                _store(str(number), about, fact)
        yield
        transaction.set_rollback(True)


def _store(name: str, about: Governed, fact: Fact) -> None:
    source = Source.objects.create(source_id=name, scope=factories.scope(about.scope))
    revision = Revision.objects.create(
        source=source, document_id=name, version="1", kind="facts", language="en",
        status=about.status, state=about.state, valid_from=about.valid_from,
        valid_until=about.valid_until, canonical=about.canonical,
    )  # fmt: skip
    values = {"product": fact.product, "name": fact.name, "value": fact.value}
    ProductFact.objects.create(revision=revision, **values)


def seen(question: str, access: Access, selection: Selection) -> list[tuple[str, Fact]]:
    return [(each.source_id, each.fact) for each in asked_facts(question, access, selection).facts]


@pytest.mark.django_db
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    rows=st.lists(st.tuples(governed, facts), min_size=3, max_size=8),
    question=st.sampled_from(QUESTIONS),
    selection=st.sampled_from(SELECTIONS),
)
def test_hidden_facts_change_nothing(
    rows: list[tuple[Governed, Fact]], question: str, selection: Selection
) -> None:
    access = factories.access("public", as_of=DAYS[1])
    eligible = [is_eligible(about, access, selection) for about, _ in rows]
    with stored(rows, [True] * len(rows)):
        with_hidden = seen(question, access, selection)
    with stored(rows, eligible):
        assert seen(question, access, selection) == with_hidden
    served = {str(number) for number, kept in enumerate(eligible) if kept}
    assert {name for name, _ in with_hidden} <= served


@pytest.mark.django_db
def test_the_best_of_hidden_facts_is_not_the_answer() -> None:
    hidden, shown = Governed("hr", State.APPROVED), Governed("public", State.APPROVED)
    rows = [
        (about, Fact("Pump", "weight", value)) for about, value in ((hidden, "1"), (shown, "2"))
    ]
    rows = [(Governed(a.scope, a.state, valid_from=DAYS[0]), fact) for a, fact in rows]
    with stored(rows, [True, True]):
        assert seen(QUESTIONS[0], factories.access("public"), Selection()) == [("1", rows[1][1])]
        both = factories.access("public", "hr")
        assert len(seen(QUESTIONS[0], both, Selection())) == 2
