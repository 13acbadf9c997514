"""All addresses. HTML and JSON (Accept: application/json) live at the same ones."""

from django.contrib.auth.views import LogoutView
from django.urls import include, path

from awrdiff.web.views import health
from awrdiff.web.views.accounts import SignIn

urlpatterns = [
    path("", include("awrdiff.web.urls")),
    path("", include("awrdiff.reports.urls")),
    path("", include("awrdiff.comparisons.urls")),
    path("", include("awrdiff.sharing.urls")),
    path("login/", SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
handler400 = "awrdiff.web.views.errors.bad_request"
handler403 = "awrdiff.web.views.errors.forbidden"
handler404 = "awrdiff.web.views.errors.not_found"
handler500 = "awrdiff.web.views.errors.server_error"
