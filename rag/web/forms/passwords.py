"""Django's forms about one's own password, with the words that this site uses elsewhere."""

from typing import TYPE_CHECKING, Any, Final

from django.contrib.auth.forms import PasswordChangeForm, PasswordResetForm, SetPasswordForm
from django.contrib.auth.models import User

if TYPE_CHECKING:
    BaseNew = SetPasswordForm[User]
else:
    BaseNew = SetPasswordForm

AGAIN: Final = "New password again"


class ForgottenPasswordForm(PasswordResetForm):
    """The address that a link is sent to."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].label = "E-mail address"


class NewPasswordForm(BaseNew):
    """A password behind a link."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new_password2"].label = AGAIN


class ChangePasswordForm(PasswordChangeForm):
    """Another password for somebody who knows the old one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["new_password2"].label = AGAIN
