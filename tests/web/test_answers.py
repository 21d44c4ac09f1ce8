"""The page of an answer: built from the record and from what holds now, for its person alone."""

import re
import uuid
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.utils import timezone
from django.utils.html import escape
from pytest_django import Settings

from rag.actions.governing import approve, erase, today, withdraw
from rag.actions.people import Account, change_user, grant, revoke
from rag.core.answerability import Gate
from rag.core.sources import Selection, Status
from rag.models import Answer, Citation, Manifest, Revision
from rag.queries.eligibility import access_of_user
from tests import factories, fakes

pytestmark = pytest.mark.django_db
RULE: Final = "Meals on business trips are reimbursed up to EUR 52 per day."
EXCEPTION: Final = "However, drinks are never reimbursed."
OTHER: Final = "Meals on business trips are reimbursed up to EUR 45 per day abroad."
QUESTION: Final = "Which meals are reimbursed on business trips?"
TOKEN: Final = re.compile(r'name="csrfmiddlewaretoken" value="\w+"')


@pytest.fixture(autouse=True)
def hashing(settings: Settings) -> None:
    settings.EVIDENCE_PROFILE = "hashing"


@pytest.fixture
def erin(client: Client, tmp_path: Path) -> User:
    """A member who is signed in and may read two sources about meals."""
    person = factories.user("erin", groups=["member"])
    about: dict[str, Any] = {"version": "2026-2", "owner": "Finance"}
    text = f"# Expenses\n\n## Meals\n\n{RULE} {EXCEPTION} The rest is not."
    factories.import_text(tmp_path, "a", text, title="Expenses policy", **about)
    factories.import_text(tmp_path, "b", OTHER, title="Travel abroad", scope="travel")
    factories.rebuild()
    for scope in ("public", "travel"):
        grant(scope, user="erin")
    client.force_login(person)
    return person


def answered(*quotes: str, as_of: date | None = None, **selection: Any) -> Answer:
    """Erin's answer with these quotations, each of the excerpt that has it."""

    def answer(supplied: Any) -> Any:
        alias = {quote: each.alias for quote in quotes for each in supplied if quote in each.text}
        return fakes.quoting(*((alias[quote], quote) for quote in quotes)).answer(supplied)

    access = access_of_user("erin", as_of or today())
    using = fakes.FakeParts(proposer=fakes.FakeProposer(answer))
    asked = factories.ask(QUESTION, access, Selection(**selection), using)
    assert asked.verdict.accepted
    return asked.answer


def refused(question: str = "What is the warranty of the GX-999?") -> Answer:
    asked = factories.ask(question, access_of_user("erin", today()))
    assert not asked.verdict.accepted
    return asked.answer


def show(client: Client, answer: Answer, status: int = 200) -> str:
    response = client.get(f"/answers/{answer.pk}/")
    assert response.status_code == status
    return TOKEN.sub("", response.content.decode())


def reviewer() -> None:
    factories.user("erin", groups=["reviewer"])


def withdraw_a() -> None:
    withdraw("a", actor="op", reason="wrong")


def erase_a() -> None:
    erase("a", actor="op", reason="request")


def revoke_public() -> None:
    revoke("public", user="erin")


def alter_a() -> None:
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rag_revision SET text = replace(text, '52', '99')")


# An accepted answer


def test_a_quotation_stands_with_its_provenance(client: Client, erin: User) -> None:
    text = show(client, answered(RULE))
    revision = Revision.objects.get(source__source_id="a")
    start = revision.text.index(RULE)
    assert f'<q lang="en" dir="auto">{RULE}</q>' in text
    assert 'dir="auto">Expenses policy</strong> › <span dir="auto">Expenses › Meals</span>' in text
    assert f"/sources/{revision.document_id}/?start={start}&amp;end={start + len(RULE)}" in text
    for fact in ("2026-2", "since 1 January 2026", "Finance", revision.source_sha256):
        assert fact in text


def test_the_summary_counts_passages_and_sources_in_words(client: Client, erin: User) -> None:
    day = f"In force on {today().day} {today():%B %Y}"
    assert f"{day} · one passage from one source<" in show(client, answered(RULE))
    assert f"{day} · two passages from two sources<" in show(client, answered(RULE, OTHER))
    assert f"{day} · two passages from one source<" in show(client, answered(RULE, EXCEPTION))


