"""Every address. Pages and JSON (Accept: application/json) live at the same ones; docs/http.md describes them."""

from django.contrib.auth.views import LogoutView
from django.urls import path

from awrdiff.web.views import (
    commit,
    comparisons,
    deleting,
    entities,
    health,
    home,
    pins,
    reports,
    sharing,
    traces,
    trend,
)
from awrdiff.web.views.accounts import SignIn

REPORTS = [
    path("reports/", reports.upload, name="report-upload"),
    path("reports/<uuid:pk>/", reports.report, name="report"),
    path("reports/<uuid:pk>/retry/", reports.retry, name="report-retry"),
    path("reports/<uuid:pk>/delete/", deleting.report, name="report-delete"),
    path("reports/<uuid:pk>/commit/", commit.report, name="report-commit"),
    path("reports/<uuid:pk>/search/", reports.search, name="report-search"),
    path("reports/<uuid:pk>/sections/<slug:section_id>/", reports.section, name="report-section"),
    path("reports/<uuid:pk>/entities/<slug:kind>/<path:key>/", entities.report, name="report-entity"),
]
COMPARISONS = [
    path("comparisons/", comparisons.create, name="comparison-create"),
    path("comparisons/<uuid:pk>/", comparisons.comparison, name="comparison"),
    path("comparisons/<uuid:pk>/status/", comparisons.status, name="comparison-status"),
    path("comparisons/<uuid:pk>/sections/<slug:section_id>/", comparisons.section, name="comparison-section"),
    path("comparisons/<uuid:pk>/entities/<slug:kind>/<path:key>/", entities.comparison, name="comparison-entity"),
    path("comparisons/<uuid:pk>/trend/", trend.comparison, name="comparison-trend"),
    path("comparisons/<uuid:pk>/commit/", commit.comparison, name="comparison-commit"),
    path("comparisons/<uuid:pk>/swap/", comparisons.swap, name="comparison-swap"),
    path("comparisons/<uuid:pk>/aspect/", comparisons.choose, name="comparison-aspect"),
    path("comparisons/<uuid:pk>/retry/", comparisons.retry, name="comparison-retry"),
    path("comparisons/<uuid:pk>/title/", comparisons.rename, name="comparison-title"),
    path("comparisons/<uuid:pk>/delete/", deleting.comparison, name="comparison-delete"),
    path("comparisons/<uuid:pk>/export.<slug:ending>", comparisons.export, name="comparison-export"),
    path("comparisons/<uuid:pk>/pins/", pins.pins, name="pins"),
    path("comparisons/<uuid:pk>/pins.<slug:ending>", pins.text, name="pins-text"),
    path("comparisons/<uuid:pk>/pins/<int:pin_pk>/", pins.remove, name="pin-remove"),
    path("comparisons/<uuid:pk>/traces/", traces.attach, name="trace-attach"),
    path("comparisons/<uuid:pk>/traces/<uuid:report_pk>/", traces.detach, name="trace-detach"),
    path("comparisons/<uuid:pk>/search/", comparisons.search, name="comparison-search"),
]
SHARING = [
    path("comparisons/<uuid:pk>/links/", sharing.create, name="link-create"),
    path("links/<uuid:pk>/", sharing.revoke, name="link-revoke"),
    path("s/<str:token>/", sharing.comparison, name="shared-comparison"),
    path("s/<str:token>/sections/<slug:section_id>/", sharing.section, name="shared-section"),
    path("s/<str:token>/entities/<slug:kind>/<path:key>/", sharing.entity, name="shared-entity"),
    path("s/<str:token>/export.<slug:ending>", sharing.export, name="shared-export"),
    path("s/<str:token>/trend/", sharing.trend, name="shared-trend"),
    path("s/<str:token>/commit/", sharing.commit, name="shared-commit"),
    path("s/<str:token>/search/", sharing.search, name="shared-search"),
]
OTHERS = [
    path("", home.home, name="home"),
    path("login/", SignIn.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
]
urlpatterns = [*OTHERS, *REPORTS, *COMPARISONS, *SHARING]
handler400 = "awrdiff.web.views.errors.bad_request"
handler403 = "awrdiff.web.views.errors.forbidden"
handler404 = "awrdiff.web.views.errors.not_found"
handler500 = "awrdiff.web.views.errors.server_error"
