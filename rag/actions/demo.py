"""The demo site: people, grants and a corpus. Done again, it changes nothing."""

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.contrib.auth.models import Group, User
from django.core.management import call_command
from django.db import transaction

from rag.actions.audit import OPERATOR, record
from rag.actions.importing import ImportReport, Request, import_sources
from rag.actions.people import grant
from rag.actions.profiles import Parts

ADMIN: Final = "admin"
EMPLOYEE: Final = "erin"
HR: Final = "hana"
# Group → scope and members. Erin reads what everybody reads; Hana reads the HR papers as well.
GROUPS: Final = {"staff": ("public", (EMPLOYEE, HR)), "people-team": ("hr", (HR,))}
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
    passwords = {}
    for name in (ADMIN, EMPLOYEE, HR):
        if not User.objects.filter(username=name).exists():
            passwords[name] = secrets.token_urlsafe(12)
            User.objects.create_user(name, password=passwords[name])
    for group, (scope, members) in GROUPS.items():
        row, created = Group.objects.get_or_create(name=group)
        if created:
            row.user_set.add(*User.objects.filter(username__in=members))
            record(OPERATOR, "create_group", group, members=list(members))
            grant(scope, group=group, create_scope=True)
    return passwords


def _import(folder: Path, scope: str, approve: bool, parts: Parts) -> ImportReport:
    request = Request(scope=scope, actor=ADMIN, approve=approve)
    return import_sources([folder], request, parts.chunker)
