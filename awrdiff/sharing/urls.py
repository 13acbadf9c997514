from django.urls import path

from awrdiff.web.views import sharing

urlpatterns = [
    path("comparisons/<uuid:pk>/links/", sharing.create, name="link-create"),
    path("links/<uuid:pk>/", sharing.revoke, name="link-revoke"),
    path("s/<str:token>/", sharing.comparison, name="shared-comparison"),
    path("s/<str:token>/sections/<slug:section_id>/", sharing.section, name="shared-section"),
    path("s/<str:token>/export.<slug:ending>", sharing.export, name="shared-export"),
    path("s/<str:token>/commit/", sharing.commit, name="shared-commit"),
    path("s/<str:token>/search/", sharing.search, name="shared-search"),
]
