from django.urls import path

from awrdiff.web.views import commit, reports

urlpatterns = [
    path("reports/", reports.upload, name="report-upload"),
    path("reports/<uuid:pk>/", reports.report, name="report"),
    path("reports/<uuid:pk>/retry/", reports.retry, name="report-retry"),
    path("reports/<uuid:pk>/delete/", reports.delete, name="report-delete"),
    path("reports/<uuid:pk>/commit/", commit.report, name="report-commit"),
    path("reports/<uuid:pk>/search/", reports.search, name="report-search"),
    path("reports/<uuid:pk>/sections/<slug:section_id>/", reports.section, name="report-section"),
]
