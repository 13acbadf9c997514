from django.apps import AppConfig


class ThreadsConfig(AppConfig):
    name = "awrdiff.threads"

    def ready(self) -> None:
        from awrdiff.comparisons.removal import WHEN_DELETED  # noqa: PLC0415 - models come late
        from awrdiff.threads import deleted  # noqa: PLC0415

        if deleted.untitle not in WHEN_DELETED:
            WHEN_DELETED.append(deleted.untitle)
