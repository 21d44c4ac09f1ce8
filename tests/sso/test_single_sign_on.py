"""Single sign-on against a real provider on loopback and a real site behind gunicorn."""

import json
import time
from collections.abc import Iterator
from typing import Any, Final

import pytest
import requests

from tests.browser.serving import Running, serve
from tests.sites.site import Site
from tests.sso.provider import OTHER_KEY, Provider, running_provider, settings_for

ERIN: Final = {
    "sub": "248289761001",
    "preferred_username": "erin.miller",
    "email": "erin@example.org",
    "groups": ["everybody", "people", "unmapped"],
}
PEOPLE: Final = """
import json
from django.contrib.auth.models import User
from rag.models import AuditEvent, Identity
print("found", json.dumps({
    "people": {p.username: sorted(g.name for g in p.groups.all()) for p in User.objects.all()},
    "usable": [p.username for p in User.objects.all() if p.has_usable_password()],
    "subjects": sorted(Identity.objects.values_list("subject", flat=True)),
    "events": [e.action for e in AuditEvent.objects.filter(actor="single-sign-on")],
}))
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with running_provider() as provider:
        yield provider


@pytest.fixture(scope="module")
def running(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home = tmp_path_factory.mktemp("sso") / "home"
    Site(home).create()
    with serve(home, **settings_for(provider)) as running:
        yield running


@pytest.fixture(autouse=True)
def honest(provider: Provider) -> None:
    """Each test begins with a provider that says the truth of Erin."""
    provider.person, provider.token = dict(ERIN), {}
    provider.key, provider.error = Provider().key, ""
    provider.other_subject = provider.down = False


def sign_in(running: Running, path: str = "/accounts/sso/") -> requests.Response:
    """A browser that follows every redirect, from this site to the provider and back."""
    with requests.Session() as browser:
        browser.trust_env = False
        return browser.get(running.address + path, timeout=30)


def found(running: Running) -> Any:
    output = running.run("shell", "--command", PEOPLE)
    return json.loads(output.rpartition("found ")[2])


def name_in(page: requests.Response) -> bool:
    return "Sign out" in page.text and "erin.miller" in page.text


def test_sign_in_page_offers_single_sign_on(running: Running) -> None:
    page = requests.get(running.address + "/accounts/login/?next=/ask/", timeout=30)
    assert 'href="/accounts/sso/?next=/ask/"' in page.text


def test_person_is_made_in_the_groups_of_the_claims(running: Running) -> None:
    page = sign_in(running)
    assert page.status_code == 200 and name_in(page)
    after = found(running)
    assert after["people"]["erin.miller"] == ["member", "people-team"]
    assert "erin.miller" not in after["usable"]
    assert after["subjects"] == [ERIN["sub"]]


def test_lost_claim_takes_its_group_and_no_other(running: Running, provider: Provider) -> None:
    sign_in(running)
    add = "from django.contrib.auth.models import *; u = User.objects.get(username='erin.miller'); "
    running.run("shell", "--command", add + "u.groups.add(Group.objects.get(name='sellers'))")
    provider.person["groups"] = ["everybody", "lawyers"]
    sign_in(running)
    after = found(running)
    assert after["people"]["erin.miller"] == ["member", "reviewer", "sellers"]
    assert after["events"][-1] == "set_groups"


def test_renamed_person_stays_the_same_person(running: Running, provider: Provider) -> None:
    sign_in(running)
    provider.person["preferred_username"] = "erin.smith"
    assert name_in(sign_in(running))
    assert len(found(running)["subjects"]) == 1


def test_provider_cannot_take_over_a_local_account(running: Running, provider: Provider) -> None:
    provider.person |= {"sub": "another", "preferred_username": "Sam"}
    page = sign_in(running)
    assert page.status_code == 409
    assert "is taken" in page.text and "Sign out" not in page.text
    assert "another" not in found(running)["subjects"]


def test_sign_in_goes_back_to_the_page_that_was_asked_for(running: Running) -> None:
    page = sign_in(running, "/accounts/sso/?next=/ask/")
    assert page.url == running.address + "/ask/"


WRONG: Final[dict[str, dict[str, Any]]] = {
    "audience": {"token": {"aud": "another site"}},
    "no audience": {"token": {"aud": None}},
    "issuer": {"token": {"iss": "https://elsewhere.example"}},
    "expired": {"token": {"exp": int(time.time()) - 60}},
    "no expiry": {"token": {"exp": None}},
    "nonce": {"token": {"nonce": "replayed"}},
    "no subject": {"token": {"sub": None}},
    "another key": {"key": OTHER_KEY},
    "another subject": {"other_subject": True},
    "refused": {"error": "access_denied"},
    "blank name": {"person": {"sub": "x", "preferred_username": "  "}},
    "no name": {"person": {"sub": "x"}},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=list(WRONG))
def test_answer_that_proves_nothing_signs_nobody_in(
    running: Running, provider: Provider, wrong: dict[str, Any]
) -> None:
    for name, value in wrong.items():
        setattr(provider, name, value)
    page = sign_in(running)
    assert page.status_code == 409
    assert "Sign out" not in page.text
    assert provider.issuer in page.text or "Your provider sent no usable" in page.text


def test_provider_that_breaks_off_is_named(running: Running, provider: Provider) -> None:
    provider.down = True
    page = sign_in(running)
    assert page.status_code == 503
    assert f"{provider.issuer}: sign-in failed" in page.text


def test_deactivated_person_is_not_signed_in(running: Running) -> None:
    sign_in(running)
    change = "from django.contrib.auth.models import User; "
    running.run(
        "shell",
        "--command",
        change + "User.objects.filter(username='erin.miller').update(is_active=False)",
    )
    try:
        assert sign_in(running).status_code == 409
    finally:
        running.run("shell", "--command", change + "User.objects.update(is_active=True)")


def test_person_who_is_deactivated_is_out_on_the_next_request(running: Running) -> None:
    change = "from django.contrib.auth.models import User; User.objects"
    with requests.Session() as browser:
        browser.trust_env = False
        assert name_in(browser.get(running.address + "/accounts/sso/", timeout=30))
        running.run("shell", "--command", f"{change}.update(is_active=False)")
        page = browser.get(running.address + "/search/", timeout=30)
        running.run("shell", "--command", f"{change}.update(is_active=True)")
    assert "Sign out" not in page.text


def test_callback_with_a_made_up_state_is_refused(running: Running) -> None:
    page = sign_in(running, "/accounts/sso/callback/?code=a&state=b")
    assert page.status_code == 409
    assert "Sign out" not in page.text
