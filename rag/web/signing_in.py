"""What this site adds to Django's sign-in and to the lock of a name after failed sign-ins."""

from collections.abc import Mapping
from typing import Any

from axes.helpers import get_client_username
from axes.utils import reset
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordResetConfirmView
from django.http import HttpRequest, HttpResponse

from rag.web.forms.passwords import NewPasswordForm


def has_no_name(request: HttpRequest, credentials: Mapping[str, Any] | None = None) -> bool:
    """Whether an attempt to sign in names nobody, as single sign-on does: it locks nothing.

    There is no password to guess in it, and a lock without a name would shut out everybody at
    one address.
    """
    return not get_client_username(request, credentials)


class NewPasswordView(PasswordResetConfirmView):
    """The form behind a link sent by mail. Who can read that mail is no guesser of passwords:
    the new one opens at once, from every address."""

    form_class = NewPasswordForm

    def form_valid(self, form: "SetPasswordForm[User]") -> HttpResponse:
        response = super().form_valid(form)
        reset(username=form.user.get_username())
        return response
