"""Typed reading of environment variables.

An empty variable counts as unset. A value that cannot be used raises ImproperlyConfigured
with the name, the value and a hint. Each call adds a row to ``SETTINGS``, against which a
test holds the table in the README.
"""

import json
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from zoneinfo import available_timezones

from django.core.exceptions import ImproperlyConfigured

TRUE = ("1", "true", "yes", "on")
FALSE = ("0", "false", "no", "off")
_OBJECT = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")


@dataclass(frozen=True, slots=True)
class EnvironmentSetting:
    """A row of the README's table: what may be set, and what holds if it is not."""

    name: str
    default: str
    help: str


SETTINGS: list[EnvironmentSetting] = []


def text(name: str, default: str, *, help: str) -> str:
    """The variable as it stands."""
    value = _read(name, default, help)
    return default if value is None else value


def texts(name: str, default: Sequence[str], *, help: str) -> list[str]:
    """A comma-separated list without its empty items."""
    value = _read(name, ",".join(default), help)
    if value is None:
        return list(default)
    return [item.strip() for item in value.split(",") if item.strip()]


def pairs(name: str, *, help: str) -> dict[str, str]:
    """A comma-separated list of ``key=value``; {} if the variable is unset."""
    found = {}
    for item in texts(name, (), help=help):
        key, separator, value = map(str.strip, item.partition("="))
        if not (key and separator and value):
            raise _unusable(name, item, "use key=value, separated by commas")
        found[key] = value
    return found


def choice(name: str, default: str, choices: Sequence[str], *, help: str) -> str:
    """One of the choices, spelt exactly so."""
    value = _read(name, default, help)
    if value is None:
        return default
    if value not in choices:
        raise _unusable(name, value, f"use one of {', '.join(choices)}")
    return value


def part(name: str, default: str, choices: Sequence[str], *, help: str) -> str:
    """One of the choices, or ``package.module:object``, which is loaded where it is used."""
    value = _read(name, default, help)
    if value is None:
        return default
    if value not in choices and not _OBJECT.fullmatch(value):
        raise _unusable(name, value, f"use {', '.join([*choices, 'package.module:object'])}")
    return value


def choices(name: str, known: Sequence[str], *, help: str) -> list[str]:
    """A comma-separated list of the known words; [] if the variable is unset."""
    found = texts(name, (), help=help)
    for item in found:
        if item not in known:
            raise _unusable(name, item, f"use some of {', '.join(known)}")
    return found


def quoted(name: str, *, help: str) -> str | None:
    """The variable, or what its JSON string says if it begins with a quotation mark.

    So it can end with a blank or be empty. None if the variable is unset.
    """
    value = _read(name, "", help)
    if value is None or not value.startswith('"'):
        return value
    try:
        return str(json.loads(value))
    except ValueError:
        raise _unusable(name, value, 'close the quotation mark, as in "query: "') from None


def boolean(name: str, default: bool, *, help: str) -> bool:
    """True for 1, true, yes, on; False for 0, false, no, off; in any case."""
    value = _read(name, str(default).lower(), help)
    if value is None:
        return default
    if value.lower() not in TRUE + FALSE:
        raise _unusable(name, value, f"use one of {', '.join(TRUE + FALSE)}")
    return value.lower() in TRUE


def integer(name: str, default: int, low: int, high: int, *, help: str) -> int:
    """A whole number from low to high, both included."""
    value = _read(name, str(default), help)
    if value is None:
        return default
    try:
        number = int(value)
    except ValueError:
        number = low - 1
    if not low <= number <= high:
        raise _unusable(name, value, f"use a whole number from {low} to {high}")
    return number


def optional_number(name: str, low: float, high: float, *, help: str) -> float | None:
    """A number from low to high, both included; None if the variable is unset."""
    value = _read(name, "", help)
    if value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not low <= number <= high:  # NaN, which float() accepts, fails here as well
        raise _unusable(name, value, f"use a number from {low:g} to {high:g}")
    return number


def zone(name: str, default: str, *, help: str) -> str:
    """A time zone of the IANA database."""
    value = _read(name, default, help)
    if value is not None and value not in available_timezones():
        raise _unusable(name, value, "use a time zone such as Europe/Berlin")
    return value or default


def path(name: str, default: str, base: Path, *, help: str) -> Path:
    """An absolute path; a relative one starts at base, not where the process was started."""
    value = _read(name, default, help)
    return base / Path(default if value is None else value).expanduser()


def _read(name: str, default: str, help: str) -> str | None:
    SETTINGS.append(EnvironmentSetting(name, default, help))
    return os.environ.get(name, "").strip() or None


def _unusable(name: str, value: str, hint: str) -> ImproperlyConfigured:
    return ImproperlyConfigured(f"{name}={value!r} is not usable: {hint}.")
