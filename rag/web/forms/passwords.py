"""Django's forms about one's own password, in the words that this site uses elsewhere."""

from typing import TYPE_CHECKING, Any, Final

from django import forms
from django.contrib.auth.forms import PasswordChangeForm, PasswordResetForm, SetPasswordForm
from django.contrib.auth.models import User

if TYPE_CHECKING:
    BaseNew = SetPasswordForm[User]
else:
    BaseNew = SetPasswordForm

_LABELS: Final = {"email": "E-mail address", "new_password2": "New password again"}
_MISSING: Final = {
    "email": "Give your address.",
    "old_password": "Give your old password.",
    "new_password1": "Give a new password.",
    "new_password2": "Give the new password once more.",
}


class ForgottenPasswordForm(PasswordResetForm):
    """The address that a link is sent to."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _name(self)


class NewPasswordForm(BaseNew):
    """A password behind a link."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _name(self)


class ChangePasswordForm(PasswordChangeForm):
    """Another password for somebody who knows the old one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _name(self)


def _name(form: forms.Form) -> None:
    for name, field in form.fields.items():
        field.label = _LABELS.get(name, field.label)
        field.error_messages["required"] = _MISSING[name]
