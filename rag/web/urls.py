"""Addresses of the pages. The test matrix of user, object and address reads this list."""

from django.urls import URLPattern, URLResolver, path, register_converter

from rag.web.views.answers import answer, answer_cancel, answers
from rag.web.views.ask import ask
from rag.web.views.home import home
from rag.web.views.search import search
from rag.web.views.sources import readers, source, source_text, sources
from rag.web.views.status import status, status_progress, status_rebuild
from rag.web.views.upload import upload_page


class Sha256Converter:
    """A document id: 64 hexadecimal digits."""

    regex = "[0-9a-f]{64}"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(Sha256Converter, "sha256")

urlpatterns: list[URLPattern | URLResolver] = [
    path("", home, name="home"),
    path("search/", search, name="search"),
    path("ask/", ask, name="ask"),
    path("answers/", answers, name="answers"),
    path("answers/<uuid:answer_id>/", answer, name="answer"),
    path("answers/<uuid:answer_id>/cancel/", answer_cancel, name="answer_cancel"),
    path("sources/", sources, name="sources"),
    path("sources/<sha256:document_id>/", source, name="source"),
    path("sources/<sha256:document_id>/text/", source_text, name="source_text"),
    path("sources/<sha256:document_id>/readers/", readers, name="readers"),
    path("upload/", upload_page, name="upload"),
    path("status/", status, name="status"),
    path("status/progress/", status_progress, name="status_progress"),
    path("status/rebuild/", status_rebuild, name="status_rebuild"),
]
