"""The review site: for who may review, in the look of the other pages."""

from django.contrib.admin import AdminSite
from django.http import HttpRequest

from rag.core.roles import Permission


class EvidenceAdminSite(AdminSite):
    """Open to reviewers, approvers and admins by their permissions; ``is_staff`` says nothing."""

    site_title = site_header = "Review"
    index_title = "Review"
    site_url = None
    enable_nav_sidebar = False

    def has_permission(self, request: HttpRequest) -> bool:
        user = request.user
        return user.is_active and user.has_perm(Permission.REVIEW)
