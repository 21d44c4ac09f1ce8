"""The README says what the code does: its lists are held against the code."""

import re
from pathlib import Path

from django.core.management import get_commands

from evidencesite import env

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")


def row(setting: env.EnvironmentSetting) -> str:
    default = f"`{setting.default}`" if setting.default else "empty"
    return f"| `{setting.name}` | {default} | {setting.help} |"


def test_settings_table_is_that_of_the_code() -> None:
    table = re.search(r"\| name \| default .*?\n\|---.*?\n(.*?)\n\n", README, re.DOTALL)
    assert table
    expected = sorted({row(setting) for setting in env.SETTINGS})
    assert table.group(1).splitlines() == expected


def test_every_command_is_described() -> None:
    own = [name for name, app in get_commands().items() if app == "rag"]
    assert [name for name in own if f"`{name}" not in README] == []


def test_readme_names_the_two_commands() -> None:
    assert "make run" in README
    assert "make test" in README
