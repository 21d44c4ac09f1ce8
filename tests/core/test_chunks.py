"""Chunking policies: exact windows, sections that respect structure, checks of any splitter."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.chunks import (
    DEFAULT,
    CharacterWindows,
    Chunk,
    Chunker,
    Sections,
    WordWindows,
    check_chunks,
    chunker,
)
from rag.core.errors import InvalidOption, InvalidText
from rag.core.text import body_start, decode, sentence_spans

HANDBOOKS = Path(__file__).resolve().parents[3] / "shared" / "eval" / "handbooks"

LINES = st.sampled_from(
    [
        *("# One", "## Two", "### Three ###", "#P2 is no heading", "Title\n=====", "Sub\n---"),
        *("", "", "", "  ", "***", "However, not on Sundays.", "The rules are:", "x" * 130),
        *("- item", "  - nested item. Two sentences.", "1. first", "lazy continuation", "> quote"),
        *("| a | b |", "|---|---|", "| 1 | 2 |", "a | b", "--- | ---", "```", "~~~py", "    code"),
        *(
            "{% alert %}",
            "<div>",
            "</div>",
            "<%= erb %>",
            "---",
            "中文没有空格。第二句！",
            "عربي؟ نعم.",
        ),
        *("e\u0301 combining 👩‍👩‍👧 emoji", "A sentence. Another one! A third?", "word " * 40),
    ]
)
MARKDOWN = st.builds("\n".join, st.lists(LINES | st.text(max_size=40), max_size=40))
BODIES = MARKDOWN.filter(lambda text: text[body_start(text) :].strip())


def spans(chunks: tuple[Chunk, ...]) -> list[tuple[int, int]]:
    return [(chunk.start_char, chunk.end_char) for chunk in chunks]


def texts(text: str, limit: int = 1000) -> list[str]:
    return [chunk.text for chunk in Sections(limit).split(text, "Title")]


def sentence(length: int, letter: str = "a") -> str:
    """One sentence of words, exactly ``length`` characters long."""
    return (letter.upper() + f" {letter}{letter}{letter}" * length)[: length - 2].rstrip() + "z."


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        (1, [(0, 1)]),
        (600, [(0, 600)]),
        (601, [(0, 600), (520, 601)]),
        (1120, [(0, 600), (520, 1120)]),
        (1200, [(0, 600), (520, 1120), (1040, 1200)]),
    ],
)
def test_character_windows_are_those_of_the_reference(
    length: int, expected: list[tuple[int, int]]
) -> None:
    assert spans(CharacterWindows().split("x" * length, "")) == expected


def test_windows_begin_after_the_front_matter_and_are_not_trimmed() -> None:
    text = "---\nid: a\n---\n\n abc "
    (chunk,) = CharacterWindows().split(text, "T")
    assert (chunk.text, chunk.start_char, chunk.context) == ("\n abc ", 14, "T")
    assert (chunk.start_line, chunk.end_line) == (4, 5)


def test_a_window_of_white_space_is_left_out_and_parts_go_on_counting() -> None:
    chunks = CharacterWindows(4, 0).split("abcd" + " " * 8 + "efgh", "")
    assert [(chunk.part, chunk.text) for chunk in chunks] == [(0, "abcd"), (1, "efgh")]


def test_word_windows_are_those_of_the_reference() -> None:
    chunks = WordWindows(4, 2).split("one two three four five six seven", "")
    assert [chunk.text for chunk in chunks] == [
        "one two three four",
        "three four five six",
        "five six seven",
    ]


@pytest.mark.parametrize("policy", [CharacterWindows, WordWindows])
@pytest.mark.parametrize(("size", "overlap"), [(4, 4), (4, 5), (4, -1), (0, 0)])
def test_an_impossible_overlap_is_refused_before_any_work(
    policy: type[CharacterWindows] | type[WordWindows], size: int, overlap: int
) -> None:
    with pytest.raises(InvalidOption):
        policy(size, overlap)


@pytest.mark.parametrize(
    "identifier",
    [
        *(DEFAULT, "sections-500-v2", "sections-v1", "sections-500-v1"),
        *("chars-600-overlap-80-v1", "words-200-overlap-0-v1"),
    ],
)
def test_a_policy_is_found_by_its_id(identifier: str) -> None:
    assert chunker(identifier).id == identifier


def test_each_version_of_sections_has_its_own_size() -> None:
    assert chunker("sections-v1") == Sections(1000, version=1)
    assert chunker("sections-v2") == Sections(900, version=2) == Sections()


@pytest.mark.parametrize("version", [0, 3])
def test_an_unknown_version_of_sections_is_refused(version: int) -> None:
    with pytest.raises(InvalidOption):
        Sections(version=version)


@pytest.mark.parametrize(
    "identifier", ["", "sections", "sections-v3", "sections-0-v2", "chars-9-overlap-9-v1"]
)
def test_an_unknown_policy_is_refused(identifier: str) -> None:
    with pytest.raises(InvalidOption):
        chunker(identifier)


def test_an_unknown_policy_is_told_the_known_ones() -> None:
    with pytest.raises(InvalidOption, match=r"sections-v2, sections-v1.*chars-N-overlap-M-v1"):
        chunker("paragraphs-v1")


@pytest.mark.parametrize("policy", [Sections(), CharacterWindows(), WordWindows(4, 2)])
@pytest.mark.parametrize("text", ["", " \n\u2003\n", "---\ntitle: A\n---\n \n"])
def test_a_text_without_body_is_refused(policy: Chunker, text: str) -> None:
    with pytest.raises(InvalidText):
        policy.split(text, "Title")


def test_a_chunk_carries_lines_section_and_context() -> None:
    text = f"---\nid: a\n---\n# Leave\n\n## Annual\n\n{sentence(300)}\n"
    (chunk,) = Sections().split(text, "Handbook")
    assert chunk.text == text[14:].strip()
    assert (chunk.start_line, chunk.end_line) == (4, 8)
    assert chunk.section == "Leave › Annual"
    assert chunk.context == "Handbook"  # the chunk itself says the rest
    (first,) = Sections(version=1).split(text, "Handbook")
    assert first.context == "Handbook\nLeave › Annual"


def test_a_chunk_without_its_headings_has_them_in_its_context() -> None:
    text = f"# Leave\n\n## A\n\n{sentence(600)}\n\nA {sentence(600)}"
    first, second = Sections().split(text, "Handbook")
    assert (first.context, second.context) == ("Handbook", "Handbook\nLeave › A")
    assert first.section == second.section == "Leave › A"


@pytest.mark.parametrize("heading", ["## Second", "## Second ##", "Second\n------"])
def test_a_heading_begins_a_new_chunk(heading: str) -> None:
    text = f"# First\n\n{sentence(250)}\n\n{heading}\n\n{sentence(250)}"
    first, second = Sections().split(text, "")
    assert (first.section, second.section) == ("First", "First › Second")
    assert second.text.startswith(heading)


@pytest.mark.parametrize(
    "line", ["#P2 ticket", "```\n# code\n```", "a | b\n--- | ---\nc | d", "> # q"]
)
def test_what_only_looks_like_a_heading_begins_none(line: str) -> None:
    text = f"{sentence(250)}\n\n{line}\n\n{sentence(250)}"
    (chunk,) = Sections().split(text, "")
    assert (chunk.text, chunk.section) == (text, "")


@pytest.mark.parametrize("heading", ["== Second ==", "Second", "2. Second"])
def test_a_heading_without_marks_of_markdown_begins_a_new_chunk_too(heading: str) -> None:
    text = f"OPENING\n\n{sentence(250)}\n\n{heading}\n\n{sentence(250)}"
    first, second = Sections().split(text, "T")
    assert (first.section, second.text) == ("OPENING", text[text.index(heading) :])
    assert second.section.endswith(heading.strip("= "))


def test_the_first_version_knows_the_headings_of_markdown_alone() -> None:
    text = f"OPENING\n\n{sentence(250)}\n\n== Second ==\n\n{sentence(250)}"
    (chunk,) = Sections(version=1).split(text, "T")
    assert (chunk.text, chunk.context) == (text, "T")


@given(BODIES, st.sampled_from([60, 1000]))
def test_both_versions_agree_where_all_headings_are_of_markdown(text: str, limit: int) -> None:
    text = f"# Rules\n{text.replace('=', '')}"
    first, second = (Sections(limit, version).split(text, "T") for version in (1, 2))
    assert [replace(c, context="") for c in first] == [replace(c, context="") for c in second]


def test_a_bare_heading_goes_with_its_first_subsection() -> None:
    text = f"# A\n\n## B\n\n### C\n\n{sentence(900)}\n\n## D\n\n{sentence(300)}"
    first, second = Sections(1000).split(text, "")
    assert first.text.startswith("# A\n\n## B\n\n### C")
    assert (first.section, second.section) == ("A › B › C", "A › D")


def test_small_sections_are_joined_under_their_common_path() -> None:
    text = f"# A\n\n{sentence(400)}\n\n## B\n\nShort.\n\n## C\n\n{sentence(300)}\n\n# D\n\nEnd."
    sections = [(chunk.section, chunk.text[:4]) for chunk in Sections().split(text, "")]
    assert sections == [("A", "# A\n"), ("A", "## B"), ("D", "# D\n")]


def test_sections_of_different_parents_are_not_joined() -> None:
    text = "# A\n\n## B\n\nShort.\n\n# C\n\n## D\n\nShort."
    assert [chunk.section for chunk in Sections().split(text, "")] == ["A › B", "C › D"]


def test_paragraphs_stay_whole_where_they_fit() -> None:
    paragraphs = [f"{sentence(300, c)} {sentence(300, c)}" for c in "abc"]
    assert texts("\n\n".join(paragraphs)) == paragraphs


def test_no_sentence_that_fits_is_cut() -> None:
    text = " ".join(sentence(length) for length in (400, 700, 990, 30, 500, 480, 999))
    cuts = {end for _, end in spans(Sections(1000).split(text, ""))}
    assert cuts <= {end for _, end in sentence_spans(text)}


@pytest.mark.parametrize("text", ["word " * 500, "x" * 2500, "第" * 1001, "a " + "x" * 1500])
def test_what_is_too_long_is_cut_at_white_space_or_at_worst_anywhere(text: str) -> None:
    found = texts(text)
    assert max(map(len, found)) <= 1000
    assert "".join("".join(found).split()) == "".join(text.split())
    if text.startswith("word"):
        assert {word for chunk in found for word in chunk.split()} == {"word"}


@pytest.mark.parametrize(
    "opening", ["However, ", "Except ", "- Unless ", "Ausnahme: ", "Sauf ", "This does not apply "]
)
def test_a_rule_is_kept_with_the_exception_that_follows(opening: str) -> None:
    rule, exception = sentence(400, "r"), opening + sentence(300, "e").lower()
    found = texts(f"{sentence(500)}\n\n{rule}\n\n{exception}\n\n{sentence(500)}")
    assert f"{rule}\n\n{exception}" in found


def test_a_rule_inside_a_paragraph_is_kept_with_its_exception() -> None:
    rule, exception = sentence(300, "r"), "However, " + sentence(200, "e").lower()
    found = texts(f"{sentence(400)} {sentence(250)} {rule} {exception}")
    assert any(f"{rule} {exception}" in chunk for chunk in found)


def test_a_section_of_exceptions_stays_with_its_rule_if_both_fit() -> None:
    text = f"# Rule\n\n{sentence(400)}\n\n## Exceptions\n\n{sentence(300)}"
    assert texts(text) == [text]
    assert len(texts(text.replace("Exceptions", "Scope"))) == 2


def test_a_list_is_kept_with_its_lead_in() -> None:
    items = "\n".join(f"- {sentence(180)}" for _ in range(4))
    found = texts(f"{sentence(900)}\n\nThese are the rules:\n\n{items}")
    assert found[1].startswith("These are the rules:\n\n- ")


def test_list_items_are_cut_between_not_inside() -> None:
    items = [f"- {sentence(200)}\n  {sentence(150)}" for _ in range(9)]
    found = texts("\n".join(items))
    assert len(found) > 1
    assert "\n".join(found) == "\n".join(items)
    assert all(chunk.startswith("- ") for chunk in found)


@pytest.mark.parametrize("pipe", ["| ", ""])
def test_a_divided_table_keeps_its_header_in_the_context(pipe: str) -> None:
    head = f"{pipe}Grade | Days\n{pipe}--- | ---"
    rows = [f"{pipe}G{number} | {'d' * 200}" for number in range(9)]
    first, *others = Sections().split("\n".join([head, *rows]), "T")
    assert first.text.startswith(head) and first.context == "T"
    for chunk in others:
        assert chunk.context == f"T\n{pipe}Grade | Days"
        assert set(chunk.text.split("\n")) <= set(rows)


def test_an_endless_heading_is_not_repeated_in_every_context() -> None:
    chunks = Sections().split("# " + "endless " * 20_000, "T")
    assert max(len(chunk.context) for chunk in chunks) < 300


@pytest.mark.parametrize("line", ["## **Leave** ##", "## `Leave` {#leave}", "_Leave_\n---"])
def test_the_section_is_the_bare_title(line: str) -> None:
    assert Sections().split(f"{line}\n\nText.", "")[0].section == "Leave"


def test_a_code_block_stays_whole_where_it_fits() -> None:
    code = "```python\n" + "\n\n".join(f"step_{number}()" for number in range(40)) + "\n```"
    found = texts(f"{sentence(700)}\n\n{code}\n\n{sentence(700)}")
    assert any(code in chunk for chunk in found)


@given(BODIES, st.sampled_from([20, 60, 300, 1000]))
def test_sections_hold_every_visible_character_once(text: str, limit: int) -> None:
    chunks = Sections(limit).split(text, "Title")
    check_chunks(chunks, text)
    at = body_start(text)
    for chunk in chunks:
        assert not text[at : chunk.start_char].strip()
        assert len(chunk.text) <= limit
        assert chunk.text == chunk.text.strip()
        at = chunk.end_char
    assert not text[at:].strip()


@given(BODIES)
def test_the_same_text_gives_the_same_chunks(text: str) -> None:
    assert Sections().split(text, "Title") == Sections().split(text, "Title")


@given(BODIES, st.integers(1, 50), st.data())
def test_windows_of_any_size_hold_every_visible_character(
    text: str, size: int, data: st.DataObject
) -> None:
    overlap = data.draw(st.integers(0, size - 1))
    policies: tuple[Chunker, ...] = (CharacterWindows(size, overlap), WordWindows(size, overlap))
    for policy in policies:
        chunks = policy.split(text, "")
        check_chunks(chunks, text)
        held = {offset for start, end in spans(chunks) for offset in range(start, end)}
        visible = {n for n in range(body_start(text), len(text)) if not text[n].isspace()}
        assert visible <= held


@given(BODIES)
def test_lines_are_where_the_text_stands(text: str) -> None:
    lines = text.split("\n")
    for chunk in Sections(60).split(text, ""):
        held = "\n".join(lines[chunk.start_line - 1 : chunk.end_line])
        assert chunk.text in held
        assert chunk.text.count("\n") == chunk.end_line - chunk.start_line


def one_chunk(**changes: object) -> tuple[Chunk, ...]:
    chunk = Chunk(0, 0, 4, 1, 1, "text", "", "")
    return (replace(chunk, **changes),)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("chunks", "hint"),
    [
        ((), "no chunk"),
        (one_chunk(part=1), "part 1"),
        (one_chunk() * 2, "part 0"),
        (one_chunk(text="test"), "another text"),
        (one_chunk(start_char=4, end_char=5, text=" "), "blank"),
        (one_chunk(end_char=99), "offsets"),
        (one_chunk(start_char=-4), "offsets"),
        (one_chunk(start_char=2, end_char=2, text=""), "offsets"),
    ],
)
def test_chunks_that_cannot_be_cited_are_refused(chunks: tuple[Chunk, ...], hint: str) -> None:
    with pytest.raises(InvalidText, match=hint):
        check_chunks(chunks, "text ")


def handbooks() -> Iterator[tuple[str, str]]:
    for path in sorted(HANDBOOKS.rglob("*.md")):
        text = decode(path.read_bytes()).text
        if text[body_start(text) :].strip():
            yield path.relative_to(HANDBOOKS).as_posix(), text


@pytest.mark.skipif(not HANDBOOKS.is_dir(), reason="the handbooks are not beside the project")
def test_real_documents_are_cut_exactly_and_their_answers_stay_whole() -> None:
    found = {}
    for path, text in handbooks():
        found[path] = Sections().split(text, path)
        check_chunks(found[path], text)
        assert max(len(chunk.text) for chunk in found[path]) <= 1000
    lines = (HANDBOOKS / "questions_dev.jsonl").read_text(encoding="utf-8").splitlines()
    gold = [quote for line in lines for quote in json.loads(line)["gold"]]
    whole = [quote for quote in gold if any(holds(chunk, quote) for chunk in found[quote["path"]])]
    assert len(whole) >= 0.9 * len(gold) > 0


def holds(chunk: Chunk, quote: dict[str, int]) -> bool:
    return chunk.start_char <= quote["start"] and quote["end"] <= chunk.end_char