def test_quotations_of_one_source_share_its_provenance(client: Client, erin: User) -> None:
    text = show(client, answered(RULE, OTHER, EXCEPTION))
    assert '<h2>1, 3 · <span dir="auto">Expenses policy</span></h2>' in text
    assert '<h2>2 · <span dir="auto">Travel abroad</span></h2>' in text


def test_the_exception_is_given_in_the_words_of_the_source(client: Client, erin: User) -> None:
    text = show(client, answered(RULE))
    lead = "The passage goes on with an exception."
    assert f'{lead}</strong> <q lang="en" dir="auto">{EXCEPTION}</q>' in text


def test_a_part_of_a_sentence_is_made_whole(client: Client, erin: User) -> None:
    text = show(client, answered("Meals on business trips are reimbursed"))
    assert f'Part of a sentence. The whole of it:</strong> <q lang="en" dir="auto">{RULE}' in text


def test_a_row_of_a_table_comes_with_its_columns(
    client: Client, erin: User, tmp_path: Path
) -> None:
    row = "| Meals on business trips | EUR 52 |"
    table = f"# Limits\n\n| What | Limit |\n|---|---|\n| Beds | EUR 90 |\n{row}"
    factories.import_text(tmp_path, "t", table)
    factories.rebuild()
    text = show(client, answered(row))
    assert 'Its columns:</strong> <q lang="en" dir="auto">| What | Limit |</q>' in text


def test_sources_that_disagree_name_each_other(client: Client, erin: User) -> None:
    answer = answered(RULE, OTHER)
    text = show(client, answer)
    assert "Quotation 2 states other figures." in text
    assert "Quotation 1 states other figures." in text
    revoke("travel", user="erin")
    assert "disagree" not in show(client, answer)


# What happened since


@pytest.mark.parametrize(
    ("act", "word"),
    [
        (withdraw_a, "withdrawn"),
        (erase_a, "erased"),
        (revoke_public, "not available"),
        (alter_a, "does not match its source"),
    ],
)
def test_what_is_gone_is_named_by_one_word(client: Client, erin: User, act: Any, word: str) -> None:
    answer = answered(RULE, OTHER)
    label, sha256 = answer.citations.values_list("label", "source_sha256")[0]
    act()
    text = show(client, answer)
    assert f">{word}</span>" in text
    assert OTHER in text
    for secret in (RULE, "Expenses", "Finance", label, sha256, "2026-2", "Meals</"):
        assert secret not in text
    assert "one passage from one source · one passage not shown any more" in text


def test_who_lost_the_scope_sees_the_same_page_whatever_happened(
    client: Client, erin: User
) -> None:
    answer = answered(RULE, OTHER)
    revoke_public()
    pages = {show(client, answer)}
    for act in (alter_a, withdraw_a, erase_a):
        act()
        pages.add(show(client, answer))
    assert len(pages) == 1


def test_a_reviewer_sees_a_withdrawn_quotation_marked(client: Client, erin: User) -> None:
    answer = answered(RULE)
    reviewer()
    withdraw_a()
    text = show(client, answer)
    assert RULE in text
    assert '<span class="chip bad">withdrawn</span>' in text
    assert "No longer served: withdrawn." in text


@pytest.mark.parametrize("act", [erase_a, revoke_public])
def test_a_reviewer_sees_neither_erased_nor_foreign_words(
    client: Client, erin: User, act: Any
) -> None:
    answer = answered(RULE)
    reviewer()
    act()
    assert "Meals on" not in show(client, answer).replace(escape(QUESTION), "")


def test_a_quotation_altered_on_record_is_not_shown(client: Client, erin: User) -> None:
    answer = answered(RULE)
    Citation.objects.update(quote=RULE.replace("52", "99"))
    assert "does not match its source" in show(client, answer)


