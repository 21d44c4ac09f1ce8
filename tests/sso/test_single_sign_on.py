"""Single sign-on against a real provider on loopback and a real site behind gunicorn."""

import hashlib
import json
import re
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
    "emails": {p.username: p.email for p in User.objects.all()},
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


def change(running: Running, statement: str) -> None:
    """Change people behind the site's back."""
    running.run("shell", "--command", f"from django.contrib.auth.models import *; {statement}")


def logged(running: Running, page: requests.Response) -> str:
    """The one line of the log that has the reference that the page shows."""
    reference = re.search(r"reference ([0-9a-f]{8})", page.text)
    assert reference, page.text
    log = (running.site.home / "gunicorn.log").read_text()
    (line,) = [line for line in log.splitlines() if reference[1] in line]
    return line


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


def test_person_without_a_group_comes_to_a_page_that_says_so(
    running: Running, provider: Provider
) -> None:
    provider.person |= {"sub": "7", "preferred_username": "newcomer", "groups": ["unmapped"]}
    page = sign_in(running)
    assert page.status_code == 200
    assert "no role yet" in page.text and "newcomer" in page.text


def test_claims_that_are_null_are_empty(running: Running, provider: Provider) -> None:
    provider.person |= {"sub": "8", "preferred_username": "blank", "email": None, "groups": None}
    assert sign_in(running).status_code == 200
    after = found(running)
    assert (after["emails"]["blank"], after["people"]["blank"]) == ("", [])


def test_failed_single_sign_ons_lock_nobody_out(running: Running, provider: Provider) -> None:
    provider.other_subject = True
    for _ in range(6):
        assert sign_in(running).status_code == 409
    provider.other_subject = False
    assert name_in(sign_in(running))


def test_password_sign_in_stays_locked_beside_single_sign_on(running: Running) -> None:
    with requests.Session() as browser:
        browser.trust_env = False
        address = running.address + "/accounts/login/"
        form = {"username": "ghost", "password": "wrong"}
        for _ in range(5):
            browser.get(address, timeout=30)
            token = {"csrfmiddlewaretoken": browser.cookies["csrftoken"]}
            page = browser.post(address, form | token, timeout=30)
    assert page.status_code == 429
    assert name_in(sign_in(running))


def test_mapped_group_that_is_missing_is_told_and_in_the_log(
    running: Running, provider: Provider
) -> None:
    provider.person |= {"sub": "9", "preferred_username": "casper", "groups": ["spirits"]}
    page = sign_in(running)
    assert page.status_code == 409
    assert provider.issuer in page.text and "OIDC_GROUPS" in page.text
    assert "no-such-group" not in page.text
    assert "OIDC_GROUPS: There is no group 'no-such-group'" in logged(running, page)
    assert "casper" not in found(running)["people"]


FAILURES: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "audience": ({"token": {"aud": "another site"}}, "The token is not for this site."),
    "expired": ({"token": {"exp": int(time.time()) - 60}}, "ExpiredSignatureError in"),
    "no subject": ({"token": {"sub": None}}, "it did not vouch for an active account"),
    "refused": ({"error": "access_denied"}, "it did not vouch for an active account"),
    "breaks off": ({"down": True}, "sign-in failed: ConnectionError"),
    "no name": ({"person": {"sub": "x"}}, "sent no usable 'preferred_username'"),
}


@pytest.mark.parametrize(("wrong", "cause"), FAILURES.values(), ids=list(FAILURES))
def test_failure_is_in_the_log_under_the_reference_of_its_page(
    running: Running, provider: Provider, wrong: dict[str, Any], cause: str
) -> None:
    for name, value in wrong.items():
        setattr(provider, name, value)
    page = sign_in(running)
    line = logged(running, page)
    assert cause in line and provider.issuer in line
    assert "erin@example.org" not in line and "248289761001" not in line


def test_refused_person_is_in_the_log_by_the_hash_of_the_subject(
    running: Running, provider: Provider
) -> None:
    provider.person |= {"sub": "another", "preferred_username": "Sam"}
    line = logged(running, sign_in(running))
    assert hashlib.sha256(b"another").hexdigest()[:16] in line
    assert "'Sam'" in line and "another" not in line


def test_closed_account_is_in_the_log_by_its_name(running: Running) -> None:
    sign_in(running)
    erin = "User.objects.filter(username='erin.miller').update(is_active={})"
    change(running, erin.format(False))
    page = sign_in(running)
    change(running, erin.format(True))
    assert page.status_code == 409
    assert "'erin.miller' is closed" in (running.site.home / "gunicorn.log").read_text()


def test_last_admin_stays_admin_and_is_signed_in(running: Running, provider: Provider) -> None:
    provider.person["groups"] = ["bosses"]
    sign_in(running)
    adam = "User.objects.filter(username='adam').update(is_active={})"
    change(running, adam.format(False))
    provider.person["groups"] = ["everybody"]
    try:
        assert name_in(sign_in(running))
        assert "admin" in found(running)["people"]["erin.miller"]
    finally:
        change(running, adam.format(True))
    sign_in(running)
    assert "admin" not in found(running)["people"]["erin.miller"]
