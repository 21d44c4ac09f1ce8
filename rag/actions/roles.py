"""The roles as Django groups with their permissions."""

from typing import Any

from django.contrib.auth.models import Group
from django.contrib.auth.models import Permission as Row
from django.db import transaction

from rag.core.roles import ROLES


def make_roles(**_signal: Any) -> None:
    """Make the groups that are missing; called after every migrate.

    A group that is there is left as its site has changed it.
    """
    with transaction.atomic():
        for role, permissions in ROLES.items():
            group, created = Group.objects.get_or_create(name=role)
            if created:
                names = [permission.codename for permission in permissions]
                rows = Row.objects.filter(content_type__app_label="rag", codename__in=names)
                group.permissions.set(rows)
