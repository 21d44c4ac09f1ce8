"""The demo site: people, grants and a corpus. Done again, it changes nothing."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import transaction

from rag.actions.audit import OPERATOR
from rag.actions.importing import ImportReport, Request, import_sources
from rag.actions.people import Account, create_user, grant
from rag.actions.profiles import Parts
from rag.actions.roles import create_group
from rag.core import roles

ADMIN: Final = "admin"
EMPLOYEE: Final = "erin"
HR: Final = "hana"
# Team → scope. Everybody reads what the staff reads; the people team reads the HR papers as well.
STAFF: Final = "staff"
PEOPLE_TEAM: Final = "people-team"
TEAMS: Final = {STAFF: "public", PEOPLE_TEAM: "hr"}
# Person → role, and the teams.
PEOPLE: Final[Mapping[str, tuple[str, ...]]] = {
    ADMIN: (roles.ADMIN, STAFF, PEOPLE_TEAM),
    EMPLOYEE: (roles.MEMBER, STAFF),
    HR: (roles.MEMBER, STAFF, PEOPLE_TEAM),
    "rita": (roles.REVIEWER, STAFF),
    "paul": (roles.APPROVER, STAFF, PEOPLE_TEAM),
}
# Folder → scope, and whether its import asks for approval: the drafts wait.
FOLDERS: Final = {"public": ("public", True), "hr": ("hr", True), "drafts": ("public", False)}


@dataclass(frozen=True)
class Demo:
    """What was made. ``passwords`` holds only those of people created now."""

    passwords: dict[str, str]
    imports: dict[str, ImportReport]


def prepare(corpus: Path, parts: Parts) -> Demo:
    """Tables, people, grants and imports; the rebuild is the caller's."""
    call_command("migrate", verbosity=0)
    passwords = _people()
    imports = {folder: _import(corpus / folder, *how, parts) for folder, how in FOLDERS.items()}
    return Demo(passwords, imports)


@transaction.atomic
def _people() -> dict[str, str]:
    """The teams and people that are missing; the passwords. Who is there stays as they are."""
    for team, scope in TEAMS.items():
        if not Group.objects.filter(name=team).exists():
            create_group(team, (), actor=OPERATOR)
            grant(scope, group=team, create_scope=True)
    known = set(User.objects.filter(username__in=PEOPLE).values_list("username", flat=True))
    passwords = {name: secrets.token_hex(8) for name in PEOPLE if name not in known}
    for name, password in passwords.items():
        account = Account(groups=frozenset(PEOPLE[name]))
        create_user(name, account, password=password, actor=OPERATOR)
    return passwords


def _import(folder: Path, scope: str, approve: bool, parts: Parts) -> ImportReport:
    request = Request(scope=scope, actor=ADMIN, approve=approve)
    return import_sources([folder], request, parts.chunker)
