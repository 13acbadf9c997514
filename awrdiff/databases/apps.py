from django.apps import AppConfig


class DatabasesConfig(AppConfig):
    name = "awrdiff.databases"

    def ready(self) -> None:
        from awrdiff.databases import report_assignment  # noqa: PLC0415 - models are there only now
        from awrdiff.processing.work_kinds import Chore, register_chore  # noqa: PLC0415
        from awrdiff.reports.tasks import WHEN_SETTLED  # noqa: PLC0415

        register_chore(Chore("taking over databases", report_assignment.EVERY_S, report_assignment.take_over))
        register_chore(
            Chore("forgetting databases without reports", report_assignment.EVERY_S, report_assignment.forget)
        )
        WHEN_SETTLED.append(report_assignment.report_settled)
