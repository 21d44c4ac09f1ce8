"""The word difference: nothing lost, nothing invented, and readable."""

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.differences import LEAST_GAP, Change, Gap, folded, word_difference

SIGNS = {"same": "{}", "removed": "[-{}-]", "added": "[+{}+]"}
SMALL = st.text(st.sampled_from("ab \n.,1é\u0301日-\u200b"), max_size=40)
LINES = st.lists(
    st.sampled_from(["", "One line.", "One line. ", "Another line", "A line more.", "x", "  "])
).map("\n".join)
PARAGRAPHS = st.lists(st.sampled_from(["One line.\n\n", "A second\none.\n\n", "x\n\n"])).map(
    "".join
)
TEXTS = st.one_of(st.text(max_size=60), SMALL, LINES)
untimed = settings(deadline=None)


def written(old: str, new: str) -> str:
    return "".join(SIGNS[c.kind].format(c.text) for c in word_difference(old, new))


def side(changes: Sequence[Change], other: str) -> str:
    return "".join(change.text for change in changes if change.kind != other)


@untimed
@given(TEXTS, TEXTS)
def test_both_texts_come_out_again_to_the_character(old: str, new: str) -> None:
    changes = word_difference(old, new)
    assert (side(changes, "added"), side(changes, "removed")) == (old, new)


@untimed
@given(TEXTS, TEXTS)
def test_changes_are_not_empty_and_come_in_order(old: str, new: str) -> None:
    changes = word_difference(old, new)
    assert all(change.text for change in changes)
    for before, after in pairwise(changes):
        assert (before.kind, after.kind) in {
            *(("same", "removed"), ("same", "added"), ("removed", "added")),
            *(("removed", "same"), ("added", "same")),
        }


@untimed
@given(TEXTS)
def test_a_text_has_no_difference_to_itself(text: str) -> None:
    assert word_difference(text, text) == ((Change("same", text),) if text else ())


@untimed
@given(PARAGRAPHS, PARAGRAPHS, PARAGRAPHS.filter(bool))
def test_inserted_paragraphs_are_only_added(before: str, after: str, inserted: str) -> None:
    changes = word_difference(before + after, before + inserted + after)
    assert {change.kind for change in changes} <= {"same", "added"}
    assert sum(len(change.text) for change in changes if change.kind == "added") == len(inserted)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", "", ""),
        ("", "new", "[+new+]"),
        ("old", "", "[-old-]"),
        ("Fee: 1,000 EUR.", "Fee: 1,500 EUR.", "Fee: [-1,000-][+1,500+] EUR."),
        ("on 2026-01-05", "on 2026-02-05", "on [-2026-01-05-][+2026-02-05+]"),
        (
            "the big red dog barks",
            "the tiny blue dog barks",
            "the [-big red-][+tiny blue+] dog barks",
        ),
        ("by the desk", "by the new desk", "by the [+new +]desk"),
        ("it is not so", "it is so", "it is [-not -]so"),
        ("one line", "one\nline", "one[- -][+\n+]line"),
        ("one  line", "one line", "one [- -]line"),
        ("one \n", "one \n\nline\n", "one \n[+\nline\n+]"),
        ("a\n\nb\n", "a\n\nnew\n\nb\n", "a\n\n[+new\n\n+]b\n"),
        ("a class\n\nEnd", "a class of two\n\nEnd", "a class[+ of two+]\n\nEnd"),
        ("export it", "ex\u200bport it", "[-export-][+ex\u200bport+] it"),
        ("may pay", "may\u00a0pay", "may[- -][+\u00a0+]pay"),
        ("每天最多五十欧元。", "每天最多六十欧元。", "每天最多[-五-][+六+]十欧元。"),
        ("cafe\u0301 bar", "cafe bar", "[-cafe\u0301-][+cafe+] bar"),
        ("I don't", "I do", "I [-don't-][+do+]"),
        ("| a | 1 |\n| b | 2 |\n", "| a | 1 |\n| b | 3 |\n", "| a | 1 |\n| b | [-2-][+3+] |\n"),
    ],
)
def test_what_the_approver_reads(old: str, new: str, expected: str) -> None:
    assert written(old, new) == expected


def test_a_reflowed_paragraph_shows_its_line_breaks_alone() -> None:
    old = "Meals are paid up to EUR 52\nper day. Hotels are booked\nby the desk.\n"
    changes = word_difference(old, f"{' '.join(old.split())}\n")
    assert {change.text for change in changes if change.kind != "same"} == {"\n", " "}


