"""The engine as a Django application."""

from django.apps import AppConfig
from django.db.models.signals import post_migrate


class RagConfig(AppConfig):
    """Names the application, and makes the roles when its tables are there."""

    name = "rag"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        # Found late: its models need the registry of applications.
        from rag.actions.roles import make_roles

        # After Django's own receiver, which makes the permissions.
        post_migrate.connect(make_roles, sender=self)
