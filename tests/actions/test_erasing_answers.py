"""What a recorded answer may still say: erased words, lost grants, altered and cut texts."""

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db import connection

from rag.actions.asking import Asked
from rag.actions.checking import check
from rag.actions.governing import erase, withdraw
from rag.actions.people import grant, revoke
from rag.core.answers import INVALID, Piece, Proposal, Supplied
from rag.core.errors import IndexDamaged, SourceDamaged
from rag.models import Answer, AuditEvent, Citation, Revision
from rag.queries.eligibility import access_of_user
from tests import factories, fakes

SHORT = "Meals on business trips are reimbursed"
RULE = f"{SHORT} up to EUR 52 per day."
LIMIT = "Meals above the pearl limit are paid by the traveller."
OTHER = "Meals in the canteen are free for guests of the company."
REASON = "the data subject Ann Example asked for it"


def quoting(**quotes: Sequence[str]) -> fakes.FakeParts:
    """Parts whose proposer quotes these sentences of these sources, in this order."""

    def answer(supplied: Sequence[Supplied]) -> Proposal:
        alias = {excerpt.source_id: excerpt.alias for excerpt in supplied}
        pairs = ((source, quote) for source, found in quotes.items() for quote in found)
        return Proposal(True, tuple(Piece(alias[source], quote) for source, quote in pairs))

    return fakes.FakeParts(proposer=fakes.FakeProposer(answer))


def answered(folder: Path, **quotes: Sequence[str]) -> Asked:
    """A recorded answer with these quotations of two sources about meals."""
    factories.import_text(folder, "a", f"{RULE} {LIMIT}")
    factories.import_text(folder, "b", OTHER)
    factories.rebuild()
    asked = factories.ask("Which meals are reimbursed?", using=quoting(**quotes))
    assert asked.verdict.accepted
    return asked


def lines(asked: Asked) -> list[str]:
    """The lines of an answer as it is recorded now."""
    return Answer.objects.get(pk=asked.answer.pk).text.split("\n")


def redacted(source: str, quote: str) -> str:
    return f"[{source}#0] (erased; SHA-256 {hashlib.sha256(quote.encode()).hexdigest()})"


# Erasing


@pytest.mark.parametrize(
    "quotes",
    [[SHORT, RULE], [RULE, SHORT], [RULE, LIMIT], [SHORT, RULE, LIMIT], [LIMIT, RULE, SHORT]],
)
def test_every_quotation_of_an_erased_source_is_redacted(
    db: None, tmp_path: Path, quotes: list[str]
) -> None:
    asked = answered(tmp_path, a=quotes)
    erase("a", actor="op", reason=REASON)
    assert lines(asked) == [redacted("a", quote) for quote in quotes]
    assert set(Citation.objects.values_list("quote", flat=True)) == {""}


@pytest.mark.parametrize("quotes", [[RULE], [SHORT, RULE]])
def test_quotations_of_other_sources_stay(db: None, tmp_path: Path, quotes: list[str]) -> None:
    asked = answered(tmp_path, b=[OTHER], a=quotes)
    erase("a", actor="op", reason=REASON)
    assert lines(asked) == [f"[b#0] {OTHER}", *(redacted("a", quote) for quote in quotes)]
    assert asked.answer.citations.get(revision__source__source_id="b").quote == OTHER
    erase("b", actor="op", reason=REASON)
    assert lines(asked)[0] == redacted("b", OTHER)


def test_an_answer_without_the_erased_source_is_not_touched(db: None, tmp_path: Path) -> None:
    asked = answered(tmp_path, b=[OTHER])
    erase("a", actor="op", reason=REASON)
    assert lines(asked) == [f"[b#0] {OTHER}"]
    assert AuditEvent.objects.get(action="erase").details["answers"] == []


def test_an_erasure_is_on_record_with_its_answers_and_the_hash_of_its_reason(
    db: None, tmp_path: Path
) -> None:
    asked = [answered(tmp_path, a=[SHORT, RULE]), answered(tmp_path, a=[LIMIT], b=[OTHER])]
    erase("a", actor="op", reason=REASON)
    details = AuditEvent.objects.get(action="erase").details
    assert sorted(details["answers"]) == sorted(str(each.answer.pk) for each in asked)
    assert details["reason_sha256"] == hashlib.sha256(REASON.encode()).hexdigest()
    assert set(details) == {
        *("answers", "reason_sha256", "document_id", "source_sha256", "text_sha256")
    }


@pytest.mark.parametrize("act", [withdraw, erase])
def test_a_reason_stands_on_the_revision_and_not_in_the_events(
    db: None, tmp_path: Path, act: Callable[..., object]
) -> None:
    factories.import_text(tmp_path, "a", RULE)
    act("a", actor="op", reason=REASON)
    assert Revision.objects.get().reason == REASON
    assert not any("Ann Example" in str(event) for event in AuditEvent.objects.values())


# Losing access between retrieval and publication


def meanwhile(act: Callable[[], object], quote: str = RULE) -> fakes.FakeParts:
    """Parts whose proposer quotes the first excerpt after something has happened."""

    def answer(supplied: Sequence[Supplied]) -> Proposal:
        act()
        return Proposal(True, (Piece(supplied[0].alias, quote),))

    return fakes.FakeParts(proposer=fakes.FakeProposer(answer))


def deactivate() -> object:
    return User.objects.filter(username="sam").update(is_active=False)


def revoke_own() -> object:
    return revoke("public", user="sam")


def leave() -> None:
    User.objects.get(username="sam").groups.clear()


