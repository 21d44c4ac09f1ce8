"""Filters of a list: one value each, as a row of links."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from django.contrib.admin import SimpleListFilter
from django.contrib.admin.views.main import ChangeList
from django.db.models import QuerySet
from django.http import HttpRequest


@dataclass(frozen=True)
class Choice:
    """One value of a filter."""

    words: str
    url: str
    selected: bool


@dataclass(frozen=True)
class Filter:
    """A filter with its values in order."""

    title: str
    choices: tuple[Choice, ...]


class ListFilter(SimpleListFilter, ABC):
    """Rows with one value; without a ``default`` all rows, until one is chosen."""

    parameter_name: str
    default: ClassVar[str] = ""

    @abstractmethod
    def values(self, request: HttpRequest) -> Iterable[str]:
        """The values to choose from, which are those that the person may know."""

    @abstractmethod
    def narrowed(self, rows: QuerySet[Any], value: str) -> QuerySet[Any]:
        """The rows with that value."""

    def words(self, value: str) -> str:
        """The value for people."""
        return value

    def shown(self, listing: ChangeList) -> Filter:
        """The filter as links from the list as it is."""
        name = self.parameter_name
        every = Choice("all", listing.get_query_string(remove=[name]), not self.value())
        choices = tuple(
            Choice(str(words), listing.get_query_string({name: value}), self.value() == value)
            for value, words in self.lookup_choices
        )
        return Filter(str(self.title), choices if self.default else (every, *choices))

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(value, self.words(value)) for value in self.values(request)]

    def value(self) -> str:
        return super().value() or self.default

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        return self.narrowed(queryset, value) if value else queryset
