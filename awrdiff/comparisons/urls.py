from django.urls import path

from awrdiff.web.views import commit, comparisons, traces

urlpatterns = [
    path("comparisons/", comparisons.create, name="comparison-create"),
    path("comparisons/<uuid:pk>/", comparisons.comparison, name="comparison"),
    path("comparisons/<uuid:pk>/status/", comparisons.status, name="comparison-status"),
    path("comparisons/<uuid:pk>/sections/<slug:section_id>/", comparisons.section, name="comparison-section"),
    path("comparisons/<uuid:pk>/commit/", commit.comparison, name="comparison-commit"),
    path("comparisons/<uuid:pk>/swap/", comparisons.swap, name="comparison-swap"),
    path("comparisons/<uuid:pk>/aspect/", comparisons.choose, name="comparison-aspect"),
    path("comparisons/<uuid:pk>/retry/", comparisons.retry, name="comparison-retry"),
    path("comparisons/<uuid:pk>/delete/", comparisons.delete, name="comparison-delete"),
    path("comparisons/<uuid:pk>/export.<slug:ending>", comparisons.export, name="comparison-export"),
    path("comparisons/<uuid:pk>/traces/", traces.attach, name="trace-attach"),
    path("comparisons/<uuid:pk>/traces/<uuid:report_pk>/", traces.detach, name="trace-detach"),
    path("comparisons/<uuid:pk>/search/", comparisons.search, name="comparison-search"),
]
