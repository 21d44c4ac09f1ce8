"""Single sign-on by OpenID Connect. Loaded only where a provider is configured.

The kept library mozilla-django-oidc does the flow (state, nonce, PKCE, signature). It verifies
neither issuer nor audience, and knows people by e-mail address; both are done here.
"""

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
from rag.core.errors import NotAllowed, ProviderError, RagError
from rag.web.errors import page_of


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
        user = person_vouched_for(vouched({**info, **payload}), settings.OIDC_GROUPS)
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
    groups = claims.get(settings.OIDC_GROUPS_CLAIM, [])
    return Vouched(
        issuer=settings.OIDC_ISSUER,
        subject=str(claims["sub"]),
        name=name.strip(),
        email=str(claims.get("email", "")),
        groups=frozenset(map(str, groups if isinstance(groups, list) else [groups])),
    )


class CallbackView(OIDCAuthenticationCallbackView):  # type: ignore[misc]
    """Where the provider sends people back to. A failure is a page that names the provider."""

    def get(self, request: HttpRequest) -> HttpResponse:
        try:
            response: HttpResponse = super().get(request)
        except requests.RequestException as error:
            cause = type(error).__name__
            return page_of(request, ProviderError(settings.OIDC_ISSUER, "sign-in", cause))
        except (SuspiciousOperation, jwt.PyJWTError, ValueError, KeyError, TypeError):
            # Their words hold what was sent; the library's log has them.
            return page_of(request, _refused("its answer could not be verified"))
        except RagError as error:
            return page_of(request, error)
        return response

    def login_failure(self) -> HttpResponse:
        """Refused by the provider, or an account that is closed here."""
        return page_of(self.request, _refused("it did not vouch for an active account"))


def _refused(cause: str) -> NotAllowed:
    return NotAllowed(f"Sign-in by {settings.OIDC_ISSUER} failed: {cause}. Try again.")


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