def test_a_blank_line_less_does_not_pair_each_paragraph_with_the_next() -> None:
    old = [f"Rule {n}{n} holds for all {n * 'x'} from the {n}th year." for n in range(1, 20)]
    new = [line.replace("all", "some") for line in old]
    changes = word_difference("\n\n".join(old), "\n".join(new[:2]) + "\n\n" + "\n\n".join(new[2:]))
    assert [c.text for c in changes if c.kind == "removed"].count("all") == 19


def test_unrelated_sentences_are_not_broken_into_crumbs() -> None:
    old = "Meals are reimbursed up to EUR 52 per day.\n"
    new = "All hotels are booked early through the travel desk, up to a cap.\n"
    assert [change.kind for change in word_difference(old, new)] == ["removed", "added", "same"]


def test_a_sentence_that_stayed_is_found_among_rewritten_ones() -> None:
    kept = "Contractors are covered by their own contract. "
    old, new = f"{'Alpha beta gamma. ' * 9}{kept}Iota.", f"{'Delta eta. ' * 9}{kept}Kappa, lambda."
    same = [change.text for change in word_difference(old, new) if change.kind == "same"]
    assert same == [f". {kept}", "."]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("a\n" * 30_000 + "x\n", "y\n" + "a\n" * 30_000),
        ("a b " * 30_000 + "x", "y" + "b a " * 30_000),
        (" " * 50_000, "\n" * 50_000),
        ("!" * 50_000 + "?", "?" + "!" * 50_000),
        ("a" * 50_000, "a" * 50_001),
        ("a" + "\u0301" * 50_000, "b" + "\u0301" * 50_000),
    ],
)
def test_a_text_made_to_be_slow_is_still_exact(old: str, new: str) -> None:
    changes = word_difference(old, new)
    assert (side(changes, "added"), side(changes, "removed")) == (old, new)


def test_a_region_too_large_to_align_is_removed_and_added_as_a_whole() -> None:
    old, new = "!" * 350_000 + "?", "." + "!" * 349_000
    assert word_difference(old, new) == (Change("removed", old), Change("added", new))


# Folding


def stretches(changes: Sequence[Change | Gap]) -> str:
    """Shown text as it is, and a gap as so many zeros."""
    parts = (c.text if isinstance(c, Change) else "\0" * c.characters for c in changes)
    return "".join(parts)


@untimed
@given(st.lists(st.sampled_from(["new ", "word ", "1,000 ", "日本", "\n"]), max_size=80), st.data())
def test_folding_hides_only_unchanged_text_and_counts_it(
    words: list[str], data: st.DataObject
) -> None:
    at = data.draw(st.integers(0, len(words)))
    changes = word_difference("".join(words), "".join([*words[:at], "inserted ", *words[at:]]))
    shown = folded(changes, context=data.draw(st.integers(0, 30)))
    whole, seen = "".join(change.text for change in changes), stretches(shown)
    assert len(seen) == len(whole)
    assert all(a in (b, "\0") for a, b in zip(seen, whole, strict=True))
    assert [c for c in shown if c.kind not in ("same", "gap")] == [
        c for c in changes if c.kind != "same"
    ]
    assert whole.count("\n") == seen.count("\n") + sum(
        gap.lines for gap in shown if isinstance(gap, Gap)
    )


@pytest.mark.parametrize("context", [0, 5, 17, 60])
def test_context_is_of_whole_words_and_no_longer_than_asked(context: int) -> None:
    words = "some words of 1,000 or more " * 40
    changes = word_difference(f"{words}old {words}", f"{words}new {words}")
    shown = folded(changes, context)
    same = [c.text for c in shown if isinstance(c, Change) and c.kind == "same"]
    assert [c.kind for c in shown if c.kind != "same"] == ["gap", "removed", "added", "gap"]
    assert all(context - 6 < len(text) <= context for text in same)
    assert {word for text in same for word in text.split()} <= set(words.split())


@pytest.mark.parametrize(("length", "kinds"), [(60, ["same"]), (61, ["same", "gap", "same"])])
def test_a_gap_worth_less_than_its_sign_is_not_made(length: int, kinds: list[str]) -> None:
    assert LEAST_GAP == 40
    between = "日" * length
    changes = word_difference(f"old。{between}。old", f"new。{between}。new")
    inner = [part.kind for part in folded(changes, 11)[2:-2]]
    assert inner == kinds


def test_a_gap_counts_the_line_ends_that_it_hides() -> None:
    lines = "word\n" * 30
    shown = folded(word_difference(f"{lines}old", f"{lines}new"), context=12)
    assert shown[:2] == (Gap(139, 27), Change("same", "\nword\nword\n"))


def test_a_text_without_changes_is_one_gap() -> None:
    text = "One line.\n" * 50
    assert folded(word_difference(text, text), 80) == (Gap(500, 50),)
