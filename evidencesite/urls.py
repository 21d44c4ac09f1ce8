"""Addresses of the site."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.views import PasswordChangeView, PasswordResetView
from django.urls import URLPattern, URLResolver, include, path

from rag.web.forms.passwords import ChangePasswordForm, ForgottenPasswordForm
from rag.web.signing_in import NewPasswordView

handler400 = "rag.web.errors.bad_request"
handler403 = "rag.web.errors.forbidden"
handler404 = "rag.web.errors.not_found"
handler500 = "rag.web.errors.server_error"

urlpatterns: list[URLPattern | URLResolver] = [
    # Before Django's own of the same addresses and names.
    path(
        "accounts/password_change/",
        PasswordChangeView.as_view(form_class=ChangePasswordForm),
        name="password_change",
    ),
    path(
        "accounts/password_reset/",
        PasswordResetView.as_view(form_class=ForgottenPasswordForm),
        name="password_reset",
    ),
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
