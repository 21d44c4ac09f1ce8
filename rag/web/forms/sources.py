"""What the address of a source page may say: the filters of the catalogue, cited passages."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from django import forms
from django.http import QueryDict

from rag.queries.sources import Wanted
from rag.web.forms.search import NameField
from rag.web.forms.sentences import at_most

_OFFSET: Final = re.compile(r"[0-9]{1,9}", re.ASCII)
MAX_PASSAGES: Final = 50
LONGEST: Final = 200


class CatalogueForm(forms.Form):
    """The filters of the catalogue. A scope that one may not read is like an unknown one."""

    q = forms.CharField(
        label="Title or id",
        required=False,
        max_length=LONGEST,
        error_messages=at_most("A title or id", LONGEST),
    )
    all = forms.BooleanField(label="Also show what is not in force", required=False)

    def __init__(self, data: QueryDict, scopes: Iterable[str]) -> None:
        super().__init__(data, label_suffix="")
        names = sorted(scopes)
        self._scopes = frozenset(names)
        self.fields["scope"] = NameField(
            label="Scope",
            required=False,
            choices=[("", "all scopes"), *((name, name) for name in names)],
        )

    @property
    def left_out(self) -> bool:
        """Whether the address names a scope that is none of the person's."""
        scope = self["scope"].value()
        return bool(scope) and scope not in self._scopes

    def clean_scope(self) -> str:
        scope: str = self.cleaned_data["scope"]
        return scope if scope in self._scopes else ""

    def wanted(self) -> Wanted:
        """The filters of a valid form."""
        values = self.cleaned_data
        return Wanted(values["scope"], values["q"], values["all"])


@dataclass(frozen=True)
class Passage:
    """A cited slice of the text in code points; ``number`` is its place in the address, from 1."""

    number: int
    start: int
    end: int


@dataclass(frozen=True)
class Passages:
    """The passages that the address names and the text has; ``missing``: it has not all of them."""

    found: tuple[Passage, ...]
    missing: bool


def passages_in(query: QueryDict, length: int) -> Passages:
    """The pairs of ``?start=&end=`` that lie in a text of ``length`` code points.

    What is no such slice is left out, never moved: a mark is right or it is not there.
    """
    starts, ends = query.getlist("start"), query.getlist("end")
    if len(starts) != len(ends) or len(starts) > MAX_PASSAGES:
        return Passages((), missing=True)
    pairs = [(_offset(start), _offset(end)) for start, end in zip(starts, ends, strict=True)]
    found = tuple(
        Passage(number, start, end)
        for number, (start, end) in enumerate(pairs, 1)
        if 0 <= start < end <= length
    )
    return Passages(found, missing=len(found) < len(pairs))


def _offset(written: str) -> int:
    return int(written) if _OFFSET.fullmatch(written) else -1
