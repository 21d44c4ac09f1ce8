"""Sign-in, sign-out, lock-out, new passwords: what Django and axes do as this site sets them."""

import re
from datetime import timedelta
from typing import Any, Final

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.hashers import identify_hasher
from django.contrib.auth.models import User
from django.core import mail
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from rag.actions.people import set_password
from tests import factories

PASSWORD: Final = "a calm reading room"
pytestmark = pytest.mark.django_db


@pytest.fixture
def erin() -> User:
    person = factories.user("erin", groups=["member"])
    person.email = "erin@example.org"
    person.set_password(PASSWORD)
    person.save()
    return person


def sign_in(client: Client, name: str, password: str, **extra: Any) -> HttpResponseBase:
    """Post the form as a browser does; ``extra`` goes to the request."""
    form = {"username": name, "password": password}
    return client.post(reverse("login"), form, **extra)


def is_signed_in(client: Client) -> bool:
    return client.get(reverse("password_change")).status_code == 200


def test_right_password_signs_in(client: Client, erin: User) -> None:
    response = sign_in(client, "erin", PASSWORD)
    assert (response.status_code, response["Location"]) == (302, reverse("home"))
    assert is_signed_in(client)


def test_passwords_are_hashed_with_argon2(erin: User) -> None:
    assert identify_hasher(erin.password).algorithm == "argon2"


def test_sign_in_goes_back_to_the_page_that_was_asked_for(client: Client, erin: User) -> None:
    form = {"username": "erin", "password": PASSWORD, "next": "/sources/?q=leave"}
    assert client.post(reverse("login"), form)["Location"] == "/sources/?q=leave"


def test_sign_in_goes_to_no_other_site(client: Client, erin: User) -> None:
    form = {"username": "erin", "password": PASSWORD, "next": "https://elsewhere.example/"}
    assert client.post(reverse("login"), form)["Location"] == reverse("home")


def test_wrong_password_and_unknown_name_get_the_same_page(client: Client, erin: User) -> None:
    pages = []
    for name in ("erin", "nobody"):
        page = Client().post(reverse("login"), {"username": name, "password": "wrong"})
        text = re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page.content.decode())
        pages.append((page.status_code, text.replace(f'value="{name}"', "")))
    assert pages[0] == pages[1]
    assert "Please enter a correct username and password" in pages[0][1]


def test_inactive_person_cannot_sign_in(client: Client, erin: User) -> None:
    User.objects.filter(pk=erin.pk).update(is_active=False)
    sign_in(client, "erin", PASSWORD)
    assert not is_signed_in(client)


def test_deactivated_person_is_out_on_the_next_request(client: Client, erin: User) -> None:
    sign_in(client, "erin", PASSWORD)
    User.objects.filter(pk=erin.pk).update(is_active=False)
    assert not is_signed_in(client)


def fail_until_locked(client: Client, settings: Settings, name: str = "erin", **extra: Any) -> int:
    for _ in range(settings.AXES_FAILURE_LIMIT):
        status = sign_in(client, name, "wrong", **extra).status_code
    return status


def test_repeated_failures_lock_out_even_the_right_password(
    client: Client, erin: User, settings: Settings
) -> None:
    assert fail_until_locked(client, settings) == 429
    response = sign_in(client, "erin", PASSWORD)
    assert response.status_code == 429
    assert not is_signed_in(client)


def test_lock_out_says_how_long_it_lasts(client: Client, erin: User, settings: Settings) -> None:
    settings.AXES_COOLOFF_TIME = timedelta(minutes=7)
    fail_until_locked(client, settings)
    form = {"username": "erin", "password": PASSWORD}
    page = client.post(reverse("login"), form).content.decode()
    assert "is closed for 7 minutes from the last attempt" in page


def test_lock_out_is_per_name_and_address(client: Client, erin: User, settings: Settings) -> None:
    factories.user("hana").set_password(PASSWORD)
    fail_until_locked(client, settings, REMOTE_ADDR="10.0.0.1")
    assert sign_in(Client(), "erin", PASSWORD, REMOTE_ADDR="10.0.0.2").status_code == 302
    assert sign_in(Client(), "hana", "wrong", REMOTE_ADDR="10.0.0.1").status_code == 200


def test_unknown_name_is_locked_out_like_a_known_one(
    client: Client, erin: User, settings: Settings
) -> None:
    pages = []
    for name in ("erin", "nobody"):
        assert fail_until_locked(client, settings, name) == 429
        pages.append(client.post(reverse("login"), {"username": name, "password": "x"}).content)
    assert pages[0] == pages[1]


def test_lock_out_ends_after_the_pause(client: Client, erin: User, settings: Settings) -> None:
    fail_until_locked(client, settings)
    for attempt in AccessAttempt.objects.all():
        attempt.attempt_time -= settings.AXES_COOLOFF_TIME * 2
        attempt.save()
    assert sign_in(client, "erin", PASSWORD).status_code == 302


