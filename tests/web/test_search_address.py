"""The address of a search holds the whole search; every thread serves it with the same models."""

import threading
from dataclasses import replace
from datetime import date

from django.http import QueryDict

from rag.core.retrieval import Mode
from rag.core.sources import Status
from rag.web.forms.search import Search, SearchForm
from rag.web.parts import site_parts


def test_the_address_holds_everything() -> None:
    search = Search(
        q="export & “csv” #1",
        scopes=("a b", "hr"),
        product="GX+1",
        as_of=date(2026, 11, 30),
        statuses=(Status.SUPERSEDED, Status.HISTORICAL),
        mode=Mode.LEXICAL,
        page=3,
    )
    for each in (search, Search(), replace(search, page=1, scopes=())):
        form = SearchForm(QueryDict(each.url().partition("?")[2]))
        assert form.search() == each
        assert form.sentences() == {}


def test_every_thread_serves_with_the_same_parts() -> None:
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(site_parts())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(parts) for parts in found}) == 1
