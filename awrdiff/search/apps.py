from django.apps import AppConfig
from django.db.models.signals import post_migrate

FORGET_EVERY_S = 600


class SearchConfig(AppConfig):
    name = "awrdiff.search"

    def ready(self) -> None:
        from awrdiff.processing.kinds import Chore, register_chore  # noqa: PLC0415 - models are there only now
        from awrdiff.search import words  # noqa: PLC0415

        register_chore(Chore("forgetting deleted words", FORGET_EVERY_S, words.forget))

        post_migrate.connect(words.after_migrations, sender=self)
