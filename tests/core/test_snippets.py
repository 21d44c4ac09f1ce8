"""Snippets: whole sentences, the best of them, and marks that lie on the words."""

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag.core.matches import Match, matches
from rag.core.snippets import Snippet, snippet
from rag.core.text import Span, sentence_spans

CHOOSE = "Choose Export, then CSV."
HEADED = f"# Exports\n\nOpen a report. {CHOOSE}\n\n## Limits\n\nAt most 50,000 rows.\n"
TABLE = "# Caps\n\n| City | Limit |\n|---|---|\n| Rome | EUR 52 |\n| Oslo | EUR 70 |\n"

SENTENCE = st.lists(st.sampled_from(["export", "report", "exported", "file", "of"]), min_size=1)
PROSE = st.lists(SENTENCE.map(lambda words: " ".join(words).capitalize() + "."), max_size=12).map(
    " ".join
)
TRICKY = st.text(st.sampled_from(" \n\n.。!#|->*`aé\u0301\u200b\u00ad日本C+1ـ🙂﹏"))
LIMITS = st.integers(1, 90)
untimed = settings(deadline=None)


def of(text: str, question: str, longest: int = 320) -> Snippet:
    return snippet(text, question, ("en",), longest)


def shown(text: str, question: str, longest: int = 320) -> str:
    found = of(text, question, longest)
    return text[found.start : found.end]


def distinct(found: Iterable[Match], start: int, end: int) -> int:
    inside = (match for match in found if start <= match.start and match.end <= end)
    return len({word for match in inside for word in match.asked})


# Which sentences


def best_run(text: str, question: str, longest: int) -> Span:
    """The slow rule: from each sentence on as many as fit; most words first, then the earliest."""
    spans, found = sentence_spans(text), matches(text, question, ("en",))
    runs = [(start, max(end for _, end in spans if end - start <= longest)) for start, _ in spans]
    return min(runs, key=lambda run: (-distinct(found, *run), run[0]))


@untimed
@given(PROSE.filter(bool), st.sampled_from(["export of a file", "report", "nothing", "of"]), LIMITS)
def test_the_run_of_sentences_with_most_words_of_the_question_is_taken(
    text: str, question: str, slack: int
) -> None:
    longest = max(end - start for start, end in sentence_spans(text)) + slack
    found = of(text, question, longest)
    assert (found.start, found.end) == best_run(text, question, longest)
    assert not (found.cut_before or found.cut_after)


@untimed
@given(SENTENCE.map(" ".join), st.sampled_from(["export of a file", "report"]), st.integers(8, 40))
def test_the_best_part_of_a_long_sentence_is_taken(text: str, question: str, longest: int) -> None:
    found = matches(text, question, ("en",))
    best = max(distinct(found, at, at + longest) for at in range(len(text)))
    cut = of(text, question, longest)
    assert distinct(found, cut.start, cut.end) == best


@pytest.mark.parametrize(
    ("text", "question", "longest", "expected"),
    [
        ("One. Two. Three.", "nothing here", 9, "One. Two."),
        ("A file. An export. A file.", "file", 8, "A file."),
        ("First line\nof it. Next.", "next", 80, "First line\nof it. Next."),
        ("请提交。费用报销。", "费用报销", 5, "费用报销。"),
        (HEADED, "csv export", 60, f"Open a report. {CHOOSE}"),
        (HEADED, "exports", 26, CHOOSE),
        (HEADED, "rows", 20, "At most 50,000 rows."),
        (HEADED, "limits", 20, "## Limits"),
        (TABLE, "Oslo", 20, "| Oslo | EUR 70 |"),
        (TABLE, "limit", 50, "| City | Limit |\n|---|---|\n| Rome | EUR 52 |"),
        (TABLE, "Rome", 60, "| Rome | EUR 52 |"),
        ("# Only a heading\n", "heading", 80, "# Only a heading"),
        ("", "anything", 80, ""),
        (" \n ", "anything", 80, ""),
    ],
)
def test_what_is_shown(text: str, question: str, longest: int, expected: str) -> None:
    assert shown(text, question, longest) == expected


# Sentences that are too long


def test_a_long_sentence_is_cut_around_the_match_and_says_so() -> None:
    text = f"{'before ' * 80}the export {'after ' * 80}ends."
    found = of(text, "export", 100)
    assert text[found.start : found.end].startswith("before ")
    assert text[found.start : found.end].endswith(" after")
    assert found.cut_before and found.cut_after
    assert 30 < found.marks[0][0] - found.start < 70


@pytest.mark.parametrize(
    ("question", "cuts"), [("first", (False, True)), ("last", (True, False)), ("no", (False, True))]
)
def test_a_cut_is_flagged_only_where_the_sentence_goes_on(
    question: str, cuts: tuple[bool, bool]
) -> None:
    found = of(f"The first {'word ' * 50}is last.", question, 40)
    assert (found.cut_before, found.cut_after) == cuts


def test_a_script_without_spaces_is_cut_between_characters() -> None:
    text = f"{'很长的句子' * 100}费用报销{'没有标点' * 100}"
    found = of(text, "费用报销", 40)
    assert found.end - found.start == 40
    assert [text[start:end] for start, end in found.marks] == ["费用报销"]


def test_a_word_in_a_long_address_is_not_cut() -> None:
    text = f"https://example.org/{'path/' * 30}export/{'path/' * 30}"
    cut = shown(text, "export", 40)
    assert set(cut.strip("/").split("/")) == {"path", "export"}


# Marks


def test_marks_lie_on_the_matched_words() -> None:
    text = "In **Reporting**, choose “Export”, then CSV, or C++."
    found = of(text, "exporting csv reports with C++")
    assert [text[slice(*mark)] for mark in found.marks] == ["Reporting", "Export", "CSV", "C++"]


@untimed
@given(st.one_of(PROSE, TRICKY), st.one_of(PROSE, TRICKY), LIMITS)
def test_the_snippet_is_a_bounded_slice_with_exact_marks(
    text: str, question: str, longest: int
) -> None:
    found = of(text, question, longest)
    assert 0 <= found.start <= found.end <= len(text)
    assert found.end - found.start <= longest
    inside = [m for m in matches(text, question, ("en",)) if m.start >= found.start]
    expected = {i for m in inside if m.end <= found.end for i in range(m.start, m.end)}
    assert {i for mark in found.marks for i in range(*mark)} == expected
    ends = [found.start, *(end for mark in found.marks for end in mark), found.end]
    assert ends == sorted(ends)


@untimed
@given(TRICKY, LIMITS)
def test_only_a_cut_leaves_the_boundaries_of_sentences(text: str, longest: int) -> None:
    found = of(text, "a日本C++1", longest)
    spans = sentence_spans(text)
    if spans:
        assert found.cut_before or found.start in [start for start, _ in spans]
        assert found.cut_after or found.end in [end for _, end in spans]
        assert found.start < found.end
    else:
        assert found == Snippet(0, 0, ())
