"""The page of a revision: the text as it will be quoted, what changed, what an approval does."""

import html
import re
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from rag.actions.audit import record
from rag.actions.governing import reject, today, withdraw
from rag.models import AuditEvent, Revision
from tests import factories
from tests.admin.site import NEW, RULE, address, approved, draft, main, shown, signed_in, words

pytestmark = pytest.mark.django_db
HOSTILE = '<script>alert(1)</script> <img src=x onerror=alert(1)> "quoted" & {{ 7|add:7 }}'


def page_of(revision: Revision, role: str = "approver", **kwargs: Any) -> Any:
    """The page of a revision as somebody in that role sees it."""
    return signed_in("paul", role, **kwargs).get(address(revision))


def part(response: Any, kind: str) -> str:
    """The inner HTML of the element of that class, up to its end tag."""
    return re.split(rf'class="{kind}[^>]*>', response.content.decode())[1].split("</div>")[0]


# The text


def test_the_title_is_set_in_its_own_direction(tmp_path: Path) -> None:
    page = signed_in("rita", "reviewer").get(address(draft(tmp_path, title="السفر")))
    assert '<h1 dir="auto">السفر</h1>' in page.content.decode()


def test_the_text_is_shown_as_it_will_be_quoted(tmp_path: Path) -> None:
    text = f"\n# Meals\n\n  {RULE}\n\n\n* {HOSTILE}\ttab\n"
    revision = draft(tmp_path, text)
    page = page_of(revision)
    exact = html.unescape(part(page, "exact document"))
    assert exact == text
    assert "<script>alert" not in page.content.decode()


def test_front_matter_stands_apart(tmp_path: Path) -> None:
    page = page_of(draft(tmp_path, owner="Finance"))
    assert "never quoted" in words(page)
    assert 'owner: "Finance"' in html.unescape(part(page, "exact"))
    assert "owner:" not in part(page, "exact document")


def test_characters_that_cannot_be_seen_are_named_where_they_stand(tmp_path: Path) -> None:
    page = page_of(draft(tmp_path, "Only\u200b\u200b EUR \u202e54 are reimbursed per day."))
    text = part(page, "exact document")
    assert "\u200b" not in page.content.decode()
    assert "\u202e" not in page.content.decode()
    assert re.search(r'Only<span class="unseen">zero width space[^<]*× 2</span> EUR', text)
    assert re.search(r'<span class="unseen">right-to-left override[^<]*</span>54', text)
    assert "3 characters cannot be seen" in words(page)


def test_words_of_mixed_scripts_are_spelt_out(tmp_path: Path) -> None:
    page = page_of(draft(tmp_path, "The \u0440assword is never given to anybody."))
    assert "(cyrillic small letter er)" in words(page)


def test_title_and_metadata_hide_nothing(tmp_path: Path) -> None:
    revision = draft(tmp_path, title=f"Meals\u200b {HOSTILE}", audience=f"all\u200b {HOSTILE}")
    page = page_of(revision).content.decode()
    assert "<script>alert" not in page
    # In the heading, and both on record and in the front matter.
    assert page.count('<span class="unseen">zero width space') == 5


# What changes


def test_changed_words_are_marked_by_more_than_colour(tmp_path: Path) -> None:
    approved(tmp_path, version="1")
    difference = part(page_of(draft(tmp_path, NEW, version="2")), "difference")
    assert '<del><span class="hidden-text">removed: </span>45</del>' in difference
    assert '<ins><span class="hidden-text">added: </span>52</ins>' in difference


def test_a_draft_is_compared_with_what_is_in_force(tmp_path: Path) -> None:
    approved(tmp_path, RULE, version="old", valid_from="2025-01-01")
    approved(tmp_path, NEW, version="now", valid_from="2026-01-01")
    approved(tmp_path, "Later meals.", version="later", valid_from=today() + timedelta(days=9))
    page = page_of(draft(tmp_path, "New meals.", version="draft"))
    assert "Against the approved version now :" in words(page)


def test_without_a_version_in_force_the_latest_approved_one_is_compared(tmp_path: Path) -> None:
    approved(tmp_path, RULE, version="old", valid_from="2024-01-01", valid_until="2024-12-31")
    approved(tmp_path, NEW, version="last", valid_from="2025-01-01", valid_until="2025-12-31")
    assert "approved version last :" in words(page_of(draft(tmp_path, "New.", version="draft")))


