"""Single sign-on by OpenID Connect. Loaded only where a provider is configured.

The kept library mozilla-django-oidc does the flow (state, nonce, PKCE, signature). It verifies
neither issuer nor audience, and knows people by e-mail address; both are done here.
"""

import hashlib
import logging
import secrets
import traceback
from collections.abc import Mapping
from typing import Any

import jwt
import requests
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import User
from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.urls import path
from mozilla_django_oidc.auth import OIDCAuthenticationBackend
from mozilla_django_oidc.views import (
    OIDCAuthenticationCallbackView,
    OIDCAuthenticationRequestView,
)

from rag.actions.identities import Vouched, person_vouched_for
from rag.core.errors import NotAllowed, NotFound, ProviderError, RagError
from rag.web.errors import error_page, status_of

logger = logging.getLogger(__name__)


# The library has no types, so its classes count as Any here and below.
class Backend(OIDCAuthenticationBackend):  # type: ignore[misc]
    """Signs in whom the configured issuer vouches for to this client."""

    def verify_token(self, token: str, **kwargs: Any) -> dict[str, Any]:
        """The token's claims, once signature, nonce, issuer, audience and expiry are checked."""
        claims: dict[str, Any] = super().verify_token(token, **kwargs)
        audience = claims.get("aud")
        audiences = audience if isinstance(audience, list) else [audience]
        if claims.get("iss") != settings.OIDC_ISSUER:
            raise SuspiciousOperation("The token is of another issuer.")
        if settings.OIDC_RP_CLIENT_ID not in audiences or "exp" not in claims:
            raise SuspiciousOperation("The token is not for this site.")
        return claims

    def get_or_create_user(
        self, access_token: str, id_token: str, payload: Mapping[str, Any]
    ) -> User | None:
        """The person of the claims; those of the user-info endpoint add to the token's."""
        info = self.get_userinfo(access_token, id_token, payload)
        if info.get("sub") != payload.get("sub"):
            raise SuspiciousOperation("The user-info is of somebody else.")
        try:
            user = person_vouched_for(vouched({**info, **payload}), settings.OIDC_GROUPS)
        except RagError as error:
            # For the log: whom it was about, without the provider's own key.
            digest = hashlib.sha256(str(payload.get("sub")).encode()).hexdigest()
            error.add_note(f"Subject {digest[:16]}.")
            raise
        if not user.is_active:
            logger.warning("single sign-on: the account %r is closed", user.username)
        return user if user.is_active else None

    def get_user(self, user_id: int) -> User | None:
        """The person of a session; the library's own lets a closed account stay signed in."""
        user: User | None = super().get_user(user_id)
        return user if user is not None and user.is_active else None


def vouched(claims: Mapping[str, Any]) -> Vouched:
    """What the claims say. Raises ``NotAllowed`` if they do not say who somebody is."""
    name = claims.get(settings.OIDC_NAME_CLAIM)
    if not isinstance(name, str) or not name.strip() or len(name) > 150:
        raise NotAllowed(f"Your provider sent no usable {settings.OIDC_NAME_CLAIM!r}.")
    groups = claims.get(settings.OIDC_GROUPS_CLAIM) or []
    return Vouched(
        issuer=settings.OIDC_ISSUER,
        subject=str(claims["sub"]),
        name=name.strip(),
        email=str(claims.get("email") or ""),
        groups=frozenset(map(str, groups if isinstance(groups, list) else [groups])),
    )


class CallbackView(OIDCAuthenticationCallbackView):  # type: ignore[misc]
    """Where the provider sends people back to. A failure is a page that names the provider, and
    a line of the log: no middleware sees it."""

    def get(self, request: HttpRequest) -> HttpResponse:
        try:
            response: HttpResponse = super().get(request)
        except requests.RequestException as error:
            failure = ProviderError(settings.OIDC_ISSUER, "sign-in", _cause(error))
            return _failed(request, failure)
        except (SuspiciousOperation, jwt.PyJWTError, ValueError, KeyError, TypeError) as error:
            return _failed(request, _refused("its answer could not be verified"), _place(error))
        except NotFound as error:
            cause = "the setting OIDC_GROUPS names a group that this site does not have"
            return _failed(request, _refused(cause), _noted(f"OIDC_GROUPS: {error}", error))
        except RagError as error:
            return _failed(request, error, _noted(str(error), error))
        return response

    def login_failure(self) -> HttpResponse:
        """Refused by the provider, or an account that is closed here."""
        failure = _refused("it did not vouch for an active account")
        said = self.request.GET.get("error", "")[:64]
        return _failed(self.request, failure, f"{failure} The provider's error: {said!r}.")


def _refused(cause: str) -> NotAllowed:
    return NotAllowed(f"Sign-in by {settings.OIDC_ISSUER} failed: {cause}.")


def _failed(request: HttpRequest, error: RagError, detail: str = "") -> HttpResponse:
    """The page of a failure, with the reference under which the log says more of it."""
    reference = secrets.token_hex(4)
    issuer, about = settings.OIDC_ISSUER, detail or str(error)
    logger.warning("single sign-on by %s, reference %s: %s", issuer, reference, about)
    advice = f"Try again, or tell an admin of this site the reference {reference} of its log."
    return error_page(request, status_of(error), f"{error} {advice}")


def _noted(sentence: str, error: RagError) -> str:
    """The sentence, and what was noted of the error for the log alone."""
    return " ".join([sentence, *getattr(error, "__notes__", ())])


def _cause(error: requests.RequestException) -> str:
    status = "" if error.response is None else f" {error.response.status_code}"
    return f"{type(error).__name__}{status}"


def _place(error: Exception) -> str:
    """What went wrong and where. Only this site's and the library's own sentences are told: the
    words of other errors may hold what the provider sent."""
    if isinstance(error, SuspiciousOperation):
        return str(error)
    return f"{type(error).__name__} in {traceback.extract_tb(error.__traceback__)[-1].name}"


urlpatterns = [
    path(
        "",
        login_not_required(OIDCAuthenticationRequestView.as_view()),
        name="oidc_authentication_init",
    ),
    path(
        "callback/",
        login_not_required(CallbackView.as_view()),
        name="oidc_authentication_callback",
    ),
]
