"""The page of a source and its plain text: what they show, to whom, and with which marks."""

import re
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from rag.actions.governing import reject, withdraw
from rag.actions.people import grant, revoke
from rag.models import Answer, Citation, Revision
from tests import factories

BACKEND: Final = "django.contrib.auth.backends.ModelBackend"
TODAY: Final = date(2026, 6, 1)
SENTENCE: Final = "Travel costs are refunded within thirty days."
TEXT: Final = f"# Travel\n\n## Refunds\n\n{SENTENCE} *Unless* the amount is below 15 euros.\n"
TOKEN: Final = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def erin(client: Client, monkeypatch: pytest.MonkeyPatch) -> User:
    """Erin is a member, may read the scope public, and has signed in."""
    monkeypatch.setattr("rag.web.access.today", lambda: TODAY)
    person = factories.user("erin", groups=["member"])
    grant("public", user="erin", create_scope=True)
    client.force_login(person, BACKEND)
    return person


def served(folder: Path, text: str = TEXT, source_id: str = "travel", **front: Any) -> Revision:
    """A revision that is approved and indexed; ``approve=False``: that waits."""
    revision = factories.import_text(folder, source_id, text, **front)
    factories.rebuild()
    revision.refresh_from_db()
    return revision


def address(revision: Revision, *passages: tuple[object, object]) -> str:
    pairs = "&".join(f"start={start}&end={end}" for start, end in passages)
    return f"{reverse('source', args=[revision.document_id])}?{pairs}"


def page(client: Client, revision: Revision, *passages: tuple[object, object]) -> str:
    response = client.get(address(revision, *passages))
    assert response.status_code == 200
    return response.content.decode()


def without_address(html: str) -> str:
    return re.sub(r'<p class="address">.*</p>', "", TOKEN.sub("", html))


def marked(html: str) -> list[str]:
    """What stands in the marks, without tags, piece by piece."""
    return re.findall(r'<mark class="cited"[^>]*>([^<]*)</mark>', html)


def as_reviewer() -> None:
    factories.user("erin", groups=["reviewer"])


# Who is led where


@pytest.mark.parametrize("permission", ["review", "approve"])
def test_review_is_offered_to_whom_its_page_lets_in(
    client: Client, erin: User, tmp_path: Path, permission: str
) -> None:
    revision = served(tmp_path)
    erin.user_permissions.add(Permission.objects.get(codename=f"{permission}_revision"))
    html = page(client, revision)
    for address in (
        reverse("admin:rag_revision_change", args=[revision.document_id]),
        reverse("readers", args=[revision.document_id]),
    ):
        assert (client.get(address).status_code == 200) == (f'href="{address}"' in html)
    assert ('href="/review/rag/revision/' in html) == (permission == "review")


# What the page shows


def test_page_shows_text_window_and_record(client: Client, tmp_path: Path) -> None:
    about = {"version": "2026-2", "owner": "Finance", "product": "GX-1", "language": "de"}
    revision = served(tmp_path, **about, site="Hamburg")
    html = page(client, revision)
    expected = [
        *(">Travel</h1>", "Version 2026-2 · since 1 January 2026 · approved on", ">in force<"),
        *("Finance", "GX-1", "German", "Hamburg", "by op", revision.source_sha256),
        *(' aria-labelledby="text-title" lang="de">', "<em>Unless</em>"),
    ]
    assert [words for words in expected if words not in html] == []


