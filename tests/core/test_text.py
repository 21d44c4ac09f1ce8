"""Decoding, front matter, lines, sentences and folding."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag.core.errors import InvalidText
from rag.core.text import (
    LineIndex,
    body,
    body_start,
    decode,
    fold,
    front_matter,
    sentence_spans,
    starts_exception,
)

# Letters, marks and signs that make boundaries and folding hard, besides any other character.
TRICKY = st.text(st.sampled_from(" \n\n.!?。।؟-–#|>*_`~<{%}()[]\"'aA1éß\u0301\u200b\u00ad日का🙂ـأ"))
TEXTS = st.one_of(st.text(), TRICKY)


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@pytest.mark.parametrize(
    ("data", "text", "encoding"),
    [
        (b"caf\xc3\xa9", "café", "utf-8"),
        (b"", "", "utf-8"),
        (codecs.BOM_UTF8 + b"a", "a", "utf-8-sig"),
        (codecs.BOM_UTF16_LE + "a\U0001f642".encode("utf-16-le"), "a\U0001f642", "utf-16-le"),
        (codecs.BOM_UTF16_BE + "é".encode("utf-16-be"), "é", "utf-16-be"),
        (b"a\r\nb\rc\r\r\nd\n", "a\nb\nc\n\nd\n", "utf-8"),
        (b"a\x0bb\x0c\xe2\x80\xa8c", "a\x0bb\x0c\u2028c", "utf-8"),
    ],
)
def test_bytes_become_text_with_their_encoding_recorded(
    data: bytes, text: str, encoding: str
) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.encoding) == (text, encoding)
    assert decode(data, decoded.encoding) == decoded


@pytest.mark.parametrize(
    ("data", "encoding", "hint"),
    [
        (b"caf\xe9", None, "--encoding"),
        (b"a\0b\0", None, "utf-16-le"),
        (b"a\0b", "latin-1", "NUL"),
        (codecs.BOM_UTF32_LE + "a".encode("utf-32-le"), None, "--encoding utf-32-le"),
        (codecs.BOM_UTF32_BE + "a".encode("utf-32-be"), None, "--encoding utf-32-be"),
        (codecs.BOM_UTF16_LE + b"a", None, "utf-16-le"),
        (codecs.BOM_UTF16_LE + b"\x00\xd8a\0", None, "utf-16-le"),
        (b"a", "klingon", "klingon"),
        (b"a", "a\0b", "no encoding"),
        (b"6162", "hex", "no text encoding"),
        (b"\\ud800", "unicode_escape", "surrogates"),
        (b"caf\xe9", "utf-8", "cp1252"),
    ],
)
def test_bytes_that_are_not_text_are_refused_with_a_hint(
    data: bytes, encoding: str | None, hint: str
) -> None:
    with pytest.raises(InvalidText, match=hint):
        decode(data, encoding)


@pytest.mark.parametrize(
    ("name", "recorded"), [("LATIN1", "iso8859-1"), ("windows-1252", "cp1252")]
)
def test_a_named_encoding_is_used_and_normalised(name: str, recorded: str) -> None:
    decoded = decode(b"caf\xe9", name)
    assert (decoded.text, decoded.encoding) == ("café", recorded)


def test_utf_32_is_read_when_it_is_named() -> None:
    data = codecs.BOM_UTF32_LE + "a".encode("utf-32-le")
    assert decode(data, "utf-32-le").text == "a"


@pytest.mark.parametrize(
    ("text", "yaml", "rest"),
    [
        ("---\ntitle: A\n---\nBody", "title: A\n", "Body"),
        ("---  \ntitle: A\n...\t\nBody", "title: A\n", "Body"),
        ("---\n---\nBody", "", "Body"),
        ("---\na: 1\n---", "a: 1\n", ""),
        ("---\na: 1\n----\nBody", "", "---\na: 1\n----\nBody"),
        ("\n---\na: 1\n---\n", "", "\n---\na: 1\n---\n"),
        ("----\na\n---\n", "", "----\na\n---\n"),
        ("---\na: x --- y\n  ---\n---\nB", "a: x --- y\n  ---\n", "B"),
        ("", "", ""),
    ],
)
def test_front_matter_ends_where_its_fence_closes(text: str, yaml: str, rest: str) -> None:
    assert front_matter(text) == yaml
    assert text[body_start(text) :] == rest


def test_body_leaves_out_front_matter_and_spacing() -> None:
    assert body("---\nid: x\n---\n a  b\n c\n") == body("a b c") == "a b c"


@given(TEXTS)
def test_lines_are_counted_by_newlines_alone(text: str) -> None:
    index = LineIndex(text)
    expected = [text[:offset].count("\n") + 1 for offset in range(len(text) + 1)]
    assert [index.line(offset) for offset in range(len(text) + 1)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Ask Dr. Smith, e.g. by post, i.e. in writing.",
        "Mr. J. R. Smith of the U.S. Army met Prof. Lee vs. Kim.",
        "See No. 5, Art. 3 and Fig. 2 at 3.5 percent.",
        "Use v1.2 of README.md from https://a.example/b?c=d. e for it.",
        "It costs approx. five, etc. and more.",
        "“Why?” he asked.",
        "Frist ist der 31. Dezember.",
        "1. First do this.",
        "Wait... then go.",
        "A line that was\nwrapped by hand.",
        "in the year\n2024. the rest",
    ],
)
def test_a_sentence_stays_whole(text: str) -> None:
    assert sentences(text) == [text]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("It ends here.", "Next one."),
        ("It ends at 5 p.m.", "The office closes."),
        ("This is plan B.", "The other is A."),
        ("There is no.", "It was refused."),
        ("**It ends.**", "Next."),
        ("(It ends.)", "Next."),
        ("He said “no.”", "Next."),
        ("It ends.[^1]", "Next."),
        ("Really?!", "Yes!"),
        ("Can it?", "npm can."),
        ("In 2024.", "Then not."),
        ("هل هذا صحيح؟", "نعم."),
        ("यह नियम है।", "यह दूसरा है।"),
        ("- item one", "- item two"),
        ("A heading\n=========", "Text."),
        ("# Heading", "Text."),
        ("| a. B | b |", "| c | d |"),
        ("a | b\n--- | ---", "c | d"),
        ("Lead-in:", "1. item"),
        ("{% alert %}", "Text"),
        ("<div class='x'>", "Text"),
        ("> quoted\n> on two lines.", "> Next."),
    ],
)
def test_a_sentence_ends(first: str, second: str) -> None:
    assert sentences(f"{first}\n{second}") == [first, second]


def test_a_blank_line_ends_a_sentence() -> None:
    assert sentences("no full stop\n \nnext") == ["no full stop", "next"]


def test_cjk_sentences_need_no_space() -> None:
    assert sentences("第一句。第二句！「第三句？」第四") == [
        "第一句。",
        "第二句！",
        "「第三句？」",
        "第四",
    ]


def test_code_lines_are_sentences_until_the_fence_closes() -> None:
    text = "```sh\n# no heading. Really\nls. X\n~~~\n```\nOne. Two."
    assert sentences(text) == [*text.split("\n")[:5], "One.", "Two."]


def test_sentences_of_a_range_stay_inside_it() -> None:
    text = "One. Two. Three."
    assert sentence_spans(text, 1, 8) == ((1, 4), (5, 8))


@given(TEXTS)
def test_sentences_are_disjoint_trimmed_and_complete(text: str) -> None:
    at = 0
    for start, end in sentence_spans(text):
        assert at <= start < end
        assert not text[at:start].strip()
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


@pytest.mark.parametrize(
    "unit", [".", " ", "(", ")", "a.", "a. ", '. "', "[^", "|", "`", "<a ", ">"]
)
def test_a_hostile_megabyte_is_read_once(unit: str) -> None:
    text = "." + unit * (1_000_000 // len(unit))
    # Measured 0.1 to 0.7 s; a quadratic scan would take hours, and no run of the tests would end.
    assert sentence_spans(text)
    assert fold(text)[0] == "."


@pytest.mark.parametrize(
    "text",
    [
        *("However, not in May.", "Except on Sundays", "- **Unless** agreed", "Note: not now"),
        *("This does not apply to X.", "This rule does not apply.", "> But no.", "2. Only once"),
        *("Ausnahme: Mai", "Es sei denn, er", "Sauf accord", "Toutefois, non", "但法律另有规定的"),
        *("परन्तु यह नहीं", "إلا في حالة"),
    ],
)
def test_an_exception_is_known_by_its_opening(text: str) -> None:
    assert starts_exception(text)


@pytest.mark.parametrize("text", ["Butter is fine.", "Notebooks", "It applies.", "Howeverness", ""])
def test_other_openings_are_no_exception(text: str) -> None:
    assert not starts_exception(text)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Crème BRÛLÉE Straße", "creme brulee strasse"),
        ("Ünïcödé Ωμέγα Ёлка Łódź", "unicode ωμεγα елка lodz"),
        ("ﬁle ＱＸ‑４４７１ ①", "file qx-4471 1"),
        ("soft\u00adhyphen zero\u200bwidth", "softhyphen zerowidth"),
        ("infor-\n  mation\nand QX-\nA1 x-\n2", "information and qx- a1 x- 2"),
        ("Rück\u00ad\nsicht", "rucksicht"),
        ("كِتَابٌ", "كتاب"),
        ("أحمد إلى آمن مدرســة", "احمد الي امن مدرسه"),
        ("שָׁלוֹם", "שלום"),
        ("हिन्दी की", "हिन्दी की"),
        ("ภาษาไทยที่นี่", "ภาษาไทยที่นี่"),
        ("が ガ ｶﾞ", "が ガ ガ"),
        ("a ≠ b", "a ≠ b"),
        ("don’t", "don't"),
        (" a\n\tb ", "a b"),
    ],
)
def test_folding_unites_what_is_written_differently(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(TEXTS)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    assert fold(fold(text)) == fold(text)
