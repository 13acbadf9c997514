from django.apps import AppConfig


class TransferConfig(AppConfig):
    name = "awrdiff.transfer"