def test_a_version_that_ended_says_so_and_leads_to_the_one_in_force(
    client: Client, erin: User, tmp_path: Path
) -> None:
    answer = answered(RULE, as_of=date(2026, 3, 1))
    new = factories.import_text(
        tmp_path, "a", RULE.replace("52", "60"), approve=False, valid_from="2026-05-01"
    )
    factories.rebuild()
    approve(new.document_id, actor="op", shown_sha256=new.text_sha256)
    text = show(client, answer)
    assert "In force on 1 March 2026" in text and "You asked as of" in text
    assert '<span class="chip still">superseded</span>' in text
    assert "It was in force 1 January 2026 to 30 April 2026." in text
    assert f'href="/sources/{new.document_id}/"' in text


def test_a_window_that_changed_since_is_said(client: Client, erin: User) -> None:
    answer = answered(RULE)
    Revision.objects.filter(source__source_id="a").update(valid_until=date(2026, 2, 1))
    text = show(client, answer)
    assert "Its window was changed after you asked." in text
    assert "Asked as of" in text and "In force on" not in text.split('class="lede">')[1][:60]


def test_an_answer_of_the_archive_is_marked(client: Client, erin: User) -> None:
    statuses = frozenset({Status.CURRENT, Status.HISTORICAL})
    text = show(client, answered(RULE, statuses=statuses))
    assert "Asked in the archive." in text
    assert '<p class="lede">Asked as of' in text


# A refusal


def test_a_refusal_says_why_and_what_lies_near(client: Client, erin: User, tmp_path: Path) -> None:
    sheet = "The warranty of the GX-200 is 24 months from delivery."
    revision = factories.import_text(tmp_path, "s", sheet, title="Data sheet", owner="Products")
    factories.rebuild()
    text = show(client, refused())
    assert "Insufficient evidence: no admissible retrieved excerpts." in text
    assert "that you may read mentions <strong>GX-999</strong>." in text
    assert f"/sources/{revision.document_id}/?start=" in text
    assert "names GX-200, not GX-999" in text and "<mark>warranty</mark>" in text
    assert "Check the code GX-999." in text and "Products" in text


def test_hidden_sources_change_no_byte_of_a_refusal(
    client: Client, erin: User, tmp_path: Path
) -> None:
    answer = refused()
    before = show(client, answer)
    sheet = "The warranty of the GX-999 is 24 months from delivery."
    factories.import_text(tmp_path, "s", sheet, scope="hr", owner="Secret")
    factories.rebuild()
    assert show(client, answer) == before


def test_what_was_near_is_gone_when_it_is_withdrawn(client: Client, erin: User) -> None:
    answer = refused("Which meals, lions, tigers, bears, wolves and owls are reimbursed?")
    assert "Near your question" in show(client, answer)
    withdraw_a()
    revoke("travel", user="erin")
    text = show(client, answer)
    assert "Near your question" not in text and "Finance" not in text


def test_a_refusal_without_an_index_is_a_failure_with_its_name(client: Client, erin: User) -> None:
    answer = refused()
    Manifest.objects.all().delete()
    assert "There is no index yet." in show(client, answer, 503)


def test_an_accepted_answer_needs_no_index(client: Client, erin: User) -> None:
    answer = answered(RULE)
    Manifest.objects.all().delete()
    assert RULE in show(client, answer)


def test_titles_are_set_in_their_own_direction(client: Client, erin: User) -> None:
    text = show(client, answered(RULE))
    assert '<strong dir="auto">Expenses policy</strong>' in text
    assert '<h2>1 · <span dir="auto">Expenses policy</span></h2>' in text


# Asking again


def fields(text: str, part: str) -> dict[str, str]:
    """The fields of the form that holds ``part``."""
    form = next(form for form in text.split("<form")[1:] if part in form.partition("</form")[0])
    return dict(re.findall(r'name="(\w+)"[^>]* value="([^"]*)"', form.partition("</form")[0]))


def test_asking_as_of_another_day_keeps_the_question(client: Client, erin: User) -> None:
    answer = answered(RULE, as_of=date(2026, 3, 1))
    text = show(client, answer)
    again = fields(text, "Ask as of today")
    assert again == {"q": QUESTION, "product": "", "scope": "", "as_of": today().isoformat()}
    assert client.post("/ask/", again).status_code == 303
    asked = Answer.objects.latest("asked_at")
    assert (asked.question, asked.as_of) == (QUESTION, today())
    assert "Ask as of today" not in show(client, asked)