def test_a_first_version_is_compared_with_nothing(tmp_path: Path) -> None:
    draft(tmp_path, NEW, version="other")
    page = page_of(draft(tmp_path, version="draft"))
    assert "What changes" not in words(page)


def test_other_metadata_is_shown_with_what_is_approved(tmp_path: Path) -> None:
    approved(tmp_path, version="1", owner="Finance", region=["EU", "UK"])
    page = words(page_of(draft(tmp_path, NEW, version="2", owner="People")))
    assert "Owner People approved: Finance" in page
    assert "region not given approved: EU; UK" in page


def test_metadata_cannot_pass_for_what_governs(tmp_path: Path) -> None:
    page = words(page_of(draft(tmp_path, owner="Eve", Owner="The board", Title="Other")))
    assert "Owner Eve" in page.split("Metadata")[0]
    assert "Owner The board Title Other" in page.split("Metadata")[1]


# What an approval does


def test_the_page_says_what_an_approval_closes(tmp_path: Path) -> None:
    old = approved(tmp_path, version="1")
    page = page_of(draft(tmp_path, NEW, version="2", valid_from="2026-03-01"))
    assert "In force from 1 March 2026, no end" in words(page)
    assert "Closes version 1 ends on 28 February 2026" in words(page)
    assert address(old) in page.content.decode()


def test_a_first_version_closes_nothing(tmp_path: Path) -> None:
    assert "Closes nothing" in words(page_of(draft(tmp_path)))


def test_a_later_version_that_is_approved_ends_the_draft(tmp_path: Path) -> None:
    approved(tmp_path, version="2", valid_from="2026-03-01")
    page = page_of(draft(tmp_path, NEW, version="1", valid_from="2026-01-01"))
    assert "28 February 2026, because a later version is approved" in words(page)


def test_a_window_that_is_over_before_it_begins_is_an_obstacle(tmp_path: Path) -> None:
    page = page_of(draft(tmp_path, valid_from=None, valid_until="2026-01-31"))
    assert "It would never be in force: its window ends on 31 January 2026." in words(page)
    assert re.search(r"<button[^>]* disabled>Approve this text", page.content.decode())


def test_what_is_not_indexed_can_be_approved_ahead(tmp_path: Path) -> None:
    revision = factories.import_text(tmp_path, "meals", RULE, approve=False)
    page = page_of(revision)
    assert "It is not indexed yet: the next rebuild makes it ready." in words(page)
    assert "Approve as soon as it is indexed" in words(page)
    assert address(revision, "approve") not in page.content.decode()


# Product facts


def test_facts_stand_beside_those_that_are_approved(tmp_path: Path) -> None:
    factories.import_facts(tmp_path, "gx", "[products.GX]\nbar = 16\nvolt = 24\ncolour = 'grey'")
    factories.rebuild()
    new = "[products.GX]\nbar = 18\ncolour = 'grey'\nnoise = '<b>41'"
    page = page_of(factories.import_facts(tmp_path, "gx", new, approve=False))
    rows = re.findall(r"<tr>(.*?)</tr>", page.content.decode().split("<tbody>")[1])
    assert [" ".join(re.sub(r"<[^>]+>", " ", row).split()) for row in rows] == [
        "GX bar 16 18 changed",
        "GX colour grey grey",
        "GX noise – &lt;b&gt;41 new",
        "GX volt 24 – gone",
    ]


def test_first_facts_have_no_column_of_approved_ones(tmp_path: Path) -> None:
    revision = factories.import_facts(tmp_path, "gx", "[products.GX]\nbar = 16", approve=False)
    page = page_of(revision)
    assert "Product Fact Value GX bar 16" in words(page)


# Nothing around the actions


@pytest.mark.parametrize("role", ["reviewer", "approver", "admin"])
def test_no_field_of_a_revision_can_be_posted(tmp_path: Path, role: str) -> None:
    revision = draft(tmp_path)
    before = Revision.objects.values().get()
    form = {"state": "approved", "status": "historical", "valid_from": "2020-01-01", "title": "x",
            "text": "x", "indexed": "on", "canonical": "", "_save": "Save"}  # fmt: skip
    client = signed_in("rita", role)
    assert client.post(address(revision), form).status_code == 405
    assert client.get(address(revision), form).status_code == 200
    assert Revision.objects.values().get() == before
    assert not AuditEvent.objects.filter(actor="rita").exists()


