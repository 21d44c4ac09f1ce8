"""The list of sources: what is in it, its filters, its pages, and the fragment."""

import re
from datetime import date
from pathlib import Path
from typing import Final

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from rag.actions.governing import withdraw
from rag.actions.people import grant, revoke
from rag.web.views import sources as views
from tests import factories

BACKEND: Final = "django.contrib.auth.backends.ModelBackend"
TODAY: Final = date(2026, 6, 1)
RULE: Final = "Every journey is agreed beforehand with the head of the department."
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def erin(client: Client, monkeypatch: pytest.MonkeyPatch) -> User:
    """Erin is a member, may read the scopes public and hr, and has signed in."""
    monkeypatch.setattr("rag.web.access.today", lambda: TODAY)
    person = factories.user("erin", groups=["member"])
    for scope in ("public", "hr"):
        grant(scope, user="erin", create_scope=True)
    client.force_login(person, BACKEND)
    return person


def titles(client: Client, **query: str) -> list[str]:
    """The titles of the list, in its order."""
    page = client.get(reverse("sources"), query).content.decode()
    return re.findall(r'data-key-item dir="auto">([^<]*)</a>', page)


def test_the_list_has_what_is_in_force_in_the_own_scopes(client: Client, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE, title="Travel", version="1")
    factories.import_text(tmp_path, "b", RULE, title="Leave", scope="hr")
    factories.import_text(tmp_path, "c", RULE, title="Budget", scope="finance")
    factories.import_text(tmp_path, "d", RULE, title="Later", valid_from="2026-06-02")
    factories.import_text(tmp_path, "e", RULE, title="Past", valid_until="2026-05-31")
    factories.import_text(tmp_path, "f", RULE, title="Draft", approve=False)
    factories.rebuild()
    assert titles(client) == ["Leave", "Travel"]


def test_a_row_tells_what_the_source_is(client: Client, tmp_path: Path) -> None:
    factories.import_text(
        tmp_path, "travel/policy", RULE, title="Travel <b>", version="2026-2", product="GX-1",
        owner="Finance",
    )  # fmt: skip
    factories.rebuild()
    page = client.get(reverse("sources")).content.decode()
    expected = ("Travel &lt;b&gt;", "travel/policy", "Version 2026-2", "since 1 January 2026",
                "GX-1", "Finance", ">in force<", ">public<")  # fmt: skip
    assert [word for word in expected if word not in page] == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("reise", ["Überall reisen"]),
        ("ÜBERALL", ["Überall reisen"]),
        ("uberall reisen", ["Überall reisen"]),
        ("policies/", ["Überall reisen"]),
        ("reisen a-rule", []),
        ("a-rule", ["Another"]),
        ("%", []),
        ("   ", ["Another", "Überall reisen"]),
    ],
)
def test_words_are_looked_for_in_titles_and_ids(
    client: Client, tmp_path: Path, words: str, expected: list[str]
) -> None:
    factories.import_text(tmp_path, "policies/r", RULE, title="Überall reisen")
    factories.import_text(tmp_path, "a-rule", RULE, title="Another")
    factories.rebuild()
    assert titles(client, q=words) == expected


def test_the_list_is_narrowed_to_a_scope(client: Client, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE, title="Travel")
    factories.import_text(tmp_path, "b", RULE, title="Leave", scope="hr")
    factories.rebuild()
    assert titles(client, scope="hr") == ["Leave"]


def test_a_forbidden_scope_is_like_an_unknown_one(client: Client, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "c", RULE, title="Budget", scope="finance")
    factories.rebuild()
    pages = [
        client.get(reverse("sources"), {"scope": scope}).content.decode().replace(scope, "…")
        for scope in ("finance", "fantasy")
    ]
    token = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')
    assert token.sub("", pages[0]) == token.sub("", pages[1])
    assert "Budget" not in pages[0]


def test_the_switch_lists_what_is_not_in_force_too(client: Client, tmp_path: Path) -> None:
    for version, start in (("1", "2026-01-01"), ("2", "2026-03-01"), ("3", "2027-01-01")):
        factories.import_text(
            tmp_path, "a", f"{RULE} {version}", title=f"V{version}", version=version,
            valid_from=start,
        )  # fmt: skip
        factories.rebuild()
    assert titles(client) == ["V2"]
    assert titles(client, all="on") == ["V1", "V2", "V3"]


