"""Every address of the site, what it takes to open it, and every kind of person and object."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from django.urls import URLPattern, URLResolver, get_resolver

from rag.core.roles import Permission

MISSING_ID: Final = "0" * 64
# Who: name → role group and the scopes granted.
PEOPLE: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = MappingProxyType(
    {
        "roland": ("", ("sales",)),
        "nora": ("member", ()),
        "hana": ("member", ("hr",)),
        "sam": ("member", ("sales",)),
        "rosa": ("reviewer", ("sales",)),
        "paul": ("approver", ("sales",)),
        "adam": ("admin", ("sales",)),
    }
)
# Texts of the scope sales in every state, one of hr, and one that nobody wrote; and who opens
# them: with the scope, and with the scope and the permission to review.
TEXTS: Final = ("approved", "pending", "rejected", "withdrawn", "erased", "hidden", "missing")
READ: Final = ("approved",)
REVIEWED: Final = ("approved", "pending", "rejected", "withdrawn")
# Answers: one's own, somebody else's, none, and those that wait for a model. Rows of people,
# groups and grants: one, none.
ANSWERS: Final = ("own", "another's", "missing", "own waiting", "another's waiting")
ROWS: Final = ("present", "missing")
ANYBODY: Final = "anybody"
SIGNED_IN: Final = "signed in"


@dataclass(frozen=True)
class Rule:
    """Who opens an address: anybody, whoever is signed in, or who has the permission.

    ``objects`` are those that its route has a place for; ``method`` is the one that it takes.
    """

    who: str | Permission
    objects: tuple[str, ...] = ("",)
    method: str = "get"


SEARCH, ASK, UPLOAD = Permission.SEARCH, Permission.ASK, Permission.UPLOAD
REVIEW, APPROVE = Permission.REVIEW, Permission.APPROVE
OPERATE, PEOPLE_TOO = Permission.OPERATE, Permission.PEOPLE

RULES: Final[Mapping[str, Rule]] = MappingProxyType(
    {
        "": Rule(SIGNED_IN),
        "search/": Rule(SEARCH),
        "ask/": Rule(ASK),
        "answers/": Rule(ASK),
        "answers/<uuid:answer_id>/": Rule(ASK, ANSWERS),
        "answers/<uuid:answer_id>/cancel/": Rule(ASK, ANSWERS, "post"),
        "sources/": Rule(SEARCH),
        "sources/<sha256:document_id>/": Rule(SEARCH, TEXTS),
        "sources/<sha256:document_id>/text/": Rule(SEARCH, TEXTS),
        "sources/<sha256:document_id>/readers/": Rule(APPROVE, TEXTS),
        "upload/": Rule(UPLOAD),
        "status/": Rule(OPERATE),
        "status/progress/": Rule(OPERATE),
        "status/rebuild/": Rule(OPERATE, method="post"),
        "review/": Rule(REVIEW),
        "review/rag/revision/": Rule(REVIEW),
        "review/rag/revision/<str:document_id>/change/": Rule(REVIEW, TEXTS),
        "review/rag/revision/<str:document_id>/approve/": Rule(APPROVE, TEXTS, "post"),
        "review/rag/revision/<str:document_id>/request-approval/": Rule(APPROVE, TEXTS, "post"),
        "review/rag/revision/<str:document_id>/reject/": Rule(APPROVE, TEXTS, "post"),
        "review/rag/revision/<str:document_id>/withdraw/": Rule(APPROVE, TEXTS, "post"),
        "review/auth/user/": Rule(PEOPLE_TOO),
        "review/auth/user/add/": Rule(PEOPLE_TOO),
        "review/auth/user/<int:key>/change/": Rule(PEOPLE_TOO, ROWS),
        "review/auth/user/<int:key>/password/": Rule(PEOPLE_TOO, ROWS),
        "review/auth/group/": Rule(PEOPLE_TOO),
        "review/auth/group/add/": Rule(PEOPLE_TOO),
        "review/auth/group/<int:key>/change/": Rule(PEOPLE_TOO, ROWS),
        "review/auth/group/<int:key>/remove/": Rule(PEOPLE_TOO, ROWS, "post"),
        "review/rag/scope/": Rule(PEOPLE_TOO),
        "review/rag/scope/add/": Rule(PEOPLE_TOO),
        "review/rag/grant/": Rule(PEOPLE_TOO),
        "review/rag/grant/add/": Rule(PEOPLE_TOO),
        "review/rag/grant/<int:key>/revoke/": Rule(PEOPLE_TOO, ROWS, "post"),
        "review/rag/auditevent/": Rule(OPERATE),
        "accounts/login/": Rule(ANYBODY),
        "accounts/logout/": Rule(SIGNED_IN, method="post"),
        "accounts/password_change/": Rule(SIGNED_IN),
        "accounts/password_change/done/": Rule(SIGNED_IN),
        "accounts/password_reset/": Rule(ANYBODY),
        "accounts/password_reset/done/": Rule(ANYBODY),
        "accounts/reset/<uidb64>/<token>/": Rule(ANYBODY),
        "accounts/reset/done/": Rule(ANYBODY),
    }
)


def routes() -> Iterator[str]:
    """The route of every address that the resolver knows."""
    yield from _below(get_resolver(), "")


def _below(resolver: URLResolver, prefix: str) -> Iterator[str]:
    for entry in resolver.url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLPattern):
            yield route
        else:
            yield from _below(entry, route)


def opens(name: str, rule: Rule, thing: str, permissions: frozenset[str]) -> bool:
    """Whether that person opens that object there; the whole of the site's access in words."""
    if rule.who in (ANYBODY, SIGNED_IN):
        return True
    if rule.who not in permissions:
        return False
    if rule.objects == TEXTS:
        held = "sales" in PEOPLE[name][1]
        hidden = thing == "hidden" and "hr" in PEOPLE[name][1]
        return hidden or (held and thing in (REVIEWED if REVIEW in permissions else READ))
    return thing in ("", "own", "own waiting", "present")