def test_the_page_has_only_the_fields_of_its_decisions(tmp_path: Path) -> None:
    page = main(page_of(draft(tmp_path)))
    names = set(re.findall(r'<(?:input|textarea|select)[^>]* name="([^"]+)"', page))
    assert names == {"csrfmiddlewaretoken", "shown_sha256", "reason"}


@pytest.mark.parametrize("state", ["pending", "approved", "rejected", "withdrawn"])
def test_a_reviewer_sees_the_page_without_any_decision(tmp_path: Path, state: str) -> None:
    revision = draft(tmp_path)
    Revision.objects.update(state=state)
    page = page_of(revision, "reviewer")
    assert page.status_code == 200
    assert "<form" not in main(page)


@pytest.mark.parametrize(
    ("state", "offered"),
    [
        ("pending", {"approve", "reject"}),
        ("approved", {"withdraw"}),
        ("rejected", set()),
        ("withdrawn", set()),
    ],
)
def test_an_approver_is_offered_what_the_state_allows(
    tmp_path: Path, state: str, offered: set[str]
) -> None:
    revision = draft(tmp_path)
    Revision.objects.update(state=state)
    page = main(page_of(revision))
    found = set(re.findall(r'<form method="post" action="[^"]*/([a-z-]+)/(?:#\w+)?"', page))
    assert found == offered


def test_only_what_was_approved_is_said_to_have_been_quoted(tmp_path: Path) -> None:
    quoted, refused = approved(tmp_path), draft(tmp_path, "A draft.", "draft")
    taken = draft(tmp_path, "Another draft.", "taken")
    withdraw(quoted.document_id, actor="op", reason="Wrong.")
    withdraw(taken.document_id, actor="op", reason="Wrong.")
    reject(refused.document_id, actor="op", reason="Wrong.")
    titles = [words(page_of(each)).count("as it was quoted") for each in (quoted, refused, taken)]
    assert titles == [1, 0, 0]


@pytest.mark.parametrize(("action", "place"), [("reject", "decision"), ("withdraw", "withdrawal")])
def test_a_form_comes_back_where_it_was(tmp_path: Path, action: str, place: str) -> None:
    revision = draft(tmp_path) if action == "reject" else approved(tmp_path)
    page = main(page_of(revision))
    assert f'/{action}/#{place}"' in page
    assert f'id="{place}"' in page


# The record


def test_the_record_of_a_revision_is_its_own(tmp_path: Path) -> None:
    first = approved(tmp_path, version="1")
    other = approved(tmp_path, "A text about hotels.", "hotels", version="1")
    approved(tmp_path, NEW, version="2", valid_from="2026-03-01")
    withdraw(other.document_id, actor="op", reason="A secret reason")
    record = re.search(r'<ol class="record">(.*?)</ol>', main(page_of(first)))
    assert record
    entries = re.findall(r"<li>(.*?) <span", record[1])
    assert entries == [
        "imported by op",
        "approval requested by op",
        "approved by op",
        "superseded, approved by op",
    ]
    assert "withdrawn by op" in words(page_of(other))
    assert "A secret reason" in words(page_of(other))


def test_a_subject_that_could_be_another_source_s_brings_no_event(tmp_path: Path) -> None:
    """``a version 1`` in version ``2``, and ``a`` in version ``1 version 2``, are written alike."""
    mine, other = approved(tmp_path, "About meals.", "a", version="1 version 2"), "a version 1"
    before = shown(page_of(mine))
    approved(tmp_path, "About pay.", other, version="2", scope="hr")
    approved(tmp_path, "About more.", other, version="3", scope="hr", valid_from="2026-03-01")
    assert AuditEvent.objects.filter(action="supersede", subject=str(mine)).exists()
    assert shown(page_of(mine)) == before


def test_an_event_from_when_subjects_were_written_shorter_is_found(tmp_path: Path) -> None:
    old = approved(tmp_path, "About meals.", "a", version="1")
    new = approved(tmp_path, "About pay.", "a", version="2", valid_from="2026-03-01")
    count = words(page_of(old)).count("superseded, approved by")
    record("op", "supersede", "a@1", by=new.document_id, until="2026-02-28")
    assert words(page_of(old)).count("superseded, approved by") == count + 1


def test_hidden_documents_change_no_byte_of_a_page(tmp_path: Path) -> None:
    revision = draft(tmp_path)
    before = shown(page_of(revision))
    approved(tmp_path, NEW, "secret", scope="hr")
    draft(tmp_path, "A secret.", "secret", version="2", scope="hr")
    assert shown(page_of(revision)) == before
