from django.apps import AppConfig
from django.db.models import BooleanField, Value


class ComparisonsConfig(AppConfig):
    name = "awrdiff.comparisons"

    def ready(self) -> None:
        from awrdiff.comparisons import (  # noqa: PLC0415 - models are there only now
            databases_of_comparisons,
            new_report_comparisons,
            queries,
            search_index,
            services,
            tasks,
        )
        from awrdiff.comparisons.models import Comparison, current_version  # noqa: PLC0415
        from awrdiff.databases.report_assignment import WHEN_PLACED  # noqa: PLC0415
        from awrdiff.processing.work_kinds import Chore, WorkKind, register, register_chore  # noqa: PLC0415
        from awrdiff.reports.services import HOLDS, KEPT_BY  # noqa: PLC0415
        from awrdiff.reports.tasks import WHEN_SETTLED  # noqa: PLC0415

        waited_for = Value(value=False, output_field=BooleanField())
        parts = (
            services.restart_stale,
            queries.waiting,
            waited_for,
            current_version,
            tasks.outdated_comparisons,
        )
        register(WorkKind(Comparison, tasks.compute_comparison, *parts))
        register_chore(Chore("indexing older comparisons", search_index.EVERY_S, search_index.write_missing))
        KEPT_BY.append(services.keeps)
        HOLDS["in a comparison"] = services.holds
        register_chore(
            Chore("reports that arrived", new_report_comparisons.EVERY_S, new_report_comparisons.look_for_missed)
        )
        register_chore(
            Chore("databases of comparisons", databases_of_comparisons.EVERY_S, databases_of_comparisons.take_over)
        )
        WHEN_PLACED.append(databases_of_comparisons.reports_placed)
        for listens in (tasks.report_settled, new_report_comparisons.report_settled):
            WHEN_SETTLED.append(listens)
