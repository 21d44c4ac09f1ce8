"""Forms about people, groups, scopes and grants. What may be is decided in ``actions``."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from django import forms
from django.contrib.auth.models import Group, User
from django.contrib.auth.password_validation import (
    password_validators_help_text_html,
    validate_password,
)
from django.core.exceptions import ValidationError

from rag.actions.people import Account
from rag.core.roles import Permission
from rag.models import Scope
from rag.web.forms.sentences import at_most

PERMISSIONS: Final[Mapping[Permission, str]] = MappingProxyType(
    {
        Permission.SEARCH: "search and open sources",
        Permission.ASK: "ask",
        Permission.UPLOAD: "upload sources",
        Permission.REVIEW: "review: read what is pending and what is no longer served",
        Permission.APPROVE: "approve, reject and withdraw",
        Permission.OPERATE: "see the index, rebuild it and read the whole record",
        Permission.PEOPLE: "give out accounts, groups, scopes and grants",
    }
)


def _groups() -> list[tuple[str, str]]:
    return [(name, name) for name in Group.objects.order_by("name").values_list("name", flat=True)]


def _scopes() -> list[tuple[str, str]]:
    names = Scope.objects.order_by("name").values_list("name", flat=True)
    return [("", "Choose"), *((name, name) for name in names)]


def _holders() -> list[Any]:
    names = User.objects.order_by("username").values_list("username", flat=True)
    groups = [(f"group:{name}", name) for name, _ in _groups()]
    return [
        ("", "Choose"),
        ("Groups", groups),
        ("People", [(f"user:{name}", name) for name in names]),
    ]


def _named(longest: int) -> dict[str, str]:
    return {"required": "Give a name.", **at_most("A name", longest)}


def _chosen(what: str) -> dict[str, str]:
    sentence = f"Choose {what} from the list."
    return {"required": sentence, "invalid_choice": sentence}


class AccountForm(forms.Form):
    """What an admin decides about somebody."""

    email = forms.EmailField(
        label="E-mail address",
        required=False,
        max_length=254,
        help_text="A forgotten password is reset by mail to it.",
        error_messages={"invalid": "Give an address such as erin@example.org."},
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    groups = forms.MultipleChoiceField(
        choices=_groups,
        required=False,
        error_messages={"invalid_choice": "There is no group %(value)s any more."},
        widget=forms.CheckboxSelectMultiple,
        help_text="A role says what somebody may do; grants say what somebody may read.",
    )
    active = forms.BooleanField(
        label="May sign in",
        required=False,
        help_text="Without it every session ends; what is on record stays.",
    )

    def account(self) -> Account:
        """The account of a valid form."""
        data = self.cleaned_data
        return Account(data["email"], data["active"], frozenset(data["groups"]))


class PasswordForm(forms.Form):
    """A password for somebody, typed twice, or none."""

    # Shown, not asked: a browser that keeps passwords files the new one under this name.
    name = forms.CharField(
        disabled=True, required=False, widget=forms.TextInput(attrs={"autocomplete": "username"})
    )
    password = forms.CharField(
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
        help_text=password_validators_help_text_html(),
    )
    repeated = forms.CharField(
        label="Password again",
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )

    def __init__(self, *args: Any, user: User | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user or User()
        self.fields["name"].initial = self.user.username

    def clean(self) -> dict[str, Any]:
        """The same password twice, and one that the site's rules allow."""
        data = super().clean() or {}
        password, repeated = data.get("password", ""), data.get("repeated", "")
        if password != repeated:
            self.add_error("repeated", "The two passwords are not the same.")
        elif password:
            self.user.username = data.get("name") or self.user.username
            try:
                validate_password(password, self.user)
            except ValidationError as error:
                self.add_error("password", error)
        return data

    def secret(self) -> str | None:
        """The password of a valid form; None for none."""
        return self.cleaned_data["password"] or None


class ChangedPasswordForm(PasswordForm):
    """Another password for somebody. Two empty fields are no wish to take it away."""

    removed = forms.BooleanField(
        label="Take the password away",
        required=False,
        help_text="For somebody who signs in by single sign-on alone.",
    )

    def clean(self) -> dict[str, Any]:
        """A password, or the box: not both, and not neither."""
        data = super().clean()
        typed = bool(self.data.get("password") or self.data.get("repeated"))
        if typed and data.get("removed"):
            self.add_error("removed", "Either type a password or take it away.")
        elif not typed and not data.get("removed"):
            self.add_error("password", "Type a password, or tick the box to take it away.")
        return data


class NewUserForm(AccountForm, PasswordForm):
    """Somebody new."""

    name = forms.CharField(
        max_length=150,
        help_text="For good: it stands in the record. Letters, digits and @ . + - _.",
        error_messages=_named(150),
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    field_order = ("name", "email", "groups", "active", "password", "repeated")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        alone = "Leave both empty for somebody who signs in by single sign-on alone."
        self.fields["repeated"].help_text = alone


class PermissionsForm(forms.Form):
    """What the people of a group may do."""

    permissions = forms.TypedMultipleChoiceField(
        label="Its people may",
        required=False,
        coerce=Permission,
        choices=[(permission.value, words) for permission, words in PERMISSIONS.items()],
        widget=forms.CheckboxSelectMultiple,
        help_text="To approve, to give out accounts and to read the record take review, too.",
    )


class NewGroupForm(PermissionsForm):
    """A new group; without permissions it only carries grants."""

    name = forms.CharField(
        max_length=150, help_text="It cannot be changed later.", error_messages=_named(150)
    )
    field_order = ("name", "permissions")


class NewScopeForm(forms.Form):
    """A new area of access."""

    name = forms.CharField(
        max_length=100,
        help_text="It cannot be changed later. No comma.",
        error_messages=_named(100),
    )


class GrantForm(forms.Form):
    """A scope for a group or a person."""

    scope = forms.ChoiceField(choices=_scopes, error_messages=_chosen("a scope"))
    holder = forms.ChoiceField(
        label="Granted to", choices=_holders, error_messages=_chosen("a group or a person")
    )

    def chosen(self) -> dict[str, str]:
        """``user`` or ``group`` with the name, of a valid form."""
        kind, _, name = self.cleaned_data["holder"].partition(":")
        return {kind: name}
