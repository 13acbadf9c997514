from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "awrdiff.reports"

    def ready(self) -> None:
        from awrdiff.processing.kinds import Kind, register  # noqa: PLC0415 - models are there only now
        from awrdiff.reports import queries, services, tasks  # noqa: PLC0415
        from awrdiff.reports.models import Report  # noqa: PLC0415

        register(Kind(Report, tasks.read_report, services.restart_stale, queries.waiting))
