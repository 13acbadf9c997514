from django.apps import AppConfig
from django.db.models.signals import post_migrate


class SearchConfig(AppConfig):
    name = "awrdiff.search"

    def ready(self) -> None:
        from awrdiff.search import words  # noqa: PLC0415 - models are there only now

        post_migrate.connect(words.after_migrations, sender=self)
