"""The four roles of a site, and what each of them may do besides what its grants let it read.

A role says what somebody may *do*; a grant says what somebody may *read*. No role, not even
admin, reads a scope without a grant.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class Permission(StrEnum):
    """What the pages ask for, as Django spells it: application and code name."""

    SEARCH = "rag.search_revision"
    ASK = "rag.ask_answer"
    UPLOAD = "rag.upload_revision"
    REVIEW = "rag.review_revision"
    APPROVE = "rag.approve_revision"
    OPERATE = "rag.operate_rebuildrun"
    PEOPLE = "rag.change_grant"

    @property
    def codename(self) -> str:
        return self.value.partition(".")[2]


MEMBER: Final = "member"
REVIEWER: Final = "reviewer"
APPROVER: Final = "approver"
ADMIN: Final = "admin"

_READS: Final = (Permission.SEARCH, Permission.ASK)
_REVIEWS: Final = (*_READS, Permission.UPLOAD, Permission.REVIEW)

# They open nothing without REVIEW: what they allow is done inside the review site.
WITHIN_REVIEW: Final = frozenset({Permission.APPROVE, Permission.PEOPLE})

ROLES: Final[Mapping[str, tuple[Permission, ...]]] = MappingProxyType(
    {
        MEMBER: _READS,
        REVIEWER: _REVIEWS,
        APPROVER: (*_REVIEWS, Permission.APPROVE),
        ADMIN: tuple(Permission),
    }
)