def readable_by_sam(folder: Path, *, user: str | None = None, group: str | None = None) -> None:
    factories.user("sam", groups=["team"])
    factories.import_text(folder, "a", RULE)
    factories.rebuild()
    grant("public", user=user, group=group)


@pytest.mark.parametrize(
    ("holder", "act"),
    [
        ({"user": "sam"}, revoke_own),
        ({"user": "sam"}, deactivate),
        ({"group": "team"}, leave),
        ({"group": "team"}, lambda: revoke("public", group="team")),
    ],
    ids=["revoked", "deactivated", "left the group", "group revoked"],
)
def test_who_loses_access_before_the_gate_is_quoted_nothing(
    db: None, tmp_path: Path, holder: dict[str, str], act: Callable[[], object]
) -> None:
    readable_by_sam(tmp_path, **holder)
    sam = access_of_user("sam", factories.TODAY)
    assert factories.ask("meals", sam, using=meanwhile(list)).answer.text == f"[a#0] {RULE}"
    asked = factories.ask("meals", sam, using=meanwhile(act))
    assert asked.answer.text == INVALID == ("Insufficient evidence: invalid citation or quotation.")
    assert (asked.answer.status, asked.answer.citations.count()) == ("refused", 0)


def test_who_keeps_another_grant_is_still_answered(db: None, tmp_path: Path) -> None:
    readable_by_sam(tmp_path, user="sam")
    grant("public", group="team")
    sam = access_of_user("sam", factories.TODAY)
    asked = factories.ask("meals", sam, using=meanwhile(revoke_own))
    assert asked.answer.text == f"[a#0] {RULE}"


@pytest.mark.parametrize("act", [deactivate, revoke_own])
def test_who_lost_access_before_searching_finds_nothing(
    db: None, tmp_path: Path, act: Callable[[], object]
) -> None:
    readable_by_sam(tmp_path, user="sam")
    sam = access_of_user("sam", factories.TODAY)
    act()
    assert factories.search("meals", sam).hits == ()


def test_an_operator_s_scopes_are_no_grants(db: None, tmp_path: Path) -> None:
    readable_by_sam(tmp_path, user="sam")
    operator = factories.access("public", user="scopes:public")
    for act in (revoke_own, deactivate):
        asked = factories.ask("meals", operator, using=meanwhile(act))
        assert asked.answer.text == f"[a#0] {RULE}"


# A text altered behind the site's back


def alter() -> None:
    """Change stored texts as only raw SQL can."""
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rag_revision SET text = replace(text, '52', '99')")


ALTERED = RULE.replace("52", "99")


def raises_source_damaged(ask: Callable[[], object]) -> None:
    """Asking is refused, nothing is recorded, and only ``detail`` names the source."""
    before = Answer.objects.count()
    with pytest.raises(SourceDamaged) as caught:
        ask()
    assert Answer.objects.count() == before
    assert isinstance(caught.value, IndexDamaged)
    assert "the text of a source does not match its SHA-256" in str(caught.value)
    assert "secret-plan" not in str(caught.value)
    assert "(secret-plan)" in caught.value.detail


def test_an_altered_text_is_never_quoted(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "secret-plan", RULE)
    factories.rebuild()
    assert factories.ask("Are meals reimbursed?").answer.text == f"[secret-plan#0] {RULE}"
    alter()
    raises_source_damaged(lambda: factories.ask("Are meals reimbursed?"))


@pytest.mark.parametrize("quote", [RULE, ALTERED])
def test_a_text_altered_after_retrieval_is_never_quoted(
    db: None, tmp_path: Path, quote: str
) -> None:
    factories.import_text(tmp_path, "secret-plan", RULE)
    factories.rebuild()
    using = meanwhile(alter, quote)
    raises_source_damaged(lambda: factories.ask("Are meals reimbursed?", using=using))


def test_a_check_names_the_altered_source(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "secret-plan", RULE)
    factories.rebuild()
    alter()
    [sentence] = check(factories.parts())
    assert "(secret-plan)" in sentence


# Cut sentences

FILLER = "The canteen opens at noon and closes in the afternoon on every single working day. " * 5
LONG = (
    "Meals on business trips are reimbursed up to EUR 52 per day and per traveller, "
    + "provided the receipts reach the travel desk in time and in full, " * 4
    + "and nobody else pays for them."
)


@pytest.mark.parametrize(
    ("chunking", "warnings"),
    [("chars-600-overlap-80-v1", ["partial sentence"]), ("sections-v2", [])],
)
def test_an_answer_says_that_its_sentence_was_cut(
    db: None, tmp_path: Path, chunking: str, warnings: list[str]
) -> None:
    using = factories.parts(chunking)
    factories.import_text(tmp_path, "a", f"{FILLER}{LONG}")
    factories.rebuild(using)
    asked = factories.ask("Are meals on business trips reimbursed?", using=using)
    citation = asked.answer.citations.get(position=0)
    assert LONG.startswith(citation.quote)
    assert (citation.quote == LONG) == (not warnings)
    assert citation.warnings == list(asked.warnings[0]) == warnings


def test_a_text_altered_under_a_loaded_snapshot_is_not_shown(db: None, tmp_path: Path) -> None:
    factories.import_text(tmp_path, "a", "Meals on business trips cost at most EUR 52 per day.")
    factories.rebuild()
    assert factories.labels(factories.search("meals")) == ["a#0"]
    with connection.cursor() as cursor:
        cursor.execute("UPDATE rag_revision SET text = replace(text, '52', '99')")
    with pytest.raises(SourceDamaged):
        factories.search("meals")