def test_asking_again_keeps_what_it_was_narrowed_to(client: Client, erin: User) -> None:
    client.post("/ask/", {"q": QUESTION, "scope": "travel"})
    text = show(client, Answer.objects.get())
    assert "only the scope travel" in text
    assert fields(text, "id_another_day")["scope"] == "travel"
    revoke("travel", user="erin")
    assert "travel" not in show(client, Answer.objects.get())


@pytest.mark.parametrize("through", ["grant", "group"])
def test_a_scope_that_came_later_is_asked_too(client: Client, erin: User, through: str) -> None:
    revoke("travel", user="erin")
    client.post("/ask/", {"q": QUESTION})
    if through == "grant":
        grant("travel", user="erin")
    else:
        factories.user("paul", groups=["travellers"])
        grant("travel", group="travellers")
        Answer.objects.update(asked_at=timezone.now())  # the group's grant is the older
        groups = frozenset({"member", "travellers"})
        change_user("erin", Account(groups=groups), actor="ada")
    text = show(client, Answer.objects.get())
    assert "only the scope" not in text
    assert fields(text, "id_another_day")["scope"] == ""


def test_a_chosen_scope_stays_chosen_whatever_is_granted_later(client: Client, erin: User) -> None:
    client.post("/ask/", {"q": QUESTION, "scope": "travel"})
    grant("hr", user="erin", create_scope=True)
    text = show(client, Answer.objects.get())
    assert fields(text, "id_another_day")["scope"] == "travel"


# Whose page it is


def test_somebody_else_s_answer_is_the_same_page_as_none(client: Client, erin: User) -> None:
    answer = answered(RULE)
    foreign = Answer.objects.create(
        **{
            field.attname: getattr(answer, field.attname)
            for field in Answer._meta.concrete_fields
            if field.attname not in ("id", "person_id")
        },
        person=factories.user("hana", groups=["member"]),
    )
    responses = [client.get(f"/answers/{key}/") for key in (foreign.pk, uuid.uuid4())]
    assert [response.status_code for response in responses] == [404, 404]
    texts = [TOKEN.sub("", response.content.decode()) for response in responses]
    headers = [dict(response.headers) for response in responses]
    assert texts[0] == texts[1] and headers[0] == headers[1]
    assert RULE in show(client, answer)


def test_without_the_permission_the_page_is_missing(client: Client, erin: User) -> None:
    answer = answered(RULE)
    erin.groups.clear()
    show(client, answer, 404)


# Hostile sources


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</textarea></q></title><svg/onload=alert(1)>",
        "[x](javascript:alert(1)) ![y](http://evil.example/z)",
        "&lt;b&gt; &amp;#60; {{ request }} {% csrf_token %}",
        "\u202egnp.exe \u200b👩🏽‍🚀 e\u0301 وجبات",
    ],
)
def test_hostile_sources_are_shown_as_text(
    client: Client, erin: User, tmp_path: Path, hostile: str
) -> None:
    quote = f"Meals for guests on business trips are free, see {hostile} in full."
    about: dict[str, Any] = {
        "title": f"T {hostile}",
        "owner": f"O {hostile}",
        "version": f"V {hostile}",
    }
    factories.import_text(tmp_path, "x", f"# H {hostile}\n\n{quote}", **about)
    factories.rebuild()
    text = show(client, answered(quote))
    assert f'dir="auto">{escape(quote)}</q>' in text
    for part in ("T", "O", "V", "H"):
        assert escape(f"{part} {hostile}") in text
    for tag in ("<script>alert", "<img", "<svg", "<b>", 'href="javascript'):
        assert tag not in text


def test_a_refusal_of_the_answer_gate_is_a_page_like_any(client: Client, erin: User) -> None:
    strict = Gate("strict", (("first", 1.0),), bias=-1e3)
    using = replace(factories.parts(), gate=strict)
    asked = factories.ask(QUESTION, access_of_user("erin", today()), using=using)
    text = show(client, asked.answer)
    assert (asked.answer.gate, asked.answer.reason_code) == ("strict", "unsupported")
    assert "Insufficient evidence: no supported answer." in text
    assert "no sentence in them answers clearly enough" in text
    assert "Travel abroad" in text  # what lies near is shown
    assert "strict" not in text
