from django.urls import path

from awrdiff.web.views import home

urlpatterns = [
    path("", home.home, name="home"),
]
