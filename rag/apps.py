"""The engine as a Django application."""

from django.apps import AppConfig


class RagConfig(AppConfig):
    """Names the application; nothing runs at start."""

    name = "rag"
    default_auto_field = "django.db.models.BigAutoField"