def test_text_is_escaped_and_hostile_markup_stays_text(client: Client, tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script> <img src=x onerror=alert(1)> & <b>bold</b>"
    revision = served(tmp_path, f"# T\n\n{hostile}\n", title="<svg onload=alert(1)>", owner="<i>")
    html = page(client, revision)
    assert "<script>alert" not in html
    assert "<img" not in html
    assert "<svg onload" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert ">&lt;svg onload=alert(1)&gt;</h1>" in html


def test_markdown_is_rendered_and_plain_text_is_not(client: Client, tmp_path: Path) -> None:
    path = factories.write(tmp_path, "note.txt", "A *plain* note.\n\n# No heading\n")
    factories.import_files(path)
    factories.rebuild()
    html = page(client, Revision.objects.get())
    assert "A *plain* note.\n\n# No heading" in html
    assert 'id="contents"' not in html


def test_facts_are_a_table_above_their_file(client: Client, tmp_path: Path) -> None:
    facts = '[products.GX]\nweight = 1.50\nname = "<GX>"'
    revision = factories.import_facts(tmp_path, "facts", facts)
    factories.rebuild()
    html = page(client, revision)
    assert '<th scope="row">weight</th><td>1.50</td>' in html
    assert '<th scope="row">name</th><td>&lt;GX&gt;</td>' in html
    assert "[products.GX]\nweight = 1.50" in html


def test_contents_link_the_headings_and_leave_out_the_title(client: Client, tmp_path: Path) -> None:
    html = page(client, served(tmp_path))
    assert re.findall(r'<li class="depth-(\d)"><a href="#([\w-]+)" dir="auto">([^<]*)', html) == [
        ("1", "h-2", "Refunds")
    ]
    assert 'id="h-2"' in html


def test_title_inside_a_passage_is_shown_again(client: Client, tmp_path: Path) -> None:
    revision = served(tmp_path)
    start = revision.text.index("Travel")
    html = page(client, revision, (start, start + 6))
    assert "titled" not in html
    assert marked(html) == ["Travel"]


def test_own_answers_that_quote_it_are_counted(client: Client, erin: User, tmp_path: Path) -> None:
    revision = served(tmp_path)
    assert "Quoted in" not in page(client, revision)
    for person in (erin, erin, factories.user("other")):
        answer = Answer.objects.create(
            person=person, asker=person.username, scopes=[], question="?", as_of=TODAY,
            options={}, hits=[],
        )  # fmt: skip
        for position in (0, 1):
            Citation.objects.create(
                answer=answer, position=position, revision=revision, start_char=0, end_char=1
            )
    assert "<dt>Your answers</dt><dd>2</dd>" in page(client, revision)


# Versions


def test_an_older_version_leads_to_the_one_in_force(client: Client, tmp_path: Path) -> None:
    old = served(tmp_path, version="1")
    new = served(tmp_path, TEXT + "New.", version="2", valid_from="2026-05-01")
    html = page(client, old)
    link = f'<a href="{reverse("source", args=[new.document_id])}">Open it</a>'
    assert "This version ended on 30 April 2026.</strong> Version 2 is in force today." in html
    assert link in html
    assert "in force today" not in page(client, new)


def test_a_future_version_says_when_it_begins(client: Client, tmp_path: Path) -> None:
    served(tmp_path, version="1")
    new = served(tmp_path, TEXT + "New.", version="2", valid_from="2026-07-01")
    html = page(client, new)
    assert "This version takes effect on 1 July 2026.</strong> Version 1 is in force today." in html


def test_an_ended_source_says_that_nothing_is_in_force(client: Client, tmp_path: Path) -> None:
    html = page(client, served(tmp_path, valid_until="2026-05-31"))
    assert "ended on 31 May 2026.</strong> No version is in force today." in html


def test_versions_list_what_the_person_may_open(client: Client, tmp_path: Path) -> None:
    first = served(tmp_path, version="v-one")
    served(tmp_path, TEXT + "Two.", version="v-two", valid_from="2026-07-01")
    served(tmp_path, TEXT + "Three.", version="v-three", valid_from="2027-01-01", approve=False)
    assert re.findall(r"v-\w+(?=</(?:a|strong)>)", page(client, first)) == ["v-two", "v-one"]
    as_reviewer()
    assert re.findall(r"v-\w+(?=</(?:a|strong)>)", page(client, first)) == [
        "v-three",
        "v-two",
        "v-one",
    ]


def test_a_version_is_compared_with_another_by_words(client: Client, tmp_path: Path) -> None:
    first = served(tmp_path, version="1")
    later = TEXT.replace("thirty", "<b>ten</b>")
    second = served(tmp_path, later, version="2", valid_from="2026-05-01")
    for shown, other in ((first, second), (second, first)):
        html = client.get(f"{address(shown)}compare={other.document_id}").content.decode()
        assert "From version 1 to version 2" in html
        assert "<del>thirty</del><ins>&lt;b&gt;ten&lt;/b&gt;</ins>" in html


def test_the_version_before_is_offered_for_comparison(client: Client, tmp_path: Path) -> None:
    served(tmp_path, version="1")
    second = served(tmp_path, TEXT + "2", version="2", valid_from="2026-05-01")
    assert "compare" not in page(client, served(tmp_path, source_id="single"))
    served(tmp_path, TEXT + "3", version="3", valid_from="2026-06-01")
    options = re.findall(r'<option value="\w+"( selected)?>(\w)<', page(client, second))
    assert options == [("", "3"), (" selected", "1")]


def test_equal_words_have_no_difference(client: Client, tmp_path: Path) -> None:
    first = served(tmp_path, version="1")
    second = served(tmp_path, version="2", valid_from="2026-05-01")
    html = client.get(f"{address(first)}compare={second.document_id}").content.decode()
    assert "The words are the same." in html


def test_a_version_that_may_not_be_opened_is_compared_like_none(
    client: Client, tmp_path: Path
) -> None:
    first = served(tmp_path, version="1")
    draft = served(tmp_path, TEXT + "Secret.", version="2", approve=False)
    other = served(tmp_path, TEXT + "Secret.", source_id="other")
    plain = TOKEN.sub("", page(client, first))
    for document in (draft.document_id, other.document_id, first.document_id, "0" * 64, "x"):
        url = reverse("source", args=[first.document_id])
        html = client.get(url, {"compare": document}).content.decode()
        assert without_address(html) == without_address(plain)


# Who may open it


def test_who_reviews_sees_what_is_not_served_and_why(client: Client, tmp_path: Path) -> None:
    pending = served(tmp_path, source_id="a", approve=False)
    rejected = served(tmp_path, source_id="b", approve=False)
    withdrawn = served(tmp_path, source_id="c")
    reject(rejected.document_id, actor="op", reason="Not <ours>.")
    withdraw("c", actor="op", reason="It was wrong.")
    as_reviewer()
    html = page(client, pending)
    assert "This text waits for approval." in html
    assert reverse("admin:rag_revision_change", args=[pending.document_id]) in html
    assert "rejected.</strong> Reason: Not &lt;ours&gt;." in page(client, rejected)
    assert "withdrawn.</strong> Reason: It was wrong." in page(client, withdrawn)


@pytest.mark.parametrize("name", ["source", "source_text"])
def test_what_may_not_be_opened_is_like_what_is_missing(
    client: Client, tmp_path: Path, name: str
) -> None:
    hidden = served(tmp_path, source_id="hidden", scope="hr")
    pending = served(tmp_path, source_id="pending", approve=False)
    withdrawn, erased = (served(tmp_path, source_id=each) for each in ("gone", "erased"))
    withdraw("gone", actor="op", reason="r")
    Revision.objects.filter(pk=erased.pk).update(state="erased", text="", title="")
    answers = []
    for document in ("0" * 64, *(r.document_id for r in (hidden, pending, withdrawn, erased))):
        response = client.get(reverse(name, args=[document]))
        body = TOKEN.sub("", response.content.decode())
        answers.append((response.status_code, sorted(response.headers.items()), body))
    assert answers[0][0] == 404
    assert all(answer == answers[0] for answer in answers)


def test_an_erased_source_is_nobody_s(client: Client, tmp_path: Path) -> None:
    revision = served(tmp_path)
    as_reviewer()
    Revision.objects.filter(pk=revision.pk).update(state="erased", text="", title="")
    assert client.get(address(revision)).status_code == 404


def test_a_withdrawn_source_is_gone_on_the_next_request(client: Client, tmp_path: Path) -> None:
    revision = served(tmp_path)
    page(client, revision)
    withdraw("travel", actor="op", reason="r")
    assert client.get(address(revision)).status_code == 404


def test_a_revoked_scope_is_gone_on_the_next_request(client: Client, tmp_path: Path) -> None:
    revision = served(tmp_path)
    page(client, revision)
    revoke("public", user="erin")
    assert client.get(address(revision)).status_code == 404


def test_a_text_that_was_altered_is_not_shown(client: Client, tmp_path: Path) -> None:
    revision = served(tmp_path)
    Revision.objects.filter(pk=revision.pk).update(text=TEXT.replace("thirty", "ninety"))
    response = client.get(address(revision))
    assert response.status_code == 503
    assert "ninety" not in response.content.decode()


# Marks


def test_a_cited_passage_is_marked_and_listed(client: Client, tmp_path: Path) -> None:
    revision = served(tmp_path)
    start = revision.text.index(SENTENCE)
    html = page(client, revision, (start, start + len(SENTENCE)))
    assert f'<mark class="cited" id="m1" data-mark="1">{SENTENCE}</mark>' in html
    assert f'<a href="#m1"><span class="number">1</span> <span dir="auto">{SENTENCE}' in html


def test_passages_keep_the_order_of_the_address(client: Client, tmp_path: Path) -> None:
    revision = served(tmp_path)
    places = [revision.text.index(word) for word in ("15 euros", "thirty")]
    html = page(client, revision, (places[0], places[0] + 8), (places[1], places[1] + 6))
    assert 'id="m1" data-mark="1">15 euros<' in html
    assert 'id="m2" data-mark="2">thirty<' in html


@pytest.mark.parametrize(
    "passages",
    [
        [(5, 5)], [(9, 5)], [(-1, 5)], [("x", 5)], [("", "")], [(0, 10_000)], [("1.5", 9)],
        [("٣", 9)], [(0, "9" * 30)], [(" 1", 9)], [("+1", 9)],
    ],
)  # fmt: skip
def test_a_passage_that_is_not_there_is_a_calm_notice(
    client: Client, tmp_path: Path, passages: list[tuple[object, object]]
) -> None:
    html = page(client, served(tmp_path), *passages)
    assert "The passage of this address is not in this text." in html
    assert marked(html) == []


def test_an_address_with_a_half_pair_marks_nothing(client: Client, tmp_path: Path) -> None:
    revision = served(tmp_path)
    html = client.get(f"{address(revision, (0, 5))}&start=7").content.decode()
    assert "The passage of this address is not in this text." in html
    assert marked(html) == []


def test_a_passage_that_is_there_is_marked_beside_one_that_is_not(
    client: Client, tmp_path: Path
) -> None:
    revision = served(tmp_path)
    start = revision.text.index("thirty")
    html = page(client, revision, (9, 5), (start, start + 6))
    assert "The passage of this address is not in this text." in html
    assert 'id="m2" data-mark="2">thirty<' in html


def test_a_passage_out_of_sight_leads_to_the_plain_text(client: Client, tmp_path: Path) -> None:
    html = page(client, served(tmp_path), (0, 3))
    assert "What this address cites is not shown here." in html
    assert "Cited passage" not in html


def test_offsets_count_code_points(client: Client, tmp_path: Path) -> None:
    revision = served(tmp_path, "# 𝔗\n\n👩‍🚀 é मराठी & <b> 漢字。\n")
    start = revision.text.index("मराठी")
    assert "".join(marked(page(client, revision, (start, start + 12)))) == "मराठी &amp; &lt;b&gt; "


def test_the_page_takes_few_queries(
    client: Client, tmp_path: Path, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(6):
        revision = served(tmp_path, f"{TEXT}{number}", version=str(number))
    with django_assert_max_num_queries(12):
        page(client, revision)


# Plain text


def test_plain_text_is_the_exact_text(client: Client, tmp_path: Path) -> None:
    revision = served(tmp_path, "# T\n\n\ttabs,  blanks\u200b and <b>\u2028 émoji 👩‍🚀\n\n")
    response = client.get(reverse("source_text", args=[revision.document_id]))
    assert response.content.decode() == revision.text
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["Content-Disposition"] == "inline"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Cache-Control"] == "no-store"
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
