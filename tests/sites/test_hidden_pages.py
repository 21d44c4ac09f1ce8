"""The twin sites again, page by page: what a person may not read changes no byte of any page."""

import json
import re
from typing import Final
from urllib.parse import urlencode

import pytest

from tests.sites.commands import CALIBRATED, QUESTIONS
from tests.sites.comparing import differences, run_both
from tests.sites.conftest import Twins
from tests.sites.corpus import (
    DAY,
    ERASED,
    HIDDEN_CODE,
    HR,
    PENDING,
    UNKNOWN_CODE,
    WITHDRAWN,
    Command,
    build,
)
from tests.sites.faults import STATISTICS
from tests.sites.site import Site

MEMBER: Final = "sam"
# Who has asked nothing yet: what sam is shown of his own questions depends on other tests.
NEWCOMER: Final = "sue"
REVIEWERS: Final = ("rosa", "paul", "adam")
UNGRANTED: Final = "nora"
LIMIT: Final = "120"
MISSING: Final = "0" * 64
HIDDEN_IDS: Final = """
from rag.models import Revision
print("ids", *Revision.objects.exclude({shown}).values_list("document_id", flat=True))
"""


def search(question: str, **options: object) -> str:
    """The address of a search."""
    return "/search/?" + urlencode({"q": question, **options}, doseq=True)


def searches() -> list[str]:
    """Searches on DAY, narrowed in every way, to hidden values as well."""
    plain = [search(question, as_of=DAY) for question in QUESTIONS]
    modes = [search(CALIBRATED, as_of=DAY, mode=mode) for mode in ("lexical", "dense", "hybrid")]
    narrowed = [
        search(CALIBRATED, as_of=DAY, **{name: value})
        for name, values in {
            "scope": ("sales", "hr", "nowhere"),
            "product": ("GX-100", HIDDEN_CODE, UNKNOWN_CODE),
            "page": ("2", "9", "x"),
            "mode": ("unknown",),
        }.items()
        for value in values
    ]
    return [*plain, *modes, *narrowed, search("", as_of=DAY), search(CALIBRATED, as_of="x")]


def member_pages() -> list[Command]:
    """Searches of a member on DAY, as pages and as fragments."""
    paths = searches()
    pages = [["page", MEMBER, "get", path] for path in paths]
    return [page for whole in pages for page in (whole, [*whole, "htmx=1"])]


def asked(question: str) -> Command:
    """Asking, up to the page of the answer."""
    return ["page", NEWCOMER, "post", "/ask/", f"q={question}", f"as_of={DAY}"]


def crawled(left: Site, right: Site, name: str, *starts: str) -> dict[str, tuple[str, str]]:
    """Every page that ``name`` reaches, as the two sites show it."""
    command = ["crawl", name, LIMIT, *starts]
    pairs = [json.loads(result[0].stdout) for result in run_both(left, right, [command])]
    assert list(pairs[0]) == list(pairs[1])
    return {path: (pairs[0][path], pairs[1][path]) for path in pairs[0]}


def differing(pages: dict[str, tuple[str, str]]) -> list[str]:
    return [path for path, (left, right) in pages.items() if left != right]


def test_hidden_documents_change_no_search_page(twins: Twins) -> None:
    assert differences(twins.plain, twins.today, member_pages()) == []


def test_hidden_documents_change_no_answer_and_no_page_that_a_member_reaches(twins: Twins) -> None:
    """Against the site whose hidden papers nobody in sales may open: whether a code is mentioned
    anywhere also counts copies and the archive, which search leaves out and sellers may read.
    """
    assert differences(twins.plain, twins.always, [asked(question) for question in QUESTIONS]) == []
    pages = crawled(twins.plain, twins.always, NEWCOMER, "/search/", "/sources/", "/answers/")
    assert len(pages) > 20
    assert sum("/answers/" in left for left, _ in pages.values()) > 1
    assert differing(pages) == []


def test_questions_of_the_comparison_are_answered_and_refused(twins: Twins) -> None:
    questions = [question for question in QUESTIONS if question != "?!"]
    pages = [p.stdout.decode() for p in twins.today.run_all([asked(q) for q in questions])]
    assert all(page.startswith("200\n") for page in pages)
    assert sum('class="quotation"' in page for page in pages) > 2
    assert sum("Insufficient evidence" in page for page in pages) > 2


