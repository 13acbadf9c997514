from django.apps import AppConfig


class DatabasesConfig(AppConfig):
    name = "awrdiff.databases"

    def ready(self) -> None:
        from awrdiff.databases import placing  # noqa: PLC0415 - models are there only now
        from awrdiff.processing.kinds import Chore, register_chore  # noqa: PLC0415
        from awrdiff.reports.tasks import WHEN_SETTLED  # noqa: PLC0415

        register_chore(Chore("taking over databases", placing.EVERY_S, placing.take_over))
        register_chore(Chore("forgetting databases without reports", placing.EVERY_S, placing.forget))
        WHEN_SETTLED.append(placing.report_settled)