def test_only_who_reviews_is_listed_what_is_not_served(
    client: Client, erin: User, tmp_path: Path
) -> None:
    factories.import_text(tmp_path, "a", RULE, title="Draft", approve=False)
    factories.import_text(tmp_path, "b", RULE, title="Gone")
    factories.rebuild()
    withdraw("b", actor="erin", reason="It was wrong.")
    assert titles(client, all="on") == []
    factories.user("erin", groups=["reviewer"])
    assert titles(client, all="on") == ["Draft", "Gone"]
    assert titles(client) == []


def test_a_copy_is_listed_as_one(client: Client, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE, title="Mirror", canonical=False)
    factories.rebuild()
    assert titles(client) == ["Mirror"]
    assert "· copy<" in client.get(reverse("sources")).content.decode()


def test_long_lists_have_pages_that_keep_the_filters(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PER_PAGE", 2)
    for name in "abcde":
        factories.import_text(tmp_path, name, RULE, title=f"Rule {name}")
    factories.rebuild()
    assert titles(client, q="rule", page="2") == ["Rule c", "Rule d"]
    page = client.get(reverse("sources"), {"q": "rule", "page": "2"}).content.decode()
    assert 'rel="next" href="/sources/?q=rule&amp;page=3"' in page
    assert titles(client, q="rule", page="99") == titles(client, q="rule", page="3") == ["Rule e"]
    assert titles(client, q="rule", page="x") == ["Rule a", "Rule b"]


def test_an_empty_list_says_what_one_can_do(client: Client) -> None:
    page = client.get(reverse("sources"), {"q": "nothing"}).content.decode()
    assert "No source is listed here." in page
    assert 'href="/sources/">All that is in force today' in page


@pytest.mark.parametrize(("headers", "status"), [({}, 400), ({"HX-Request": "true"}, 200)])
def test_words_that_are_too_long_are_a_sentence_and_no_search(
    client: Client, headers: dict[str, str], status: int
) -> None:
    response = client.get(reverse("sources"), {"q": "x" * 201}, headers=headers)
    page = response.content.decode()
    assert response.status_code == status
    assert 'role="alert">A title or id has at most 200 characters.' in page
    assert "No source is listed" not in page
    assert re.search(r'id="count"[^>]*>\s*</p>', page)


def test_a_scope_of_somebody_else_is_left_out_and_said(client: Client, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE, title="Travel")
    factories.rebuild()
    response = client.get(reverse("sources"), {"scope": "finance"})
    assert (response.status_code, titles(client, scope="finance")) == (200, ["Travel"])
    assert "names a scope that is none of yours; it is left out" in response.content.decode()


def test_versions_are_counted_as_versions(client: Client, tmp_path: Path) -> None:
    for version, start in (("1", "2026-01-01"), ("2", "2026-03-01")):
        factories.import_text(tmp_path, "a", RULE + version, version=version, valid_from=start)
        factories.rebuild()
    assert "1 source" in client.get(reverse("sources")).content.decode()
    assert "2 versions" in client.get(reverse("sources"), {"all": "on"}).content.decode()


def test_product_facts_are_marked(client: Client, tmp_path: Path) -> None:
    factories.import_facts(tmp_path, "f", "[products.GX-7]\nbar = 16")
    factories.rebuild()
    assert ">product facts<" in client.get(reverse("sources")).content.decode()


def test_htmx_gets_the_list_alone(client: Client, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", RULE, title="Travel")
    factories.rebuild()
    fragment = client.get(reverse("sources"), headers={"HX-Request": "true"}).content.decode()
    assert "Travel" in fragment
    assert "1 source" in fragment
    assert "<html" not in fragment
    back = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    assert "<html" in client.get(reverse("sources"), headers=back).content.decode()


def test_a_revoked_scope_is_gone_from_list_filters_and_counts(
    client: Client, tmp_path: Path
) -> None:
    factories.import_text(tmp_path, "b", RULE, title="Leave", scope="hr")
    factories.rebuild()
    assert "Leave" in client.get(reverse("sources")).content.decode()
    revoke("hr", user="erin")
    page = client.get(reverse("sources")).content.decode()
    assert "Leave" not in page
    assert "hr<" not in page


def test_without_a_role_there_is_no_list(client: Client, erin: User) -> None:
    erin.groups.clear()
    assert client.get(reverse("sources")).status_code == 404


def test_the_list_takes_few_queries(
    client: Client, tmp_path: Path, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(20):
        factories.import_text(tmp_path, f"s{number}", f"{RULE} {number}")
    factories.rebuild()
    with django_assert_max_num_queries(12):
        assert len(titles(client)) == 20