@pytest.mark.parametrize(
    ("behind_proxy", "same"), [(False, True), (True, False)], ids=["direct", "behind a proxy"]
)
def test_forwarded_address_counts_behind_the_proxy_only(
    erin: User, settings: Settings, behind_proxy: bool, same: bool
) -> None:
    settings.BEHIND_TLS_PROXY = behind_proxy
    fail_until_locked(Client(), settings, headers={"X-Forwarded-For": "evil, 10.0.0.1"})
    other = sign_in(Client(), "erin", PASSWORD, headers={"X-Forwarded-For": "10.0.0.1, 10.0.0.2"})
    assert (other.status_code == 429) is same


def test_session_key_changes_at_sign_in(client: Client, erin: User) -> None:
    session = client.session
    session["before"] = True
    session.save()
    before = session.session_key
    sign_in(client, "erin", PASSWORD)
    assert client.session.session_key != before


def test_new_password_ends_the_other_sessions(client: Client, erin: User) -> None:
    other = Client()
    sign_in(client, "erin", PASSWORD)
    sign_in(other, "erin", PASSWORD)
    key = client.session.session_key
    new = "another calm reading room"
    form = {"old_password": PASSWORD, "new_password1": new, "new_password2": new}
    assert client.post(reverse("password_change"), form).status_code == 302
    assert (is_signed_in(client), is_signed_in(other)) == (True, False)
    assert client.session.session_key != key


def test_sign_out_takes_a_post_and_ends_the_session(client: Client, erin: User) -> None:
    sign_in(client, "erin", PASSWORD)
    assert client.get(reverse("logout")).status_code == 405
    assert is_signed_in(client)
    assert client.post(reverse("logout"))["Location"] == reverse("login")
    assert not is_signed_in(client)


def link_in_mail() -> str:
    found = re.search(r"http://testserver(/accounts/reset/\S+)", str(mail.outbox[-1].body))
    assert found
    return found[1]


def test_link_sent_by_mail_sets_a_new_password_once(client: Client, erin: User) -> None:
    sign_in(client, "erin", PASSWORD)
    client.post(reverse("password_reset"), {"email": "erin@example.org"})
    link = link_in_mail()
    visitor = Client()
    form = visitor.get(link)["Location"]
    new = {"new_password1": "a new reading room", "new_password2": "a new reading room"}
    assert visitor.post(form, new)["Location"] == reverse("password_reset_complete")
    assert not is_signed_in(client)
    assert sign_in(Client(), "erin", "a new reading room").status_code == 302
    assert "used before" in Client().get(link, follow=True).content.decode()


def test_new_password_by_mail_lifts_the_lock_of_that_name_alone(
    client: Client, erin: User, settings: Settings
) -> None:
    for address in ("127.0.0.1", "10.0.0.1"):
        assert fail_until_locked(client, settings, REMOTE_ADDR=address) == 429
    fail_until_locked(client, settings, "hana")
    client.post(reverse("password_reset"), {"email": "erin@example.org"})
    form = client.get(link_in_mail())["Location"]
    new = {"new_password1": "a new reading room", "new_password2": "a new reading room"}
    assert client.post(form, new)["Location"] == reverse("password_reset_complete")
    for address in ("127.0.0.1", "10.0.0.1"):
        response = sign_in(Client(), "erin", "a new reading room", REMOTE_ADDR=address)
        assert response.status_code == 302
    assert sign_in(client, "hana", "wrong").status_code == 429


def test_password_set_by_an_admin_lifts_the_lock_of_that_name_alone(
    client: Client, erin: User, settings: Settings
) -> None:
    for address in ("127.0.0.1", "10.0.0.1"):
        assert fail_until_locked(client, settings, REMOTE_ADDR=address) == 429
    fail_until_locked(client, settings, "hana")
    set_password("erin", "a new reading room", actor="ada")
    for address in ("127.0.0.1", "10.0.0.1"):
        response = sign_in(Client(), "erin", "a new reading room", REMOTE_ADDR=address)
        assert response.status_code == 302
    assert sign_in(client, "hana", "wrong").status_code == 429


def test_password_taken_away_lifts_no_lock(client: Client, erin: User, settings: Settings) -> None:
    fail_until_locked(client, settings)
    set_password("erin", None, actor="ada")
    assert sign_in(client, "erin", PASSWORD).status_code == 429


def test_refused_new_password_lifts_no_lock(client: Client, erin: User, settings: Settings) -> None:
    fail_until_locked(client, settings)
    client.post(reverse("password_reset"), {"email": "erin@example.org"})
    form = client.get(link_in_mail())["Location"]
    new = {"new_password1": "a new reading room", "new_password2": "another"}
    assert client.post(form, new).status_code == 200
    assert sign_in(client, "erin", PASSWORD).status_code == 429


def test_unknown_address_gets_the_same_page_and_no_mail(client: Client, erin: User) -> None:
    known = client.post(reverse("password_reset"), {"email": "erin@example.org"})
    unknown = client.post(reverse("password_reset"), {"email": "nobody@example.org"})
    assert (known.status_code, known["Location"]) == (unknown.status_code, unknown["Location"])
    assert len(mail.outbox) == 1


@pytest.mark.parametrize(
    "name", ["login", "password_reset", "password_reset_done", "password_reset_complete"]
)
def test_pages_of_signing_in_need_no_session(client: Client, name: str) -> None:
    assert client.get(reverse(name)).status_code == 200
