"""The options that search, ask and probe have in common, and what they are turned into."""

from argparse import ArgumentParser, ArgumentTypeError
from datetime import date
from pathlib import Path
from typing import Any

from rag.actions.governing import today
from rag.actions.profiles import default_policy
from rag.core.chat import AnswerMode
from rag.core.errors import InvalidFile
from rag.core.policies import POLICIES, policy
from rag.core.retrieval import Mode, Options
from rag.core.sources import Access, Selection, Status
from rag.queries.eligibility import access_of_scopes, access_of_user


def day(text: str) -> date:
    """An ISO day from the command line."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no day such as 2026-01-31") from None


def path(text: str) -> Path:
    """A path; an empty one, as an unset variable of the shell gives, is not the current folder."""
    if not text:
        raise ArgumentTypeError("the path is empty")
    return Path(text)


def text_of(file: Path) -> str:
    """The text of a file of cases. Raises ``InvalidFile``."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise InvalidFile(str(file), f"it cannot be read ({error})") from None


def names(text: str) -> frozenset[str]:
    """A comma-separated list."""
    return frozenset(item.strip() for item in text.split(",") if item.strip())


def statuses(text: str) -> frozenset[Status]:
    """A comma-separated list of statuses."""
    try:
        return frozenset(Status(item) for item in names(text))
    except ValueError:
        known = ", ".join(status.value for status in Status)
        raise ArgumentTypeError(f"{text!r} must be some of {known}") from None


def pair(text: str) -> tuple[str, str]:
    """``key=value``."""
    key, separator, value = text.partition("=")
    if not (key and separator and value):
        raise ArgumentTypeError(f"{text!r} must be key=value")
    return key, value


def add_request(parser: ArgumentParser, *, k: bool = True) -> None:
    """Add the options of a request; who asks is always required."""
    parser.add_argument("question")
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--user", help="ask as this user")
    who.add_argument("--scopes", type=names, help="ask as an operator with these scopes: a,b")
    parser.add_argument("--mode", choices=[mode.value for mode in Mode], default="hybrid")
    parser.add_argument("--policy", choices=list(POLICIES), help="ranking policy")
    parser.add_argument("--as-of", type=day, help="the day asked for (default: today)")
    parser.add_argument("--statuses", type=statuses, default=frozenset(), help="archive view")
    parser.add_argument("--product", default="", help="only sources of this product")
    parser.add_argument("--filter", type=pair, action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--require", action="append", default=[], metavar="TERM")
    parser.add_argument("--min-cosine", type=float, help="instead of the profile's threshold")
    parser.add_argument(
        "--all-copies", action="store_true", help="sources marked as not canonical, too"
    )
    if k:
        parser.add_argument("--k", type=int, default=10, help="hits at most")


def add_answer_mode(parser: ArgumentParser) -> None:
    """Add the option of who proposes."""
    known = [mode.value for mode in AnswerMode]
    parser.add_argument("--answer-mode", choices=known, help="instead of the site's, if allowed")


def answer_mode_of(options: dict[str, Any]) -> AnswerMode | None:
    """Who proposes; None for the site's own."""
    return AnswerMode(options["answer_mode"]) if options["answer_mode"] else None


def access_of(options: dict[str, Any]) -> Access:
    """Who asks, resolved live."""
    as_of = options["as_of"] or today()
    if options["user"] is not None:
        return access_of_user(options["user"], as_of)
    return access_of_scopes(options["scopes"], as_of)


def selection_of(options: dict[str, Any]) -> Selection:
    """What the request is narrowed to."""
    return Selection(
        statuses=options["statuses"],
        product=options["product"],
        filters=frozenset(options["filter"]),
        canonical_only=not options["all_copies"],
    )


def options_of(options: dict[str, Any]) -> Options:
    """How to search."""
    return Options(
        mode=Mode(options["mode"]),
        policy=policy(options["policy"]) if options["policy"] else default_policy(),
        k=options.get("k", 10),
        min_cosine=options["min_cosine"],
        required_terms=tuple(options["require"]),
    )
