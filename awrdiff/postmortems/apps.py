from django.apps import AppConfig


class PostmortemsConfig(AppConfig):
    name = "awrdiff.postmortems"
