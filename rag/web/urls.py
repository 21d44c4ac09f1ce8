"""Addresses of the pages. The test matrix of user, object and address reads this list."""

from django.urls import URLPattern, URLResolver, path, register_converter
from django.views.generic import RedirectView


class Sha256Converter:
    """A document id: 64 hexadecimal digits."""

    regex = "[0-9a-f]{64}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(Sha256Converter, "sha256")

urlpatterns: list[URLPattern | URLResolver] = [
    path("", RedirectView.as_view(pattern_name="search"), name="home"),
]
