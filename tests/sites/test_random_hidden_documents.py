"""Whatever is hidden, and whoever asks: hits and figures are those of a site without it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from typing import Any, Final
from unittest.mock import patch

import pytest
from django.contrib.auth.models import Group, User
from django.db import transaction
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from rag.actions.asking import ask
from rag.actions.profiles import Parts
from rag.actions.rebuilding import rebuild
from rag.actions.searching import Found, probe_cosines, search
from rag.core.answerability import FIGURES, Gate
from rag.core.policies import RRF, WEIGHTED
from rag.core.retrieval import Mode, Options
from rag.core.sources import Governed, Selection, State, Status, document_id, is_eligible
from rag.models import Attribute, Grant, Revision, Scope, Source
from rag.queries.eligibility import access_of_user
from tests.sites.faults import CONDITIONS, NOTHING, STATISTICS, SURROUNDINGS, fault

PARTS: Final = Parts("hashing", "sections-v2")
SCOPES: Final = ("sales", "hr", "public")
DAYS: Final = tuple(date(2026, month, 1) for month in range(1, 7))
# Few words, so that equal texts and equal scores are common; the codes are their own tokens.
WORDS: Final = (
    *("seller", "sellers", "discount", "calibrate", "calibrated", "GX-100", "QX-900", "C++"),
    *("remise", "vendeurs", "Geräte", "kalibriert", "校正", "六か月", "معايرة", "the", "travel"),
)
# Few candidates from each side: here it counts whether hidden rows take up their places.
SHALLOW: Final = replace(WEIGHTED, name="shallow", depth=1)
POLICIES: Final = (WEIGHTED, RRF, SHALLOW)
# Each figure weighs, so that an answer could be moved by any of them.
GATED: Final = replace(
    PARTS, gate=Gate("weighs-all", tuple((name, 0.5) for name in FIGURES), bias=-2.5)
)
RANDOM: Final = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)

FIXED: Final = settings(RANDOM, derandomize=True, database=None, phases=[Phase.generate])


@dataclass(frozen=True)
class Document:
    """A revision, and what decides who sees it."""

    about: Governed
    language: str
    title: str
    text: str


@dataclass(frozen=True)
class Case:
    """A corpus, in the order of its import, and one request."""

    documents: tuple[Document, ...]
    grants: frozenset[tuple[str, str]]
    question: str
    day: date
    selection: Selection
    k: int


words: Final = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)
days: Final = st.none() | st.sampled_from(DAYS)
attributes: Final = st.sampled_from((("region", "north"), ("region", "moon")))
products: Final = st.sampled_from(("", "GX-100"))


def mostly(usual: Any, *others: Any) -> st.SearchStrategy[Any]:
    """A choice in which the usual one is twice as likely as all others together."""
    return st.sampled_from((usual,) * 2 * len(others) + others)


governed: Final = st.builds(
    Governed,
    scope=mostly("sales", *SCOPES),
    state=mostly(State.APPROVED, State.PENDING, State.WITHDRAWN),
    status=mostly(Status.CURRENT, Status.SUPERSEDED, Status.HISTORICAL),
    valid_from=mostly(DAYS[0], *DAYS[1:]),
    valid_until=mostly(None, *DAYS[2:]),
    canonical=st.booleans(),
    product=products,
    attributes=st.frozensets(attributes),
)
documents: Final = st.builds(
    Document,
    about=governed,
    language=st.sampled_from(("en", "fr", "de", "ja")),
    title=st.sampled_from(("Discounts", "Calibration")),
    text=st.builds("# {}\n\n{}.\n\n## More\n\n{}.\n".format, words, words, words),
)
selections: Final = st.builds(
    Selection,
    statuses=mostly(frozenset(), frozenset({Status.HISTORICAL}), frozenset(Status)),
    product=mostly("", "GX-100"),
    filters=mostly(frozenset(), frozenset({("region", "north")})),
    canonical_only=mostly(True, False),
)
# (holder, scope): sam himself, or the group that he is in.
grants: Final = st.frozensets(
    st.tuples(st.sampled_from(("user", "group")), st.sampled_from(SCOPES)), max_size=4
)
cases: Final = st.builds(
    Case,
    documents=st.lists(documents, min_size=6, max_size=12).map(tuple),
    grants=st.builds(frozenset.union, grants, mostly(frozenset({("group", "sales")}), frozenset())),
    question=words,
    day=st.sampled_from(DAYS),
    selection=selections,
    k=st.sampled_from((1, 2, 3, 10)),
)


@contextmanager
def site(case: Case, imported: Sequence[bool]) -> Iterator[None]:
    """A rebuilt site with those documents of the case; gone afterwards.

    All are indexed, and only then become what they are: a withdrawal does not wait for a rebuild.
    """
    with transaction.atomic():
        _people(case)
        pairs = zip(case.documents, imported, strict=True)
        stored = {_store(n, d): d.about.state for n, (d, here) in enumerate(pairs) if here}
        rebuild(PARTS, cancelled=lambda: False, report=lambda stage, done, total: None)
        for key, state in stored.items():
            Revision.objects.filter(pk=key).update(state=state)
        yield
        transaction.set_rollback(True)


def _people(case: Case) -> None:
    sam, sellers = User.objects.create_user("sam"), Group.objects.create(name="sellers")
    sellers.user_set.add(sam)
    scopes = {name: Scope.objects.create(name=name) for name in SCOPES}
    for holder, name in case.grants:
        who = {"user": sam} if holder == "user" else {"group": sellers}
        Grant.objects.create(scope=scopes[name], **who)


def _store(number: int, document: Document) -> int:
    """A pending revision; every third one of a scope is of the same source. Its primary key."""
    about, text, version = document.about, document.text, str(number)
    name = f"{about.scope}/{number % 3}"
    scope = Scope.objects.get(name=about.scope)
    revision = Revision.objects.create(
        source=Source.objects.get_or_create(source_id=name, scope=scope)[0],
        document_id=document_id(name, version, text),
        version=version,
        title=document.title,
        text=text,
        text_sha256=sha256(text.encode()).hexdigest(),
        language=document.language,
        product=about.product,
        canonical=about.canonical,
        status=about.status,
        valid_from=about.valid_from,
        valid_until=about.valid_until,
    )
    for key, value in about.attributes:
        Attribute.objects.create(revision=revision, key=key, value=value)
    return revision.pk


def seen(case: Case) -> list[Any]:
    """Everything that sam can observe of the case's request, in every mode and policy."""
    access = access_of_user("sam", case.day)
    request = (case.question, access, case.selection)
    found: list[Any] = [shown(probe_cosines(*request, PARTS))]
    for mode in Mode:
        for policy in POLICIES:
            options = Options(mode=mode, policy=policy, k=case.k)
            found.append(shown(search(*request, options, PARTS)))
    required = Options(k=case.k, required_terms=("GX-100", "seller"))
    asked = ask(*request, required, GATED)
    answer = asked.answer
    return [*found, shown(asked.found), answer.text, answer.reason_code, answer.hits]


