from django.apps import AppConfig


class ComparisonsConfig(AppConfig):
    name = "awrdiff.comparisons"

    def ready(self) -> None:
        from awrdiff.comparisons import queries, services, tasks  # noqa: PLC0415 - models are there only now
        from awrdiff.comparisons.models import Comparison  # noqa: PLC0415
        from awrdiff.processing.kinds import Kind, register  # noqa: PLC0415
        from awrdiff.reports.tasks import WHEN_SETTLED  # noqa: PLC0415

        register(Kind(Comparison, tasks.compute_comparison, services.restart_stale, queries.waiting))
        if tasks.report_settled not in WHEN_SETTLED:
            WHEN_SETTLED.append(tasks.report_settled)
