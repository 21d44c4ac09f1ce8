"""Addresses of the site."""

from django.conf import settings
from django.contrib import admin
from django.urls import URLPattern, URLResolver, include, path

from rag.web.signing_in import NewPasswordView

handler400 = "rag.web.errors.bad_request"
handler403 = "rag.web.errors.forbidden"
handler404 = "rag.web.errors.not_found"
handler500 = "rag.web.errors.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    # Before Django's own of the same address and name.
    path(
        "accounts/reset/<uidb64>/<token>/",
        NewPasswordView.as_view(),
        name="password_reset_confirm",
    ),
    path("accounts/", include("django.contrib.auth.urls")),
    path("review/", admin.site.urls),
    path("", include("rag.web.urls")),
]
if settings.OIDC_ISSUER:
    urlpatterns.append(path("accounts/sso/", include("rag.web.sso")))
