"""What the address of a search says, checked; and the address of every other search."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final

from django import forms
from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from rag.core.retrieval import LONGEST_QUESTION, Mode
from rag.core.sources import Access, Selection, Status
from rag.web.forms.sentences import at_most

PAGES: Final = 10
PER_PAGE: Final = 10


@dataclass(frozen=True)
class Search:
    """A search as its address says it. ``as_of`` None is today, ``scopes`` empty is all."""

    q: str = ""
    scopes: tuple[str, ...] = ()
    product: str = ""
    as_of: date | None = None
    statuses: tuple[Status, ...] = ()
    mode: Mode = Mode.HYBRID
    page: int = 1

    @property
    def selection(self) -> Selection:
        return Selection(statuses=frozenset(self.statuses), product=self.product)

    def narrowed(self, access: Access) -> Access:
        """The access with no more scopes than were named. It is never more than ``access``."""
        if not self.scopes:
            return access
        return replace(access, scopes=access.scopes & frozenset(self.scopes))

    def url(self, **changes: Any) -> str:
        """The one address of this search, or of the one with these changes."""
        other = replace(self, **changes)
        pairs = [
            ("q", other.q),
            *(("scope", name) for name in other.scopes),
            ("product", other.product),
            ("as_of", other.as_of.isoformat() if other.as_of else ""),
            *(("archive", status.value) for status in other.statuses),
            ("mode", "" if other.mode is Mode.HYBRID else other.mode.value),
            ("page", str(other.page) if other.page > 1 else ""),
        ]
        query = urlencode([pair for pair in pairs if pair[1]])
        return f"{reverse('search')}{'?' if query else ''}{query}"


class NameField(forms.ChoiceField):
    """Any name: one that may not be read must not be told from one that is not there."""

    def valid_value(self, value: str) -> bool:
        return True


class NamesField(forms.MultipleChoiceField):
    """Any names, for the same reason."""

    def valid_value(self, value: str) -> bool:
        return True


class SearchForm(forms.Form):
    """The fields of the address. All may be missing."""

    q = forms.CharField(
        max_length=LONGEST_QUESTION,
        error_messages=at_most("A search", LONGEST_QUESTION),
    )
    scope = NamesField()
    product = forms.CharField(
        max_length=100,
        error_messages=at_most("A product code", 100),
    )
    as_of = forms.DateField(
        input_formats=["%Y-%m-%d"],
        error_messages={"invalid": "The day must be a date such as 2026-11-30."},
    )
    archive = forms.MultipleChoiceField(
        choices=[(status.value, status.value) for status in Status],
        error_messages={
            "invalid_choice": "The archive holds what is superseded, historical or current."
        },
    )
    mode = forms.ChoiceField(
        choices=[(mode.value, mode.value) for mode in Mode],
        error_messages={"invalid_choice": "The ranking is hybrid, dense or lexical."},
    )
    page = forms.IntegerField(
        min_value=1,
        max_value=PAGES,
        error_messages=dict.fromkeys(
            ("invalid", "min_value", "max_value"), f"There are pages 1 to {PAGES}."
        ),
    )

    def __init__(self, data: QueryDict) -> None:
        super().__init__(data)
        for field in self.fields.values():
            field.required = False

    def clean_q(self) -> str:
        q: str = self.cleaned_data["q"]
        if q and not has_word(q):
            raise forms.ValidationError("Type at least one word or number.")
        return q

    def search(self) -> Search:
        """The search that the valid fields ask for; the others count as missing."""
        self.full_clean()
        values = self.cleaned_data
        return Search(
            q=values.get("q", ""),
            scopes=tuple(sorted(set(filter(None, values.get("scope", []))))),
            product=values.get("product", ""),
            as_of=values.get("as_of"),
            statuses=tuple(
                status for status in Status if status.value in values.get("archive", [])
            ),
            mode=Mode(values.get("mode") or Mode.HYBRID),
            page=values.get("page") or 1,
        )

    def sentences(self) -> Mapping[str, str]:
        """The fields that make no sense, each with its sentence."""
        return {name: str(errors[0]) for name, errors in self.errors.items()}


def has_word(q: str) -> bool:
    """Whether there is something to search for."""
    return any(character.isalnum() for character in q)
