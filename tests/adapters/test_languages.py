"""Languages of texts that do not name theirs."""

import subprocess
import sys

import pytest

from rag.adapters.languages import detected

TEXTS = {
    "en": "Up to five days of annual leave may be carried over into the next year.",
    "de": "Bis zu fünf Tage des Jahresurlaubs dürfen in das nächste Jahr übertragen werden.",
    "fr": "Jusqu’à cinq jours de congé annuel peuvent être reportés à l’année suivante.",
    "es": "Hasta cinco días de vacaciones anuales pueden trasladarse al año siguiente.",
    "ar": "يجوز ترحيل ما يصل إلى خمسة أيام من الإجازة السنوية إلى العام التالي.",
    "zh": "每年最多可以将五天年假结转到下一年度使用。",
    "ja": "年次有給休暇は、翌年に最大五日まで繰り越すことができます。",
    "ko": "직원은 매년 5일의 연차를 이월할 수 있습니다.",
    "th": "พนักงานสามารถลาพักร้อนได้ห้าวันต่อปี",
    "am": "ሰራተኞች በየዓመቱ አምስት ቀናት",
    "no": "Inntil fem dagar ferie kan overførast til neste år av alle tilsette, men ikkje meir.",
}
FENCED = "```python\nfor item in all_the_items: print(item, 'is the value of it')\n```\n"


@pytest.mark.parametrize(("language", "text"), TEXTS.items())
def test_a_sentence_tells_its_language(language: str, text: str) -> None:
    assert detected(text) == language


@pytest.mark.parametrize(
    "text", ["", "GX-100", "42 % of 7.5", "Oslo", "| a | b |\n|---|---|", "费用", FENCED * 9]
)
def test_too_little_tells_nothing(text: str) -> None:
    assert detected(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        "LeVar Burton, Lou Diamond Phillips, Meat Loaf, Michael Gough",
        '{"title": "x", "valid_from": "2026-01-01", "items": [1, 2, 3], "enabled": true}',
        "| Name | Amount |\n|---|---|\n| Hotel | 120 EUR |\n| Taxi | 40 EUR |",
        f"{TEXTS['en']} {TEXTS['de']}",
    ],
)
def test_names_data_and_two_languages_are_not_clear(text: str) -> None:
    assert detected(text) == ""


def test_cells_of_a_table_are_read() -> None:
    assert detected(f"| Regel |\n|---|\n| {TEXTS['de']} |") == "de"


def test_neither_code_nor_front_matter_is_read() -> None:
    matter = (
        "---\ntitle: The leave of all our employees\nowner: The people team of this company\n---"
    )
    assert detected(f"{matter}\n{FENCED * 9}\n{TEXTS['de']}\n\n{FENCED * 9}") == "de"


def test_the_model_is_not_loaded_before_a_text_is_read() -> None:
    script = "import sys, rag.adapters.languages; sys.exit('py3langid' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0
