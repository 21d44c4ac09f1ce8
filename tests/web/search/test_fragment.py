"""The part of the search page that htmx replaces, and the address that goes with it."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.web.search.pages import fragment, page, serve, shown, titles

pytestmark = pytest.mark.django_db


def test_the_fragment_holds_the_results_and_what_changes_with_them(
    client: Client, tmp_path: Path
) -> None:
    serve(tmp_path, "Reporting")
    html = shown(fragment(client, q="export"))
    assert titles(html) == ["Reporting"]
    assert "<html" not in html
    assert "<title>export · Search · Evidence</title>" in html
    assert '<p id="announced" hx-swap-oob="innerHTML">1 result</p>' in html
    swapped = re.findall(r'id="([^"]+)"[^>]* hx-swap-oob', html)
    whole = page(client, q="export")
    assert len(swapped) == len(set(swapped)) > 5
    assert all(whole.count(f'id="{name}"') == 1 for name in swapped)
    assert "hx-swap-oob" not in whole


def test_going_back_gets_the_whole_page(client: Client) -> None:
    headers = {"HX-Request": "true", "HX-History-Restore-Request": "true"}
    response = client.get(reverse("search"), {"q": "export"}, headers=headers)
    assert "<html" in shown(response)


def test_typing_replaces_the_address_and_a_filter_adds_one(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "Reporting")
    query: dict[str, Any] = {"q": " export ", "product": "", "as_of": "", "mode": "hybrid"}
    assert fragment(client, typing=True, **query)["HX-Replace-Url"] == "/search/?q=export"
    response = fragment(client, **query | {"scope": "public"})
    assert response["HX-Push-Url"] == "/search/?q=export&scope=public"


def test_the_same_address_is_not_added_twice(client: Client, tmp_path: Path) -> None:
    serve(tmp_path, "Reporting")
    there = "http://testserver/search/?q=export"
    headers = {"HX-Request": "true", "HX-Current-URL": there}
    response = client.get(reverse("search"), {"q": "export"}, headers=headers)
    assert response["HX-Push-Url"] == "false"