def shown(found: Found) -> tuple[list[dict[str, Any]], tuple[str, ...], str]:
    """Hits with their figures, languages tried, and notice."""
    return [hit.to_dict() for hit in found.hits], found.languages, found.notice


def check_that_hidden_documents_change_nothing(case: Case) -> None:
    """The promise, for one case; which documents are hidden is told by the pure rule."""
    with site(case, [True] * len(case.documents)):
        access = access_of_user("sam", case.day)
        eligible = [is_eligible(d.about, access, case.selection) for d in case.documents]
        with_hidden = seen(case)
    with site(case, eligible):
        assert seen(case) == with_hidden


@pytest.mark.django_db
@RANDOM
@given(case=cases)
def test_random_hidden_documents_change_nothing(case: Case) -> None:
    check_that_hidden_documents_change_nothing(case)


@pytest.mark.django_db
@RANDOM
@given(case=cases)
def test_random_hidden_documents_change_nothing_in_the_certified_scan(case: Case) -> None:
    with patch("rag.core.vectors.SCAN_FROM", 0):
        check_that_hidden_documents_change_nothing(case)


def compare_without(name: str, examples: int) -> None:
    """The comparison without the rule of that name, always on the same cases.

    It ends with the first case that fails: no other fault is looked for.
    """

    @settings(FIXED, max_examples=examples, report_multiple_bugs=False)
    @given(case=cases)
    def attempt(case: Case) -> None:
        with fault(name):
            check_that_hidden_documents_change_nothing(case)

    attempt()


@pytest.mark.django_db
@pytest.mark.parametrize("name", [*CONDITIONS, STATISTICS, SURROUNDINGS])
def test_random_comparison_fails_without_the_rule(name: str) -> None:
    with pytest.raises(AssertionError):
        compare_without(name, examples=100)


@pytest.mark.django_db
def test_random_comparison_passes_with_every_rule() -> None:
    compare_without(NOTHING, examples=10)
