from typing import Any

from django.apps import AppConfig
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate

FORGET_EVERY_S = 600


class SearchConfig(AppConfig):
    name = "awrdiff.search"

    def ready(self) -> None:
        from awrdiff.processing.work_kinds import Chore, register_chore  # noqa: PLC0415 - models are there only now
        from awrdiff.search import word_search  # noqa: PLC0415

        register_chore(Chore("forgetting deleted words", FORGET_EVERY_S, word_search.forget))

        post_migrate.connect(word_search.after_migrations, sender=self)
        connection_created.connect(_never_compile)


def _never_compile(connection: Any, **_: Any) -> None:
    """PostgreSQL's JIT takes seconds for searches of milliseconds: it overestimates rows."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET jit = off")
