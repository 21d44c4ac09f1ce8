"""Django's admin as the place of review."""

from django.contrib.admin.apps import AdminConfig


class EvidenceAdminConfig(AdminConfig):
    """Puts the review site in the place of Django's default one."""

    default_site = "rag.admin.site.EvidenceAdminSite"