@pytest.fixture(scope="module")
def reviewed(empty_site: Site, tmp_path_factory: pytest.TempPathFactory) -> tuple[Site, Site]:
    """Two sites with pending and withdrawn papers for review; the second has hidden ones, too."""
    folder = tmp_path_factory.mktemp("reviewed")
    left, right = (empty_site.copy(folder / name) for name in ("plain", "hidden"))
    build(left, (*PENDING, *WITHDRAWN))
    build(right, (*PENDING, *WITHDRAWN, *HR, *ERASED))
    return left, right


@pytest.mark.parametrize("name", REVIEWERS)
def test_hidden_documents_change_no_page_that_a_reviewer_reaches(
    reviewed: tuple[Site, Site], name: str
) -> None:
    starts = ["/review/", "/review/rag/revision/", "/sources/", "/upload/", search(CALIBRATED)]
    pages = crawled(*reviewed, name, *starts)
    # What the index is made of is an operator's business, and operators see everything.
    pages = {path: pair for path, pair in pages.items() if not for_operators(path)}
    assert len(pages) > 20
    assert differing(pages) == []


def for_operators(path: str) -> bool:
    return path.startswith(("/status/", "/review/rag/auditevent/"))


def test_somebody_without_a_grant_sees_an_empty_site(twins: Twins) -> None:
    pages = crawled(twins.plain, twins.today, UNGRANTED, "/search/", "/sources/", "/answers/")
    assert differing(pages) == []
    assert not any("GX-100" in left for left, _ in pages.values())


def hidden_ids(site: Site, shown: str) -> list[str]:
    output = site.run("shell", "--command", HIDDEN_IDS.format(shown=shown)).stdout.decode()
    found = re.search(r"^ids (.*)$", output, re.MULTILINE)
    assert found, output
    return found[1].split()


def addresses(document: str) -> list[str]:
    base = f"/sources/{document}/"
    review = f"/review/rag/revision/{document}/change/"
    return [base, f"{base}?start=0&end=5", f"{base}text/", f"{base}readers/", review]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("sam", 'source__scope__name="sales", state="approved"'),
        ("paul", 'source__scope__name="sales", state__in=("approved", "pending", "withdrawn")'),
        ("nora", "pk=0"),
    ],
)
def test_hidden_document_answers_like_one_that_nobody_wrote(
    twins: Twins, name: str, shown: str
) -> None:
    hidden = hidden_ids(twins.today, shown)
    assert len(hidden) > 10
    pages = twins.today.run_all(
        [["page", name, "get", path] for doc in (MISSING, *hidden) for path in addresses(doc)]
    )
    texts = [page.stdout.decode() for page in pages]
    count = len(addresses(MISSING))
    missing = texts[:count]
    assert all(text.startswith("404\n") for text in missing)
    for at in range(count, len(texts), count):
        assert texts[at : at + count] == missing


def test_hidden_filters_answer_like_ones_that_are_nowhere(twins: Twins) -> None:
    for name, hidden, unknown in (("scope", "hr", "xx"), ("product", HIDDEN_CODE, UNKNOWN_CODE)):
        pages = twins.today.run_all(
            [
                ["page", MEMBER, "get", search(CALIBRATED, as_of=DAY, **{name: value})]
                for value in (hidden, unknown)
            ]
        )
        left, right = (page.stdout.decode() for page in pages)
        word = rf"\b{hidden}\b"
        assert re.sub(word, unknown, left) == re.sub(word, unknown, right)


def test_comparison_of_pages_fails_if_hidden_documents_enter_the_statistics(twins: Twins) -> None:
    paths = [search(question, as_of=DAY, mode="lexical") for question in QUESTIONS]
    pages = [["page", MEMBER, "get", path] for path in paths]
    assert differences(twins.plain, twins.today, pages, STATISTICS) != []


def test_comparison_of_pages_fails_without_a_condition(twins: Twins) -> None:
    assert differences(twins.plain, twins.today, member_pages()[:20], "scope") != []
