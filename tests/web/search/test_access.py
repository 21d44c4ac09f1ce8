"""Who searches, what narrows a search, and what it never tells."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from rag.actions.people import grant, revoke
from rag.models import Revision
from tests import factories
from tests.web.search.pages import TEXT, fragment, page, serve, shown, titles

pytestmark = pytest.mark.django_db


def test_without_the_permission_there_is_no_such_page(client: Client) -> None:
    client.force_login(factories.user("guest"))
    missing = client.get("/no-such-page/")
    for response in (client.get(reverse("search")), client.post(reverse("search"))):
        assert response.status_code == 404
        assert shown(response) == shown(missing)


def test_a_search_only_reads(client: Client) -> None:
    assert client.post(reverse("search"), {"q": "export"}).status_code == 405


def test_who_was_granted_nothing_is_told_whom_to_ask(client: Client) -> None:
    revoke("public", user="erin")
    for html in (page(client), page(client, q="export")):
        assert "Nothing is open to you yet." in html
        assert "Ask an admin" in html


def test_a_scope_narrows_and_never_widens(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "Open")
    serve(tmp_path, "Support", scope="support")
    serve(tmp_path, "Secret", scope="hr")
    grant("support", user="erin")
    assert sorted(titles(page(client, q="export"))) == ["Open", "Support"]
    assert titles(page(client, q="export", scope="support")) == ["Support"]
    assert titles(page(client, q="export", scope="hr")) == []
    assert titles(page(client, q="export", scope=["hr", "support"])) == ["Support"]


def test_a_product_narrows(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "One", product="GX-1")
    serve(tmp_path, "Two", product="GX-2")
    html = page(client, q="export", product="GX-1")
    assert titles(html) == ["One"]
    assert re.findall(r'name="product" value="([^"]*)"', html) == ["", "GX-1", "GX-2"]


def test_the_filters_that_are_set_can_be_removed(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "One", product="GX-1")
    html = page(client, q="export", product="GX-1", mode="lexical")
    assert '<a href="/search/?q=export">Remove 2 filters</a>' in html
    assert "Remove" not in page(client, q="export")


@pytest.mark.parametrize(("name", "hidden"), [("scope", "hr"), ("product", "GX-9")])
def test_a_forbidden_filter_is_like_one_that_does_not_exist(
    client: Client, tmp_path: Path, name: str, hidden: str
) -> None:
    serve(tmp_path, "Open", product="GX-1")
    serve(tmp_path, "Secret", scope="hr", product="GX-9")
    for headers in ({}, {"HX-Request": "true"}):
        forbidden, missing = (
            client.get(reverse("search"), {"q": "export", name: value}, headers=headers)
            for value in (hidden, "zz")
        )
        assert forbidden.status_code == missing.status_code == 200
        assert shown(forbidden) == shown(missing).replace("zz", hidden)
        same = {key: value.replace("zz", hidden) for key, value in missing.headers.items()}
        assert dict(forbidden.headers) == same | {"Content-Length": forbidden["Content-Length"]}


def test_hidden_documents_change_no_byte(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "Open", product="GX-1")
    asked: list[dict[str, Any]] = [
        *({}, {"q": "export"}, {"q": "export", "scope": "hr"}, {"q": "export", "mode": "lexical"}),
        *({"q": "secret", "product": "GX-9"}, {"q": "export", "archive": "superseded"}),
    ]
    before = [(page(client, **query), shown(fragment(client, **query))) for query in asked]
    serve(tmp_path, "Secret", scope="hr", product="GX-9", language="de")
    serve(tmp_path, "Old secret", scope="hr", product="GX-8", status="superseded")
    factories.import_text(tmp_path, "Pending", TEXT, approve=False, product="GX-7")
    factories.rebuild()
    after = [(page(client, **query), shown(fragment(client, **query))) for query in asked]
    assert after == before
    assert "Open" in before[1][0]


def test_what_is_withdrawn_is_gone_on_the_next_request(client: Client, tmp_path: Path) -> None:
    revision = serve(tmp_path, "Gone")
    assert titles(page(client, q="export")) == ["Gone"]
    Revision.objects.filter(pk=revision.pk).update(state="withdrawn")
    assert "Gone" not in page(client, q="export") + page(client)
