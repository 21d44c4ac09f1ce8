"""Everybody at every address with every object: opened, or exactly like an address of nothing."""

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client

from rag.actions.asking import ask
from rag.actions.governing import erase, reject, withdraw
from rag.actions.people import grant
from rag.core.retrieval import Options
from rag.core.sources import Selection
from rag.models import Grant
from rag.queries.eligibility import access_of_user
from tests import factories
from tests.web.matrix import (
    ANSWERS,
    ANYBODY,
    MISSING_ID,
    PEOPLE,
    ROWS,
    RULES,
    TEXTS,
    Rule,
    opens,
    routes,
)

NOWHERE: Final = "/nowhere/"
METHODS: Final = ("get", "post")
# The queue, and every other address below it, which is nothing.
CATCH_ALL: Final = "review/"
TOKEN: Final = re.compile(rb'(name="csrfmiddlewaretoken" value=")\w+')
HTMX: Final = {"HX-Request": "true"}
pytestmark = pytest.mark.django_db


@dataclass(frozen=True)
class World:
    """The ids of what is in the tables: texts by state, and who asked which answer."""

    texts: dict[str, str]
    answers: dict[str, uuid.UUID]
    waiting: dict[str, uuid.UUID]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.setattr("rag.web.views.status.start_rebuild", lambda actor: None)
    factories.user("op")
    texts = {}
    for state in ("approved", "pending", "rejected", "withdrawn", "erased", "hidden"):
        scope = "hr" if state == "hidden" else "sales"
        approved = state not in ("pending", "rejected")
        text = f"# Leave\n\nThe {state} leave is thirty days in every year of work."
        made = factories.import_text(tmp_path, f"{scope}/{state}", text, scope=scope,
                                     approve=approved)  # fmt: skip
        texts[state] = made.document_id
    factories.rebuild()
    reject(texts["rejected"], actor="op", reason="wrong")
    withdraw(texts["withdrawn"], actor="op", reason="old")
    erase(texts["erased"], actor="op", reason="private")
    for name, (role, scopes) in PEOPLE.items():
        factories.user(name, groups=[role] if role else [])
        for scope in scopes:
            grant(scope, user=name)
    answers = {name: asked_by(name) for name in PEOPLE}
    waiting = {name: factories.pending_answer(factories.user(name)).pk for name in PEOPLE}
    return World(texts | {"missing": MISSING_ID}, answers, waiting)


def asked_by(name: str) -> uuid.UUID:
    access = access_of_user(name, factories.TODAY)
    asked = ask("How long is the leave?", access, Selection(), Options(), factories.parts())
    return asked.answer.pk


def address(route: str, thing: str, name: str, world: World) -> str:
    """The route with an object in its place."""
    other = "sam" if name != "sam" else "rosa"
    answer = {
        "own": world.answers.get(name),
        "another's": world.answers[other],
        "own waiting": world.waiting.get(name),
        "another's waiting": world.waiting[other],
    }
    places: dict[str, object] = {
        "<sha256:document_id>": world.texts.get(thing),
        "<str:document_id>": world.texts.get(thing),
        "<uuid:answer_id>": answer.get(thing) or uuid.UUID(int=0),
        "<int:key>": row(route) if thing == "present" else 999_999,
        "<uidb64>/<token>": "AA/aa-aa",
    }
    path = route
    for place, value in places.items():
        path = path.replace(place, str(value))
    return f"/{path}"


def row(route: str) -> int:
    """The key of a row of that kind, made anew: some addresses remove it."""
    if "/user/" in route:
        return User.objects.get(username="nora").pk
    if "/group/" in route:
        return Group.objects.get_or_create(name="a team")[0].pk
    scope = factories.scope("empty")
    return Grant.objects.get_or_create(scope=scope, user=factories.user("nora"))[0].pk


def cases() -> Iterator[tuple[str, Rule, str]]:
    """Every address with every object; signing out comes last, since it ends the session."""
    for route in sorted(RULES, key=lambda route: (route == "accounts/logout/", route)):
        for thing in RULES[route].objects:
            yield route, RULES[route], thing


def client_of(name: str) -> Client:
    client = Client()
    client.force_login(factories.user(name), "django.contrib.auth.backends.ModelBackend")
    return client


def send(client: Client, method: str, path: str, headers: dict[str, str]) -> Any:
    """One request; an address that takes a post takes one without fields, which changes nothing."""
    return getattr(client, method)(path, headers=headers)


def observed(response: Any) -> tuple[int, dict[str, str], bytes]:
    """All that a person can see of a response; a form's token is drawn anew each time."""
    return response.status_code, dict(response.headers), TOKEN.sub(rb"\1", response.content)


def test_every_address_of_the_resolver_is_in_the_matrix() -> None:
    assert sorted(RULES) == sorted(set(routes()))
    assert list(routes()).count(CATCH_ALL) == 2


def test_matrix_has_every_kind_of_object() -> None:
    assert {rule.objects for rule in RULES.values()} == {("",), TEXTS, ANSWERS, ROWS}


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
@pytest.mark.parametrize("name", PEOPLE)
def test_person_opens_what_the_rules_say_and_the_rest_is_missing(
    world: World, name: str, headers: dict[str, str]
) -> None:
    permissions = frozenset(factories.user(name).get_all_permissions())
    client = client_of(name)
    nothing = {method: observed(send(client, method, NOWHERE, headers)) for method in METHODS}
    wrong = []
    for route, rule, thing in cases():
        path = address(route, thing, name, world)
        response = send(client, rule.method, path, headers)
        if rule.method == "post":
            send(client, "get", NOWHERE, {})  # shows the message that it may leave for a next page
        if opens(name, rule, thing, permissions):
            if response.status_code == 404 or response.status_code >= 500:
                wrong.append(f"{rule.method} {path} ({thing}): {response.status_code}")
        elif observed(response) != nothing[rule.method]:
            wrong.append(f"{rule.method} {path} ({thing}) is not like nothing")
    assert wrong == []


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "fragment"])
def test_nobody_signed_in_is_sent_to_sign_in_whatever_there_is(
    world: World, headers: dict[str, str]
) -> None:
    wrong = []
    for route, rule, thing in cases():
        path = address(route, thing, "nobody", world)
        response = send(Client(), rule.method, path, headers)
        if rule.who == ANYBODY:
            expected = response.status_code in (200, 302)
        elif headers:
            expected = response.status_code == 204 and "HX-Redirect" in response.headers
        else:
            expected = response.headers.get("Location") == f"/accounts/login/?next={path}"
        if not expected:
            wrong.append(f"{rule.method} {path} ({thing}): {response.status_code}")
    assert wrong == []


@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_other_methods_change_nothing_and_tell_nothing(world: World, method: str) -> None:
    client = client_of("sam")
    answers = []
    for thing in TEXTS:
        path = address("sources/<sha256:document_id>/", thing, "sam", world)
        answers.append(getattr(client, method)(path).status_code)
    assert set(answers) == {405}


def test_page_of_nothing_is_a_404(world: World) -> None:
    for name in PEOPLE:
        assert {send(client_of(name), method, NOWHERE, {}).status_code for method in METHODS} == {
            404
        }
